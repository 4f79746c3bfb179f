import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { suite, test } from "node:test";
import { commandLineFile } from "../fixtures/bundled.ts";
import {
  fixtureEnvironment,
  type TemporaryDirectory,
  temporaryDirectory,
} from "../fixtures/start-server.ts";
import { until } from "../fixtures/until.ts";
import { processFixture, runCli, writeConfig } from "./support.ts";

/** That of util-linux: those of other systems take other options. */
const script = "/usr/bin/script";
const noTerminal =
  (process.platform !== "linux" || !existsSync(script)) &&
  "there is no program that makes a terminal";

function surroundings(directory: TemporaryDirectory): Record<string, string> {
  const home = directory.file("home");
  return { HOME: home, XDG_CONFIG_HOME: home, XDG_DATA_HOME: home };
}

/** Runs a command in a terminal in which this was typed before it starts. */
async function typedBefore(typed: string, words: string[], directory: TemporaryDirectory) {
  const go = directory.file("go");
  execFileSync("mkfifo", [go]);
  const command = `stty cols 120 rows 40; cat '${go}'; exec '${process.execPath}' '${commandLineFile}' ${words.join(" ")}`;
  const env = { ...fixtureEnvironment(), ...surroundings(directory), TERM: "xterm" };
  const child = spawn(script, ["--echo", "always", "-qec", command, "/dev/null"], {
    cwd: directory.path,
    env,
  });
  const ended = once(child, "close");
  let shown = "";
  child.stdout.on("data", (chunk) => {
    shown += chunk;
  });
  // It may have ended at what was typed too early.
  child.stdin.on("error", () => undefined);
  child.stdin.write(typed);
  await until("what is typed", () => shown.includes(typed.trim().slice(-1)));
  writeFileSync(go, "");
  return {
    async answer(question: string, keys: string) {
      await until(question, () => shown.includes(question));
      child.stdin.write(keys);
    },
    async end() {
      await ended;
      return shown;
    },
  };
}

const stranger = JSON.stringify({ mcpServers: { stranger: { command: "stranger" } } });

suite("what was typed or pasted before a question is no answer to it", { skip: noTerminal }, () => {
  for (const words of [["trust"], ["tools", "list"]])
    test(`${words.join(" ")}: a project is trusted by what is typed afterwards alone`, async () => {
      for (const [answer, trusted] of [
        ["n", "refused"],
        ["y", "trusted"],
      ] as const) {
        await using directory = await temporaryDirectory();
        writeFileSync(directory.file("toolplane.json"), stranger);
        const typed = answer === "n" ? "yes\ny\n" : "no\nn";
        const terminal = await typedBefore(typed, words, directory);
        await terminal.answer("Do you trust this", answer);
        assert.match(await terminal.end(), /What was typed before this question is left out/);
        const { stdout } = await runCli(["trust", "--list"], {
          cwd: directory.path,
          env: surroundings(directory),
        });
        assert.match(stdout, new RegExp(`${trusted}: stranger`));
      }
    });

  test("connect changes nothing before it was asked", async () => {
    await using directory = await temporaryDirectory();
    mkdirSync(directory.file("home/.cursor"), { recursive: true });
    writeFileSync(directory.file("home/.cursor/mcp.json"), stranger);
    const terminal = await typedBefore("\ny\n", ["connect", "cursor", "--global"], directory);
    await terminal.answer("Change these files?", "n");
    assert.match(await terminal.end(), /Nothing was changed/);
  });

  test("chat: half a line that was being typed goes on after the question", async () => {
    await using directory = await temporaryDirectory();
    const rules = [{ tool: "fx.add", verdict: "ask" }];
    const config = await writeConfig(
      directory,
      { fx: processFixture("echo") },
      { policy: { rules } },
    );
    const words = [
      "chat",
      "--standalone",
      "--config",
      config,
      "--data-dir",
      directory.file("data"),
    ];
    const terminal = await typedBefore("-", words, directory);
    await terminal.answer("toolplane>", "\u0015/call fx.add a:=1 b:=2\ry");
    await terminal.answer("Shall it run?", "\r");
    await terminal.answer("needs a person's yes", "\u0015/exit\r");
    assert.doesNotMatch(await terminal.end(), /"sum"/);
  });
});
