import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { after, before, suite, test } from "node:test";
import { processEnvironment } from "../../src/config/environment.ts";
import { createSetup } from "../../src/config/setup.ts";
import { serve } from "../../src/faces/http/serve.ts";
import { createPlane } from "../../src/index.ts";
import { type TemporaryDirectory, temporaryDirectory } from "../fixtures/start-server.ts";
import { type CliResult, fixture, namedServer, runCli, writeConfig } from "../scenarios/support.ts";

suite("a newcomer at the command line", { concurrency: 2 }, () => {
  let directory: TemporaryDirectory;
  const run = (...words: string[]): Promise<CliResult> =>
    runCli(words, {
      cwd: directory.path,
      env: { HOME: directory.path, XDG_DATA_HOME: directory.file("data"), XDG_CONFIG_HOME: directory.path },
    });
  before(async () => {
    directory = await temporaryDirectory();
    const [planned, called] = await Promise.all([run("plan", "make", "greet Ann"), run("call", "demo.greet")]);
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
    assert.deepEqual([added.code, added.stdout, added.stderr], [0, "3\n", ""], "numbers by the schema");
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
      /^Queued as change 1 of plan (\w{8})\. See it: toolplane plan show \1\n$/.exec(first.stdout) ?? [];
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
    assert.match(page.stdout, /^PLAN_QUEUED\nThe call was queued[\s\S]*\nWhat to do\n\n- Look at the plan/);
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
    assert.deepEqual([code, stderr], [2, "error: 'htp:/x' is not a URL; start it with http:// or https:// [USAGE]\n"]);
  });
});

test("problems of the configuration are counted in one line, and one alone is reported", async () => {
  await using directory = await temporaryDirectory();
  const tools = (...more: string[]) =>
    runCli(["tools", "list", "--data-dir", directory.file("data"), "--config", ...more]);
  const many = await writeConfig(directory, {
    named: namedServer("named", ["a"]),
    bad: { comand: "x" },
    worse: { command: "x", timeoutMs: -1, transport: "zap" },
  });
  const { stdout, stderr } = await tools(many);
  assert.match(stdout, /named\.a/);
  const told = stderr.split("\n").filter((line) => line.includes("config"));
  assert.equal(told.length, 1, stderr);
  assert.match(
    told[0] ?? "",
    /^warning: The configuration has \d errors? and 1 warning\. Run: toolplane config validate --config /,
  );
  const one = directory.file("one.json");
  await writeFile(one, JSON.stringify({ mcpServers: { named: namedServer("named", ["a"]) }, polcy: {} }));
  assert.match((await tools(one)).stderr, /^warning: .*one\.json:1: polcy: .* Did you mean 'policy'\?\n$/);
});

test("a file whose servers are not found because of a misspelled key is wrong, and one without servers worth a warning", async () => {
  await using directory = await temporaryDirectory();
  const check = async (content: object) => {
    const file = directory.file("check.json");
    await writeFile(file, JSON.stringify(content));
    const where = { files: [file], directory: directory.path, platform: process.platform };
    return createSetup({ ...where, environment: processEnvironment(), program: ["toolplane"] }).check();
  };
  const misspelled = await check({ mcpServer: { echo: fixture("echo") } });
  assert.equal(misspelled.ok, false);
  const error = misspelled.problems.find(({ severity }) => severity === "error");
  assert.deepEqual([error?.path, error?.hint], ["mcpServer", "Did you mean 'mcpServers'?"]);
  const empty = await check({ mcpServers: {} });
  assert.deepEqual(
    [empty.ok, empty.problems.map(({ severity, message }) => [severity, message])],
    [true, [["warning", "no server is configured"]]],
  );
  assert.deepEqual((await check({ mcpServers: { echo: fixture("echo") } })).problems, []);
});

test("a port that is in use is named with who has it and what to do", async () => {
  await using plane = await createPlane({ config: {} });
  const first = await serve(plane, { host: "127.0.0.1", port: 0, workbench: import.meta.dirname });
  const other = createServer((socket) => socket.destroy());
  await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
  try {
    const port = Number(new URL(first.url).port);
    await assert.rejects(serve(plane, { host: "127.0.0.1", port }), {
      code: "USAGE",
      message: `Port ${port} of 127.0.0.1 is in use by another Toolplane, at ${first.url}. Use that one, stop it, or choose another port with --port, 0 for any free one.`,
    });
    const { port: taken } = other.address() as { port: number };
    await assert.rejects(serve(plane, { host: "127.0.0.1", port: taken }), {
      message: new RegExp(`^Port ${taken} of 127\\.0\\.0\\.1 is in use by another program\\. Stop it,`),
    });
  } finally {
    other.close();
    await first.close();
  }
});
