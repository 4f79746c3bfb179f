import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { fixtureEnvironment, temporaryDirectory } from "../fixtures/start-server.ts";
import { writeConfig } from "./support.ts";

const bin = fileURLToPath(new URL("../../src/bin.ts", import.meta.url));
const withoutIpv4 = "ip link set lo up && ip addr del 127.0.0.1/8 dev lo";
const canSeparate = spawnSync("unshare", [
  "-n",
  "sh",
  "-c",
  `${withoutIpv4} && grep -q lo /proc/net/if_inet6`,
]);
const skip =
  canSeparate.status !== 0 &&
  "no network of its own can be made here: it takes Linux, root and IPv6";

/** Serves on a machine of this kind, asks `ask` of it, and prints what came. */
async function serveOn(network: string, ask: string): Promise<string> {
  await using directory = await temporaryDirectory();
  const config = await writeConfig(directory, {});
  const data = directory.file("data");
  const words = ["serve", "--port", "7420", "--json", "--config", config, "--data-dir", data];
  const serve = [process.execPath, bin, ...words].join(" ");
  const child = spawn(
    "unshare",
    ["-n", "sh", "-c", `${network}; ${serve} | { read line; echo "$line"; ${ask} }`],
    {
      env: { ...fixtureEnvironment(), NODE: process.execPath },
      detached: true,
    },
  );
  const answers = Promise.all([text(child.stdout), text(child.stderr)]);
  return (await answers).join("\n");
}

/** The plane goes when it has been asked. */
const fetchReady =
  'url=$(echo "$line" | sed -E \'s/.*"url":"([^"]+)".*/\\1/\'); $NODE -e "fetch(process.argv[1]+\'/healthz\').then(a=>console.log(a.status))" "$url"; kill 0;';

test("a machine that has IPv6 only is served at ::1", { skip }, async () => {
  const said = await serveOn(withoutIpv4, fetchReady);
  assert.match(said, /"url":"http:\/\/\[::1\]:7420"/);
  assert.match(said, /^200$/m);
});

test("where there is no address of this machine at all, the error points at --host", {
  skip,
}, async () => {
  const said = await serveOn("ip link set lo up; ip addr flush dev lo", "kill 0;");
  assert.match(said, /Cannot listen on 127\.0\.0\.1:7420.*--host/);
});
