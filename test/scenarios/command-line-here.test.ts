import assert from "node:assert/strict";
import { test } from "node:test";
import { temporaryDirectory } from "../fixtures/start-server.ts";
import { runCli, startCli, writeConfig } from "./support.ts";

const isWarned = /warning: /;

test("commands run one after the other in one process leave nothing to each other, nor to the process", async () => {
  await using directory = await temporaryDirectory();
  const config = await writeConfig(directory, {}, { unheardOf: true });
  const words = ["tools", "list", "--config", config, "--data-dir", directory.file("data")];
  const listeners = () =>
    ["SIGINT", "SIGTERM", "SIGHUP"].map((signal) => process.listenerCount(signal));
  const before = { listeners: listeners(), exitCode: process.exitCode };
  const silent = await runCli([...words, "--log-level", "error"]);
  const refused = await runCli(["no-such-verb", "--json"]);
  const spoken = await runCli(words);
  assert.deepEqual([silent.code, refused.code, spoken.code], [0, 2, 0]);
  assert.doesNotMatch(silent.stderr, isWarned);
  assert.match(spoken.stderr, isWarned);
  assert.equal(refused.json().error?.code, "USAGE");
  assert.deepEqual({ listeners: listeners(), exitCode: process.exitCode }, before);
});

test("a command says the same in a process of its own and in one that it shares", async () => {
  await using directory = await temporaryDirectory();
  const config = await writeConfig(directory, {}, { unheardOf: true });
  const place = ["--config", config, "--data-dir", directory.file("data")];
  const commands = [
    ["--help"],
    ["call", "--help"],
    ["tools", "list", ...place],
    ["call", "no.such", ...place],
  ];
  for (const words of commands) {
    const { json: _here, ...here } = await runCli(words);
    const { json: _apart, ...apart } = await startCli(words).result;
    assert.deepEqual(here, apart, words.join(" "));
  }
});
