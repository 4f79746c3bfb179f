import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { after, before, suite, test } from "node:test";
import { type TemporaryDirectory, temporaryDirectory } from "../fixtures/start-server.ts";
import { callsAt, fixture, runCli, trustProject, writeConfig } from "./support.ts";

type Case = {
  title: string;
  words: string[];
  exit: number;
  code: string;
  says: RegExp;
  plainOnly?: true;
};

const cases: Case[] = [
  {
    title: "an unknown tool is answered with the nearest names",
    words: ["call", "echo.ecko"],
    exit: 2,
    code: "TOOL_NOT_FOUND",
    says: /No tool 'echo\.ecko'\. Did you mean 'echo\.echo'/,
  },
  {
    title: "a missing argument is named with what the tool takes",
    words: ["call", "echo.echo"],
    exit: 2,
    code: "INVALID_ARGUMENTS",
    says: /missing 'message'.*It takes: message \(string, required\)/,
    plainOnly: true,
  },
  {
    title: "a wrong type is named with the argument",
    words: ["call", "echo.add", "a=one", "b:=2"],
    exit: 2,
    code: "INVALID_ARGUMENTS",
    says: /\/a must be number, got string/,
  },
  {
    title: "an unknown flag is refused with the one that was meant",
    words: ["call", "echo.echo", "--timeoutt", "5"],
    exit: 2,
    code: "USAGE",
    says: /Unknown option '--timeoutt'.*--timeout\?/,
  },
  {
    title: "an unknown command is refused with the one that was meant",
    words: ["cal", "echo.echo"],
    exit: 2,
    code: "USAGE",
    says: /Unknown command 'cal'.*call\?/,
    plainOnly: true,
  },
  {
    title: "broken JSON in --args is not repaired",
    words: ["call", "echo.echo", "--args", '{"message": "hi"'],
    exit: 2,
    code: "USAGE",
    says: /--args is not valid JSON.*Quote it for the shell/,
  },
  {
    title: "a list in --args is not an object",
    words: ["call", "echo.echo", "--args", "[1]"],
    exit: 2,
    code: "INVALID_ARGUMENTS",
    says: /must be a JSON object, not a list/,
    plainOnly: true,
  },
  {
    title: "a value that is no pair is refused with the two forms",
    words: ["call", "echo.echo", "hello"],
    exit: 2,
    code: "USAGE",
    says: /'hello' is not an argument. Write key=value or key:=json/,
    plainOnly: true,
  },
  {
    title: "a timeout that is no number is refused",
    words: ["call", "echo.echo", "message=x", "--timeout", "soon"],
    exit: 2,
    code: "USAGE",
    says: /number of seconds/,
    plainOnly: true,
  },
  {
    title: "a missing configuration file is named",
    words: ["tools", "list", "--config", "nowhere.json"],
    exit: 2,
    code: "CONFIG_INVALID",
    says: /nowhere\.json: no such file\. Check the path/,
  },
  {
    title: "a broken configuration file is named with its line",
    words: ["tools", "list", "--config", "broken.json"],
    exit: 2,
    code: "CONFIG_INVALID",
    says: /broken\.json:3:\d+: invalid JSON/,
    plainOnly: true,
  },
  {
    title: "an unknown server is answered with the nearest name",
    words: ["tools", "list", "--server", "eco"],
    exit: 2,
    code: "SERVER_NOT_FOUND",
    says: /No server 'eco' is configured\. Did you mean 'echo'\?/,
  },
  {
    title: "a tool for others is refused",
    words: ["call", "members.echo", "message=hi", "--user", "ann"],
    exit: 3,
    code: "FORBIDDEN",
    says: /ann may not \w+ 'members\.echo'/,
  },
  {
    title: "a server whose command does not exist is unavailable",
    words: ["call", "missing.echo", "message=hi"],
    exit: 4,
    code: "SERVER_UNAVAILABLE",
    says: /command 'no-such-command-anywhere' was not found\. Check 'command' and PATH/,
  },
  {
    title: "a call that takes too long times out",
    words: ["call", "echo.slow", "ms:=60000", "--timeout", "1"],
    exit: 4,
    code: "TIMEOUT",
    says: /within 1 s \(limit of the call\)/,
  },
  {
    title: "a tool that says no",
    words: ["call", "echo.fail", "reason=no"],
    exit: 1,
    code: "TOOL_ERROR",
    says: /no/,
  },
];

suite("mistakes on the command line", () => {
  let directory: TemporaryDirectory;
  const log = () => directory.file("log");

  before(async () => {
    directory = await temporaryDirectory();
    await writeConfig(directory, {
      echo: fixture("echo", ["--log", log()]),
      missing: { command: "no-such-command-anywhere" },
      members: fixture("echo", [], { groups: ["staff"] }),
    });
    await trustProject(
      { cwd: directory.path, env: { XDG_CONFIG_HOME: directory.path } },
      "--data-dir",
      directory.path,
    );
    await writeFile(directory.file("broken.json"), '{\n  "mcpServers": {\n    "a": oops\n  }\n}\n');
  });
  after(() => directory[Symbol.asyncDispose]());

  /** In the directory of the configuration, which is found there. */
  const run = (words: string[]) => {
    const env = { XDG_CONFIG_HOME: directory.path };
    return runCli([...words, "--data-dir", directory.path], { cwd: directory.path, env });
  };

  suite("each ends with one clear message and its exit code", { concurrency: 3 }, () => {
    for (const { title, words, exit, code, says, plainOnly } of cases) {
      test(`${title}: exit code ${exit}`, async () => {
        const plain = await run(words);
        assert.equal(plain.code, exit, plain.stderr);
        assert.equal(plain.stdout, "", "nothing but results on standard output");
        assert.match(plain.stderr, says);
        assert.ok((plain.stderr.match(/^(error|warning):/gm) ?? []).length <= 1, plain.stderr);
        assert.doesNotMatch(plain.stderr, /\n\s+at |[.?!]\.|undefined/);
        if (plainOnly) return;
        const machine = await run([...words, "--json"]);
        assert.equal(machine.code, exit);
        const { ok, error } = machine.json();
        assert.deepEqual([ok, error?.code], [false, code]);
        assert.match(error?.message ?? "", says);
      });
    }
  });

  test("nothing that was refused has reached the server", () => {
    const sent = callsAt(log()).map(({ name }) => String(name));
    assert.ok(sent.includes("fail"));
    assert.deepEqual(
      sent.filter((name) => !["fail", "slow"].includes(name)),
      [],
    );
  });
});
