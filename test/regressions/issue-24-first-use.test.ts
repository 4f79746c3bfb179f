import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { test } from "node:test";
import { temporaryDirectory } from "../fixtures/start-server.ts";
import { fixture, startCli, writeConfig } from "../scenarios/support.ts";

test("a check of a project that is not trusted yet does not say that no server is configured", async () => {
  await using directory = await temporaryDirectory();
  await writeConfig(directory, { desk: fixture("echo") });
  const env = { HOME: directory.file("home"), XDG_CONFIG_HOME: directory.file("config") };
  const { code, stdout } = await startCli(["config", "validate"], { cwd: directory.path, env }).result;
  assert.equal(code, 0, stdout);
  assert.match(stdout, /not trusted yet, so it goes without 1 server \(desk\)/);
  assert.doesNotMatch(stdout, /no server is configured/);
});

test("a client that cannot be connected leaves no directory behind", async () => {
  await using directory = await temporaryDirectory();
  const env = { HOME: directory.file("home"), XDG_CONFIG_HOME: directory.file("config") };
  const { code, stderr } = await startCli(["connect", "cursor"], { cwd: directory.path, env }).result;
  assert.equal(code, 2, stderr);
  assert.match(stderr, /No configuration found/);
  assert.equal(existsSync(directory.file("home/.cursor")), false);
});
