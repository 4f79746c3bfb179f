import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { test } from "node:test";
import { createPlane } from "../../src/index.ts";
import { principalOf, trusted } from "../../src/model/principal.ts";
import { temporaryDirectory } from "../fixtures/start-server.ts";
import { until } from "../fixtures/until.ts";
import { processFixture as fixture, runCli, startCli, startServe, writeConfig } from "./support.ts";

test("the last calls are reported in short, also those that were refused, without secrets", async () => {
  const config = { mcpServers: { e: fixture("echo") } };
  await using plane = await createPlane({ config, principal: trusted({ user: "ada" }) });
  const bob = principalOf({ user: "bob" });
  await plane.call("e.echo", { message: "password: hunter2hunter2" });
  await plane.call("e.nothing", {}, { principal: bob });
  const all = await plane.calls.activity();
  assert.deepEqual(
    all.map(({ tool, user, status, code }) => [tool, user, status, code]),
    [
      ["e.nothing", "bob", "refused", "TOOL_NOT_FOUND"],
      ["e.echo", "ada", "succeeded", null],
    ],
  );
  assert.match(all[1]?.arguments ?? "", /\[redacted\]/);
  assert.ok(!JSON.stringify(all).includes("hunter2"));
  assert.deepEqual(
    (await plane.calls.activity({ principal: bob })).map(({ tool }) => tool),
    ["e.nothing"],
  );
});

test("the command line shows and follows the calls of the plane that serves; nothing of it is on disk", async () => {
  await using directory = await temporaryDirectory();
  const config = await writeConfig(directory, { e: fixture("echo") });
  const data = directory.file("d");
  const place = ["--config", config, "--data-dir", data];
  await using _serving = await startServe(config, data);
  const before = await runCli(["activity", ...place]);
  assert.match(before.stdout, /No calls yet/);
  const following = startCli(["activity", "--follow", ...place]);
  let shown = "";
  following.process.stdout?.on("data", (chunk) => {
    shown += chunk;
  });
  await until("the table of the follower", () => shown.includes("TOOL"));
  assert.equal((await runCli(["call", "e.echo", "message=marmalade", ...place])).code, 0);
  await until("the call in the follower", () => shown.includes("marmalade"));
  following.process.kill("SIGINT");
  assert.equal((await following.result).code, 130);
  const listed = await runCli(["activity", ...place, "--json"]);
  const [entry] = listed.json().activity as { tool: string; face: string; arguments: string }[];
  assert.deepEqual(
    [entry?.tool, entry?.face, entry?.arguments],
    ["e.echo", "cli", '{"message":"marmalade"}'],
  );
  for (const file of await readdir(data)) {
    const bytes = await readFile(`${data}/${file}`).catch(() => Buffer.alloc(0));
    assert.ok(!bytes.includes("marmalade"), `${file} holds the argument`);
  }
});
