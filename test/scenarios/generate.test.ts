import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { suite, test } from "node:test";
import { type Script, type ScriptedModel, startScriptedModel } from "../fixtures/llm-script.ts";
import { type TemporaryDirectory, temporaryDirectory } from "../fixtures/start-server.ts";
import { until } from "../fixtures/until.ts";
import { agentWorld } from "./agent-world.ts";
import { processFixture as fixture, pidsIn, runCli, startCli, writeConfig } from "./support.ts";

/** Adds one to the number in the prompt, by way of the tool, and tells. */
const addsOne: Extract<Script, (...args: never[]) => unknown> = ({ messages }) => {
  const last = (messages as { role: string; content: string }[]).at(-1);
  if (last?.role === "tool")
    return { kind: "text", text: `It is ${/\d+/.exec(last.content)?.[0]}.` };
  const number = Number(/\d+/.exec(last?.content ?? "")?.[0]);
  if (number === 13) return { kind: "error", status: 400, message: "not that one" };
  return { kind: "tools", calls: [{ name: "fx__add", arguments: { a: number, b: 1 } }] };
};

type Line = {
  line: number;
  id: unknown;
  ok: boolean;
  answer: string;
  outcome: string;
  run: unknown;
};

suite("a batch of prompts", { concurrency: 2 }, () => {
  test("answers each with tools, in the order of the prompts, on one session and with one trace", async () => {
    await using world = await openWorld(addsOne);
    const trace = world.directory.file("runs.jsonl");
    const out = world.directory.file("answers.jsonl");
    const file = write(world, [...Array(12).keys(), 13]);
    const { code, stderr } = await runCli(world.words(file, "--out", out, "--trace", trace));
    assert.equal(code, 1, stderr);
    const lines = parse(out);
    assert.deepEqual(
      lines.map(({ id, answer }) => [id, answer]),
      [...[...Array(12).keys()].map((at) => [`p${at}`, `It is ${at + 1}.`]), ["p13", null]],
    );
    assert.deepEqual([lines.at(-1)?.ok, lines.at(-1)?.outcome], [false, "failed"]);
    const runs = parse(trace).map(({ line, run }) => [
      line,
      (run as { question: string }).question,
    ]);
    assert.deepEqual(
      runs,
      lines.map(({ line }) => [line, `What is ${line === 13 ? 13 : line - 1} plus one?`]),
    );
    assert.equal(pidsIn(world.log).length, 1);
    assert.match(stderr, /13 prompts: 12 succeeded, 1 failed/);
  });

  test("goes on after a kill -9 without asking again for what is answered", async () => {
    let isHeld = true;
    const holds: Script = (body, at) =>
      isHeld && JSON.stringify(body.messages).includes("What is 5 ")
        ? { kind: "hang", text: "I" }
        : addsOne(body, at);
    await using world = await openWorld(holds);
    const out = world.directory.file("answers.jsonl");
    const trace = world.directory.file("runs.jsonl");
    const words = world.words(
      write(world, [...Array(8).keys()]),
      "--out",
      out,
      "--trace",
      trace,
      "--parallel",
      "3",
    );
    const { process: running, result } = startCli(words);
    await until(
      "seven answers",
      () => existsSync(out) && readFileSync(out, "utf8").split("\n").length === 8,
    );
    running.kill("SIGKILL");
    await result;
    isHeld = false;
    const asked = world.model.requests.length;
    const { code, stderr } = await runCli([...words, "--resume"]);
    assert.equal(code, 0, stderr);
    assert.equal(world.model.requests.length, asked + 2);
    assert.deepEqual(
      parse(out).map(({ answer }) => answer),
      [...Array(8).keys()].map((at) => `It is ${at + 1}.`),
    );
    assert.deepEqual(
      parse(trace).map(({ line }) => line),
      [1, 2, 3, 4, 5, 6, 7, 8],
    );
  });

  test("what nothing has is said before anything is asked", async () => {
    await using world = await openWorld(addsOne);
    const file = write(world, [1]);
    const toolset = await runCli(world.words(file, "--toolset", "none"));
    assert.match(toolset.stderr, /No toolset 'none' is configured/);
    writeFileSync(file, '{"prompt": "x", "model": "defalt"}\n');
    assert.match(
      (await runCli(world.words(file))).stderr,
      /No model 'defalt' is configured\. Did you mean 'default'\?/,
    );
    writeFileSync(file, '{"prompt": "x", "style": "fast", "maxTurns": -1}\n{"promt": "x"}\n');
    const { stderr } = await runCli(world.words(file));
    assert.match(
      stderr,
      /line 1: 'style' must be tools or react or [^;]+; line 2: 'promt' is not known here; did you mean 'prompt'/,
    );
    assert.equal(world.model.requests.length, 0);
  });
});

suite("generateAll", () => {
  test("gives results in order, tells what could not begin in its place, and shares what is said once", async () => {
    await using world = await agentWorld(addsOne, { fx: fixture("echo") });
    const requests = [
      "What is 1 plus one?",
      { prompt: "What is 2 plus one?" },
      { prompt: "x", toolset: "none" },
      "What is 4?",
    ];
    const results = await Array.fromAsync(
      world.plane.agent.generateAll(requests, { parallel: 2, system: "You count." }),
    );
    assert.deepEqual(
      results.map(({ index, generation, error }) => [
        index,
        generation?.value ?? null,
        error?.code ?? null,
      ]),
      [
        [0, "It is 2.", null],
        [1, "It is 3.", null],
        [2, null, "NOT_FOUND"],
        [3, "It is 5.", null],
      ],
    );
    assert.ok(
      world.model.requests.every(({ body }) => JSON.stringify(body).includes("You count.")),
    );
    assert.throws(() => world.plane.agent.generateAll([], { parallel: 0 }), { code: "USAGE" });
  });
});

type World = AsyncDisposable & {
  directory: TemporaryDirectory;
  model: ScriptedModel;
  log: string;
  words(file: string, ...flags: string[]): string[];
};

async function openWorld(responses: Script): Promise<World> {
  const directory = await temporaryDirectory();
  const model = await startScriptedModel({ responses });
  const log = directory.file("log");
  const models = { default: { baseURL: model.url, model: "scripted" } };
  const config = await writeConfig(directory, { fx: fixture("echo", ["--log", log]) }, { models });
  const where = ["--config", config, "--data-dir", directory.file("data")];
  return {
    directory,
    model,
    log,
    words: (file, ...flags) => ["generate", file, ...flags, ...where],
    async [Symbol.asyncDispose]() {
      await model.close();
      await directory[Symbol.asyncDispose]();
    },
  };
}

function write({ directory }: World, numbers: readonly number[]): string {
  const file = directory.file("prompts.jsonl");
  const lines = numbers.map((at) =>
    JSON.stringify({ id: `p${at}`, prompt: `What is ${at} plus one?` }),
  );
  writeFileSync(file, `${lines.join("\n")}\n`);
  return file;
}

function parse(file: string): Line[] {
  return readFileSync(file, "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Line);
}
