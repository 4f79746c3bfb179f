import assert from "node:assert/strict";
import { appendFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { suite, test } from "node:test";
import type { Outcome } from "../../src/index.ts";
import { type TemporaryDirectory, temporaryDirectory } from "../fixtures/start-server.ts";
import { until } from "../fixtures/until.ts";
import {
  callsAt,
  processFixture as fixture,
  pidsIn,
  runCli,
  startCli,
  startServe,
  writeConfig,
} from "./support.ts";

type Line = Outcome & { line: number; id: unknown; input: string };

suite("a batch of calls", { concurrency: 2 }, () => {
  test("gives the results in the order of the calls, on one session, whatever becomes of each", async () => {
    await using world = await openWorld();
    const calls = [
      { id: "slow", tool: "fx.slow", arguments: { ms: 150 } },
      { tool: "fx.echo", arguments: { message: "two" } },
      { id: 3, tool: "fx.fail", arguments: { reason: "no" } },
      { tool: "fx.nowhere" },
      { tool: "fx.add", arguments: { a: "x" } },
    ];
    const { code, stdout, stderr } = await runCli(world.words(write(world, calls)));
    assert.equal(code, 1, stderr);
    const lines = parse(stdout);
    assert.deepEqual(
      lines.map(({ line, id, ok }) => [line, id, ok]),
      [
        [1, "slow", true],
        [2, null, true],
        [3, 3, false],
        [4, null, false],
        [5, null, false],
      ],
    );
    assert.deepEqual(
      lines.map(({ error }) => error?.code ?? null),
      [null, null, "TOOL_ERROR", "TOOL_NOT_FOUND", "INVALID_ARGUMENTS"],
    );
    assert.match(stderr, /5 calls: 2 succeeded, 3 failed\./);
    assert.equal(pidsIn(world.log).length, 1);
  });

  test("goes on after a kill -9 with what is not in the file yet, and takes a torn line away", async () => {
    await using world = await openWorld();
    const calls = [0, 1, 2, 3, 4, 5].map((at) => ({
      tool: "fx.slow",
      arguments: { ms: at === 3 ? 60_000 : 10 + at },
    }));
    const file = write(world, calls);
    const out = world.directory.file("out.jsonl");
    const { process: running, result } = startCli(
      world.words(file, "--out", out, "--parallel", "2"),
    );
    await until("five results", () => linesIn(out).length === 5);
    running.kill("SIGKILL");
    await result;
    appendFileSync(out, '{"line":4,"id":null,"inp');
    const before = callsAt(world.log).length;
    // The slow one is hurried along, so that only what has to be done again is waited for.
    calls[3] = { tool: "fx.slow", arguments: { ms: 5 } };
    const other = await runCli(world.words(write(world, calls), "--out", out, "--resume"));
    assert.equal(other.code, 0, other.stderr);
    assert.match(other.stderr, /6 calls \(5 done earlier\): 6 succeeded, 0 failed/);
    assert.equal(callsAt(world.log).length, before + 1);
    assert.deepEqual(
      parse(readFileSync(out, "utf8")).map(({ line }) => line),
      [1, 2, 3, 4, 5, 6],
    );
  });

  test("tries again what failed when it is asked to, and keeps one result of each", async () => {
    await using world = await openWorld();
    const file = write(world, [
      { tool: "fx.fail" },
      { tool: "fx.echo", arguments: { message: "x" } },
    ]);
    const out = world.directory.file("out.jsonl");
    await runCli(world.words(file, "--out", out));
    const again = await runCli([...world.words(file, "--out", out, "--retry-failed"), "--json"]);
    assert.deepEqual(again.json(), { ok: false, total: 2, failed: 1, doneBefore: 1, out });
    const made = callsAt(world.log).map(({ name }) => name);
    assert.deepEqual(made.toSorted(), ["echo", "fail", "fail"]);
    assert.equal(made.at(-1), "fail");
    assert.equal(parse(readFileSync(out, "utf8")).length, 2);
  });

  test("does not overwrite results, nor mix those of other calls", async () => {
    await using world = await openWorld();
    const out = world.directory.file("out.jsonl");
    const file = write(world, [{ tool: "fx.echo", arguments: { message: "x" } }]);
    assert.equal((await runCli(world.words(file, "--out", out))).code, 0);
    const twice = await runCli(world.words(file, "--out", out));
    assert.match(
      twice.stderr,
      /has results already\. --resume goes on with it, --force overwrites it/,
    );
    write(world, [{ tool: "fx.echo", arguments: { message: "y" } }]);
    const other = await runCli(world.words(file, "--out", out, "--resume"));
    assert.match(other.stderr, /was made from another input: line 1 is not what it was/);
    writeFileSync(out, "my notes\n");
    const foreign = await runCli(world.words(file, "--out", out, "--resume"));
    assert.match(foreign.stderr, /Line 1 of .* is not a result that Toolplane wrote/);
    assert.equal(readFileSync(out, "utf8"), "my notes\n");
    assert.deepEqual([twice.code, other.code, foreign.code], [2, 2, 2]);
  });

  test("what is wrong with any line is reported before anything is called", async () => {
    await using world = await openWorld();
    const file = world.directory.file("calls.jsonl");
    writeFileSync(
      file,
      '{"tool":"fx.echo"}\n{"tol":"fx.echo"}\n\n[]\n{bad\n{"id":1,"tool":"a"}\n{"id":1,"tool":"b"}\n',
    );
    const { code, stderr } = await runCli(world.words(file));
    assert.equal(code, 2);
    for (const said of [
      /line 2: 'tol' is not known here; did you mean 'tool'\?/,
      /line 4: it must be an object/,
      /line 5: it is not valid JSON/,
      /line 7: the id '1' is that of line 6 already/,
    ])
      assert.match(stderr, said);
    const empty = await runCli(world.words("-"), { input: "\n" });
    assert.match(empty.stderr, /'-' is empty/);
    const homeless = await runCli(world.words("-", "--resume"), { input: '{"tool":"fx.echo"}' });
    assert.match(homeless.stderr, /are about a file of results: add --out FILE/);
    const parallel = await runCli(world.words(file, "--parallel", "0"));
    assert.match(parallel.stderr, /Give an integer from 1 to 256/);
    assert.deepEqual(existsSync(world.log) ? callsAt(world.log) : [], []);
  });

  test("uses the plane that serves, and its sessions", async () => {
    await using world = await openWorld();
    await using _serving = await startServe(world.config, world.directory.file("data"));
    const calls = Array.from({ length: 20 }, (_, at) => ({
      tool: "fx.add",
      arguments: { a: at, b: 1 },
    }));
    const { code, stdout, stderr } = await runCli(world.words(write(world, calls)));
    assert.equal(code, 0, stderr);
    assert.deepEqual(
      parse(stdout).map(({ result }) => result?.structuredContent),
      calls.map((_, at) => ({ sum: at + 1 })),
    );
    assert.equal(pidsIn(world.log).length, 1);
  });
});

type World = AsyncDisposable & {
  directory: TemporaryDirectory;
  config: string;
  log: string;
  words(file: string, ...flags: string[]): string[];
};

async function openWorld(): Promise<World> {
  const directory = await temporaryDirectory();
  const log = directory.file("log");
  const config = await writeConfig(directory, { fx: fixture("echo", ["--log", log]) });
  const where = ["--config", config, "--data-dir", directory.file("data")];
  return {
    directory,
    config,
    log,
    words: (file, ...flags) => ["batch", file, ...flags, ...where],
    [Symbol.asyncDispose]: () => directory[Symbol.asyncDispose](),
  };
}

function write({ directory }: World, calls: readonly object[]): string {
  const file = directory.file("calls.jsonl");
  writeFileSync(file, calls.map((call) => `${JSON.stringify(call)}\n`).join(""));
  return file;
}

function parse(text: string): Line[] {
  return text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Line);
}

function linesIn(file: string): string[] {
  return existsSync(file) ? readFileSync(file, "utf8").split("\n").slice(0, -1) : [];
}
