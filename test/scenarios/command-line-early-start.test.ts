import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { commandLineFile } from "../fixtures/bundled.ts";
import { fixtureEnvironment, temporaryDirectory } from "../fixtures/start-server.ts";
import { until } from "../fixtures/until.ts";
import { processFixture as fixture, writeConfig } from "./support.ts";

const run = promisify(execFile);
const value = "hunter2-hunter2";

test("the server of a repeated call starts before the call is loaded, once, and ends with it", async () => {
  await using directory = await temporaryDirectory();
  const { command, args } = fixture("echo") as { command: string; args: string[] };
  const starts = directory.file("starts");
  const data = directory.file("data");
  // A shell starts at once, however busy the machine is.
  const script = 'echo $$ >> "$0"; exec "$@"';
  const launch = (env: Record<string, string>) => ({
    command: "/bin/sh",
    args: ["-c", script, starts, command, ...args],
    env,
  });
  const config = await writeConfig(directory, { one: launch({ API_TOKEN: value }) });
  const call = (...words: string[]) =>
    run(process.execPath, [commandLineFile, "call", "one.echo", ...words, "--config", config, "--data-dir", data], {
      env: fixtureEnvironment(),
    });
  const pids = () => (existsSync(starts) ? readFileSync(starts, "utf8").trim().split("\n").map(Number) : []);
  const kept = () =>
    readdirSync(join(data, "listings")).map((name) => readFileSync(join(data, "listings", name), "utf8"));

  for (const times of [1, 2, 3]) {
    assert.match((await call("message=hi")).stdout, /hi/);
    assert.equal(pids().length, times);
  }
  assert.equal(kept().length, 1);
  assert.doesNotMatch(kept().join(""), new RegExp(value));

  // Refused before there is a plane: only what started early has started, unless it is ended before it says so.
  let refused = 0;
  await until("an early start", async () => {
    refused += 1;
    await assert.rejects(call("--args", "{not JSON"), /not JSON|USAGE|JSON/);
    return pids().length > 3;
  });
  await until("the servers to end", () => pids().every((pid) => !isAlive(pid)));
  const started = pids().length;
  assert.ok(started <= 3 + refused, "once for each call");

  // Another entry: the one that was kept is not started.
  await writeConfig(directory, { one: launch({ API_TOKEN: "another" }) });
  await assert.rejects(call("--args", "{not JSON"));
  assert.equal(pids().length, started);
  assert.match((await call("message=again")).stdout, /again/);
  assert.equal(pids().length, started + 1);
});

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
