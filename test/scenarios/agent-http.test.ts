import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { type Script, type ScriptedModel, startScriptedModel } from "../fixtures/llm-script.ts";
import { readSse } from "../fixtures/read-sse.ts";
import { type TemporaryDirectory, temporaryDirectory } from "../fixtures/start-server.ts";
import {
  fixture,
  type RunningServe,
  runCli,
  startServe,
  untilLogged,
  writeConfig,
} from "./support.ts";

const addsAndTells: Script = [
  { kind: "tools", reasoning: "I add.", calls: [{ name: "fx__add", arguments: { a: 17, b: 25 } }] },
  { kind: "text", text: "17 plus 25 is 42." },
];

type Told = Record<string, unknown> & { history: { role: string }[] };

suite("POST /agent", { concurrency: 2 }, () => {
  test("answers, and goes on with the conversation that it answered with", async () => {
    await using world = await openWorld([...(addsAndTells as []), { kind: "text", text: "42." }]);
    const first = await world.ask({ question: "What is 17 plus 25?", trace: "all_messages" });
    assert.equal(first.status, 200);
    const { answer, outcome, turns, usage, history, trace } = (await first.json()) as Told;
    assert.deepEqual([answer, outcome, turns], ["17 plus 25 is 42.", "completed", 1]);
    assert.deepEqual(usage, { inputTokens: 20, outputTokens: 10, totalTokens: 30 });
    assert.equal((trace as { messages: unknown[] }).messages.length, 4);
    const second = (await (await world.ask({ question: "Again?", history })).json()) as Told;
    assert.deepEqual(
      second.history.map(({ role }) => role),
      ["user", "assistant", "tool", "assistant", "user", "assistant"],
    );
    assert.equal((world.model.requests[2]?.body.messages as unknown[] | undefined)?.length, 5);
  });

  test("tells what the agent says as it says it, and all of the answer with the last event", async () => {
    await using world = await openWorld(addsAndTells);
    const response = await world.ask(
      { question: "What is 17 plus 25?" },
      { accept: "text/event-stream" },
    );
    assert.match(response.headers.get("content-type") ?? "", /^text\/event-stream/);
    const { told, ids } = await readAll(response);
    const ends = told.filter(({ end }) => end === true);
    assert.deepEqual(
      ends.map(({ type }) => type),
      ["thought", "action", "observation", "answer"],
    );
    assert.deepEqual(
      ids,
      told.map((_, at) => String(at + 1)),
    );
    const answer = told.filter(({ type }) => type === "answer");
    assert.equal(answer.map(({ text }) => text).join(""), "17 plus 25 is 42.");
    assert.equal(new Set(answer.map(({ id }) => id)).size, 1);
    assert.deepEqual(
      told.map(({ endOfDialog }) => endOfDialog === true),
      told.map((_, at) => at === told.length - 1),
    );
    const last = told.at(-1);
    assert.deepEqual(last?.usage, { inputTokens: 20, outputTokens: 10, totalTokens: 30 });
    assert.deepEqual([last?.outcome, last?.history.length], ["completed", 4]);
    assert.deepEqual(
      [last?.message_type, last?.end_of_message, last?.end_of_dialog],
      ["answer", true, true],
    );
    assert.equal(last?.message_id, last?.id);
  });

  test("a client that goes away cancels the run and its calls", async () => {
    const waits: Script = () => ({
      kind: "tools",
      reasoning: "I wait.",
      calls: [{ name: "fx__slow", arguments: { ms: 60_000 } }],
    });
    await using world = await openWorld(waits);
    for (const [at, accept] of ["text/event-stream", "application/json"].entries()) {
      const leave = new AbortController();
      const asked = world.ask({ question: `Wait ${accept}` }, { accept, signal: leave.signal });
      const seen = asked.then(async (response) => readAll(response)).catch(() => undefined);
      await untilLogged(world.log, count("tools/call", at + 1));
      leave.abort();
      await seen;
      await untilLogged(world.log, count("notifications/cancelled", at + 1));
    }
  });

  test("a body that makes no sense is refused by name, and nothing is asked", async () => {
    await using world = await openWorld([]);
    const cases: [unknown, RegExp][] = [
      ["{", /not valid JSON/],
      ["[]", /must be an object/],
      [{}, /'question': say what to answer/],
      [{ question: "" }, /'question': say what to answer/],
      [{ question: "x", qestion: "y" }, /unknown field 'qestion'\. Did you mean 'question'\?/],
      [{ question: "x", style: "fast" }, /'style': give one of tools, react/],
      [{ question: "x", trace: "some" }, /'trace': give one of none/],
      [{ question: "x", maxTurns: 0 }, /'maxTurns'/],
      [{ question: "x", budgets: { maxMoney: 1 } }, /maxMoney|budgets/],
      [{ question: "x", groups: ["a"], toolGroups: ["b"] }, /are the same; give one of them/],
      [{ question: "x", history: "said" }, /'history'/],
      [{ question: "x", history: [{ role: "oracle", content: "" }] }, /role|oracle/],
    ];
    for (const [body, said] of cases)
      for (const accept of ["application/json", "text/event-stream"]) {
        const response = await world.ask(body, { accept });
        const { detail, code } = (await response.json()) as { detail: string; code: string };
        assert.deepEqual([response.status, code], [400, "USAGE"], JSON.stringify(body));
        assert.match(detail, said);
      }
    for (const body of [
      { question: "x", toolset: "none" },
      { question: "x", model: "none" },
    ]) {
      const response = await world.ask(body, { accept: "text/event-stream" });
      assert.ok(response.status >= 400 && response.status < 500, String(response.status));
      await response.text();
    }
    assert.equal(world.model.requests.length, 0);
  });

  test("a model that fails is a problem with the code of what happened, in both ways of asking", async () => {
    await using world = await openWorld(() => ({
      kind: "error",
      status: 401,
      message: "the key sk-secret-1234567 is wrong",
    }));
    const response = await world.ask({ question: "Hello?" });
    const text = await response.text();
    assert.ok(response.status >= 400, text);
    assert.equal((JSON.parse(text) as Told).outcome, "failed");
    assert.doesNotMatch(text, /sk-secret/);
    const { told } = await readAll(
      await world.ask({ question: "Hello?" }, { accept: "text/event-stream" }),
    );
    const last = told.at(-1);
    assert.deepEqual([last?.type, last?.outcome, last?.endOfDialog], ["error", "failed", true]);
    assert.doesNotMatch(JSON.stringify(told), /sk-secret/);
  });

  test("takes a credential where one is needed, and the right to call", async () => {
    await using directory = await temporaryDirectory();
    await using model = await startScriptedModel({
      responses: () => ({ kind: "text", text: "Hello." }),
    });
    const models = { default: { baseURL: model.url, model: "scripted" } };
    const config = await writeConfig(directory, { fx: fixture("echo") }, { models });
    const create = async (scope: string) => {
      const words = ["keys", "create", scope, "--scope", scope, "--json", "--config", config];
      const made = await runCli([...words, "--data-dir", directory.file("data")]);
      return (made.json() as { secret?: string }).secret ?? assert.fail(made.stdout + made.stderr);
    };
    const keys = { call: await create("call"), read: await create("read") };
    await using serving = await startServe(config, directory.file("data"));
    const ask = (key?: string) =>
      fetch(`${serving.url}/agent`, {
        method: "POST",
        body: JSON.stringify({ question: "Hello?" }),
        headers: key === undefined ? {} : { authorization: `Bearer ${key}` },
      });
    const statuses = [];
    for (const key of [undefined, keys.read, keys.call]) {
      const response = await ask(key);
      await response.text();
      statuses.push(response.status);
    }
    assert.deepEqual(statuses, [401, 403, 200]);
  });
});

/** True from the entry on with which so many of them hold the text. */
function count(text: string, wanted: number): (entry: unknown) => boolean {
  let found = 0;
  const seen = new Set<string>();
  return (entry) => {
    const line = JSON.stringify(entry);
    if (line.includes(text) && !seen.has(line)) {
      seen.add(line);
      found += 1;
    }
    return found >= wanted;
  };
}

async function readAll(response: Response): Promise<{ told: Told[]; ids: string[] }> {
  const told: Told[] = [];
  const ids: string[] = [];
  await readSse(
    response,
    (message) => told.push(message as unknown as Told),
    (id) => ids.push(id),
  );
  return { told, ids };
}

type World = AsyncDisposable & {
  directory: TemporaryDirectory;
  model: ScriptedModel;
  log: string;
  ask(body: unknown, more?: { accept?: string; signal?: AbortSignal }): Promise<Response>;
};

async function openWorld(responses: Script): Promise<World> {
  const directory = await temporaryDirectory();
  const model = await startScriptedModel({ responses });
  const log = directory.file("log");
  const models = { default: { baseURL: model.url, model: "scripted" } };
  const config = await writeConfig(directory, { fx: fixture("echo", ["--log", log]) }, { models });
  const serving: RunningServe = await startServe(config, directory.file("data"));
  return {
    directory,
    model,
    log,
    ask: (body, { accept = "application/json", signal } = {}) =>
      fetch(`${serving.url}/agent`, {
        method: "POST",
        headers: { accept },
        body: typeof body === "string" ? body : JSON.stringify(body),
        ...(signal ? { signal } : {}),
      }),
    async [Symbol.asyncDispose]() {
      await serving.stop();
      await model.close();
      await directory[Symbol.asyncDispose]();
    },
  };
}
