import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { inMemory } from "../../src/testing/testing.ts";
import { type RunningGateway, startGateway } from "../fixtures/conformance/start-gateway.ts";
import { type Era, EraClient } from "../fixtures/era-client.ts";
import { fixtureInMemory } from "../fixtures/servers/in-memory.ts";
import { type HttpFixture, startHttpFixture } from "../fixtures/start-server.ts";
import { until } from "../fixtures/until.ts";
import { planeOf, processFixture, textsOf } from "./support.ts";

const eras: readonly Era[] = ["legacy", "modern"];
const transports = ["stdio", "http", "websocket", "memory"] as const;
const kinds: readonly { kind: string; era: Era; words: string[] }[] = [
  { kind: "legacy", era: "legacy", words: [] },
  { kind: "modern", era: "modern", words: [] },
  { kind: "tasks", era: "modern", words: ["--tasks"] },
];
const servers = kinds.flatMap(({ kind, ...one }) =>
  transports.map((transport) => ({ name: `${transport}_${kind}`, transport, ...one })),
);
type Served = (typeof servers)[number];
const colour = { action: "accept" as const, content: { colour: "red" } };

const fixtureName = "both-eras";
const started: HttpFixture[] = [];
let gateway: RunningGateway;

async function entryOf({ transport, era, words }: Served) {
  const protocol = { protocol: era };
  if (transport === "memory")
    return { ...inMemory(fixtureInMemory(fixtureName, words)), ...protocol };
  if (transport === "stdio") return processFixture(fixtureName, words, protocol);
  const remote = await startHttpFixture(fixtureName, [
    ...(transport === "http" ? ["--http", era] : ["--websocket"]),
    ...words,
  ]);
  started.push(remote);
  return { url: remote.url, ...protocol };
}

before(async () => {
  const entries = await Promise.all(
    servers.map(async (served) => [served.name, await entryOf(served)] as const),
  );
  const known = Object.fromEntries(entries);
  gateway = await startGateway(known, { plane: { answersQuestions: true } });
  const { plane } = gateway;
  await plane.tools.list();
  plane.on("question.asked", ({ questionId }) => void plane.questions.answer(questionId, colour));
});

after(async () => {
  await gateway[Symbol.asyncDispose]();
  await Promise.all(started.map(({ stop }) => stop()));
});

/** How many of the calls that `run` makes took the short way. */
async function countDirect(server: string, run: () => Promise<void>): Promise<number> {
  const counted = () => gateway.plane.servers.poolInfo().direct[server] ?? 0;
  const before = counted();
  await run();
  return counted() - before;
}

type Call = (tool: string) => Promise<{ text: unknown; progress: unknown[] }>;

/** A plain call, one with progress and one with a question: all end right, and all take the short way. */
async function takesShortWay(server: string, call: Call, rounds = 1): Promise<void> {
  // The first call of a caller may open a session.
  await call("plain");
  const times = await countDirect(server, async () => {
    assert.deepEqual(await call("plain"), { text: "plain", progress: [] });
    assert.deepEqual(await call("count"), { text: "counted", progress: [1, 2] });
    assert.deepEqual(await call("ask"), { text: "red", progress: [] });
  });
  assert.equal(times, 2 + rounds);
}

const byLibrary =
  (server: string): Call =>
  async (tool) => {
    const progress: number[] = [];
    const relay = {
      onProgress: (report: { progress: number }) => void progress.push(report.progress),
    };
    const outcome = await gateway.plane.call(`${server}.${tool}`, {}, { relay });
    return { text: textsOf(outcome)[0], progress };
  };

async function byGateway(server: string, era: Era): Promise<Call> {
  const options = { capabilities: { elicitation: { form: {} } }, answer: () => colour };
  const client = await EraClient.open(gateway.url, era, options);
  return async (tool) => {
    const name = `${server}__${tool}`;
    if (tool === "ask")
      return { text: textsOf({ result: (await client.call(name)) as never })[0], progress: [] };
    const params = { name, arguments: {}, _meta: { progressToken: "mine" } };
    const { notifications, reply } = await client.exchange("tools/call", params);
    const told = notifications.filter(({ method }) => method === "notifications/progress");
    return {
      text: textsOf({ result: reply.result as never })[0],
      progress: told.map((one) => one.params?.progress),
    };
  };
}

suite("a call on an open session is sent at once", () => {
  for (const { name, era: serverEra } of servers) {
    test(`to ${name}, by the library`, () => takesShortWay(name, byLibrary(name)));
    for (const era of eras) {
      // Between these the answer to a question is another call.
      const rounds = era === "modern" && serverEra === "modern" ? 2 : 1;
      test(`to ${name}, by a ${era} client`, async () =>
        takesShortWay(name, await byGateway(name, era), rounds));
    }
  }

  test("one that has to wait for its turn is not, and ends as well", async () => {
    const entry = { ...inMemory(fixtureInMemory(fixtureName, [])), maxConcurrency: 1 };
    await using plane = await planeOf({ one: entry }, { answersQuestions: true });
    await plane.call("one.plain");
    const counted = () => plane.servers.poolInfo().direct.one ?? 0;
    const before = counted();
    const asked = new Promise<string>((resolve) => {
      plane.on("question.asked", ({ questionId }) => resolve(questionId));
    });
    const first = plane.call("one.ask");
    const questionId = await asked;
    const second = plane.call("one.plain");
    await until(
      "the second call waits",
      async () => (await plane.servers.get("one")).pending === 2,
    );
    await plane.questions.answer(questionId, colour);
    assert.deepEqual((await Promise.all([first, second])).flatMap(textsOf), ["red", "plain"]);
    assert.equal(counted() - before, 1);
  });
});
