import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { text } from "node:stream/consumers";
import { after, before, suite, test } from "node:test";
import { commandLineFile } from "../fixtures/bundled.ts";
import { type TemporaryDirectory, temporaryDirectory } from "../fixtures/start-server.ts";
import {
  type CliResult,
  processFixture as fixture,
  runCli,
  startCli,
  writeConfig,
} from "./support.ts";

suite("a person who has never seen it", () => {
  test("who begins without a terminal has something to call at once", async () => {
    await using directory = await temporaryDirectory();
    const env = { HOME: directory.path, XDG_DATA_HOME: directory.file("data") };
    const run = (...words: string[]) => runCli(words, { cwd: directory.path, env });
    assert.match((await run("init")).stdout, /Wrote .*toolplane\.json\nNext: toolplane tools list/);
    assert.equal((await run("call", "demo.add", "a:=1", "b:=2")).stdout, "3\n");
  });

  test("a reader that has read enough of an export is no failure of ours", async () => {
    await using directory = await temporaryDirectory();
    const words = ["state", "export", "--data-dir", directory.file("data")];
    const child = spawn(process.execPath, [commandLineFile, ...words], {
      stdio: ["ignore", "pipe", "pipe"],
    });
    child.stdout.destroy();
    const [[code], said] = await Promise.all([once(child, "close"), text(child.stderr)]);
    assert.deepEqual([code, said], [141, ""]);
  });

  test("where nothing is configured to list, it is said where to look", async () => {
    await using directory = await temporaryDirectory();
    const config = await writeConfig(directory, {});
    const run = (...words: string[]) =>
      runCli([...words, "--config", config, "--data-dir", directory.file("data")]);
    const [list, server] = await Promise.all([
      run("tools", "list"),
      run("servers", "show", "nowhere"),
    ]);
    assert.match(list.stdout, /^The catalogue is empty\. 'toolplane servers list' shows why/);
    assert.match(server.stderr, /No server 'nowhere' is configured\. 'toolplane servers list'/);
  });

  test("a check of a project that is not trusted yet does not say that no server is configured", async () => {
    await using directory = await temporaryDirectory();
    await writeConfig(directory, { desk: fixture("echo") });
    const env = { HOME: directory.file("home"), XDG_CONFIG_HOME: directory.file("config") };
    const { code, stdout } = await startCli(["config", "validate"], { cwd: directory.path, env })
      .result;
    assert.equal(code, 0, stdout);
    assert.match(stdout, /not trusted yet, so it goes without 1 server \(desk\)/);
    assert.doesNotMatch(stdout, /no server is configured/);
  });

  test("a client that cannot be connected leaves no directory behind", async () => {
    await using directory = await temporaryDirectory();
    const env = { HOME: directory.file("home"), XDG_CONFIG_HOME: directory.file("config") };
    const { code, stderr } = await startCli(["connect", "cursor"], { cwd: directory.path, env })
      .result;
    assert.equal(code, 2, stderr);
    assert.match(stderr, /Cursor is not on this machine/);
    assert.equal(existsSync(directory.file("home/.cursor")), false);
  });
});

suite("a newcomer at the command line", { concurrency: 2 }, () => {
  let directory: TemporaryDirectory;
  const run = (...words: string[]): Promise<CliResult> =>
    runCli(words, {
      cwd: directory.path,
      env: {
        HOME: directory.path,
        XDG_DATA_HOME: directory.file("data"),
        XDG_CONFIG_HOME: directory.path,
      },
    });
  before(async () => {
    directory = await temporaryDirectory();
    const [planned, called] = await Promise.all([
      run("plan", "make", "greet Ann"),
      run("call", "demo.greet"),
    ]);
    for (const { code, stdout, stderr } of [planned, called]) {
      assert.deepEqual([code, stdout], [2, ""], "one rule: what is not configured is not there");
      assert.match(stderr, /^error: No configuration found\./);
    }
    assert.equal((await run("init")).code, 0);
  });
  after(() => directory[Symbol.asyncDispose]());

  test("init names the program and not where it lies, and its servers start", async () => {
    const text = await readFile(directory.file("toolplane.json"), "utf8");
    assert.match(text, /"command": "toolplane",\n\s+"args": \["demo"\]/);
    assert.ok(!text.includes(process.execPath), text);
    const added = await run("call", "demo.add", "a=1", "b=2");
    assert.deepEqual(
      [added.code, added.stdout, added.stderr],
      [0, "3\n", ""],
      "numbers by the schema",
    );
  });

  test("what is wrong with the words of a call is said with the right ones", async () => {
    const [wrong, option, unknown] = await Promise.all([
      run("call", "demo.add", "a=x", "b=2"),
      run("call", "demo.greet", "--name", "Ann Lee"),
      run("explain", "timeot"),
    ]);
    assert.match(wrong.stderr, /\n'a' must be a number: write a:=1\n$/);
    assert.match(option.stderr, /has no option --name\. Write tool arguments as name='Ann Lee'\./);
    assert.match(unknown.stderr, /No error code 'timeot'\. Did you mean 'TIMEOUT'\?/);
    assert.deepEqual([wrong.code, option.code, unknown.code], [2, 2, 2]);
  });

  test("a call with --plan is queued, says where, and is no failure", async () => {
    const first = await run("call", "demo.add_note", "note=milk", "--plan");
    assert.deepEqual([first.code, first.stderr], [0, ""]);
    const [, id = ""] =
      /^Queued as change 1 of plan (\w{8})\. See it: toolplane plan show \1\n$/.exec(
        first.stdout,
      ) ?? [];
    const second = await run("call", "demo.add_note", "note=tea", "--plan", "--json");
    assert.deepEqual([second.code, second.json().error?.code], [0, "PLAN_QUEUED"]);
    const shown = await run("plan", "show", id);
    assert.match(shown.stdout, /note: milk[\s\S]*note: tea/);
  });

  test("a script of calls has its values by the schema, too", async () => {
    const script = directory.file("sum.sh");
    await writeFile(script, "#!/usr/bin/env bash\ntoolplane call demo.add a=1 b=2\n");
    const ran = await run("plan", "run", script);
    assert.deepEqual([ran.code, ran.stdout], [0, "3\n"], ran.stderr);
  });

  test("explain prints the page of an error without any file beside the program", async () => {
    const [page, data, all] = await Promise.all([
      run("explain", "[plan_queued]"),
      run("explain", "TIMEOUT", "--json"),
      run("explain", "--json"),
    ]);
    assert.match(
      page.stdout,
      /^PLAN_QUEUED\nThe call was queued[\s\S]*\nWhat to do\n\n- Look at the plan/,
    );
    const { code, exit, retryable, page: text } = data.json();
    assert.deepEqual([code, exit, retryable], ["TIMEOUT", 4, true]);
    assert.match(String(text), /^## What happened\n/);
    assert.ok((all.json().errors as unknown[]).length > 30);
  });

  test("stats says what would be saved where definitions are given whole", async () => {
    const { stdout } = await run("stats");
    assert.match(stdout, /^SERVER +TOOLS +FULL +SUMMARY +IF LAZY +WOULD SAVE\n/);
    assert.match(stdout, /Definitions are given whole/);
  });

  test("an export to - goes to standard output", async () => {
    const { code, stdout, stderr } = await run("state", "export", "-");
    assert.deepEqual([code, JSON.parse(stdout.split("\n")[0] ?? "") !== null], [0, true]);
    assert.match(stderr, /^Exported [\d,]+ rows?\.\n$/);
  });

  test("an address with a mistyped scheme is no command", async () => {
    const { code, stderr } = await run("servers", "add", "x", "htp:/x");
    assert.deepEqual(
      [code, stderr],
      [2, "error: 'htp:/x' is not a URL; start it with http:// or https:// [USAGE]\n"],
    );
  });
});
