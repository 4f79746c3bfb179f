import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { PassThrough } from "node:stream";
import { suite, test } from "node:test";
import { serveStdio } from "../../src/faces/gateway/serve-stdio.ts";
import { type AttachedSession, attach, type Greeting } from "../../src/faces/socket/attachment.ts";
import { runFront } from "../../src/faces/socket/front.ts";
import {
  claimDirectories,
  type PlanePlace,
  planePlace,
  readPlaneRecord,
} from "../../src/faces/socket/plane-place.ts";
import { openRemotePlane } from "../../src/faces/socket/remote-plane.ts";
import { type ServingSocket, serveSocket } from "../../src/faces/socket/serve-socket.ts";
import { createPlane, type Plane } from "../../src/index.ts";
import { version } from "../../src/lib/version.ts";
import { trusted } from "../../src/model/principal.ts";
import { type TemporaryDirectory, temporaryDirectory } from "../fixtures/start-server.ts";
import { until } from "../fixtures/until.ts";
import { processFixture as fixture, type ServerEntry, textsOf } from "./support.ts";

const principal = trusted({ user: "ann" });

/** A plane at a socket, all in this process. */
async function serve(
  directory: TemporaryDirectory,
  servers: Record<string, ServerEntry>,
  { idleMs = null as number | null, name = "data" } = {},
) {
  const plane = await createPlane({
    config: { mcpServers: servers },
    dataDirectory: directory.file(name),
    answersQuestions: true,
    relays: true,
  });
  const place = planePlace({ dataDirectory: directory.file(name), files: [] });
  const socket = await serveSocket(plane, {
    place,
    idleMs,
    directory: process.cwd(),
    environment: { TOKEN: "one" },
    serveClient: ({ stream, ...client }) =>
      serveStdio(plane, { ...client, input: stream, output: stream }),
  });
  assert.ok(socket);
  return { plane, place, socket, [Symbol.asyncDispose]: () => end(plane, socket) };
}

async function end(plane: Plane, socket: ServingSocket): Promise<void> {
  await socket.close();
  await plane.stop();
}

const greeting: Greeting = { files: [], directory: process.cwd(), principal, view: {} };

type Line = {
  id?: unknown;
  method?: string;
  params?: { requestId?: unknown };
  result?: object;
  error?: { code: number; data?: object };
};

/** A client behind a front that finds its plane wherever `where` says. */
async function connect(where: () => PlanePlace) {
  const input = new PassThrough();
  const output = new PassThrough();
  let cut = () => {};
  const heard: Line[] = [];
  let rest = "";
  output.on("data", (chunk) => {
    const lines = `${rest}${chunk}`.split("\n");
    rest = lines.pop() ?? "";
    heard.push(...lines.map((line) => JSON.parse(line) as Line));
  });
  const reach = async (session: AttachedSession | null) => {
    const attempt = await attach(
      where(),
      session === null ? greeting : { ...greeting, session },
      {},
    );
    if (attempt.kind !== "attached")
      return { kind: "failed" as const, why: attempt.kind, isUsage: false };
    cut = () => void attempt.socket.destroy();
    return attempt;
  };
  const first = await reach(null);
  assert.ok(first.kind === "attached");
  const gone = new AbortController();
  const over = runFront({ input, output, first, reach, say: () => undefined, signal: gone.signal });
  const send = (message: object) =>
    void input.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  const answerTo = async (id: string | number): Promise<Line> => {
    const find = () => heard.find((line) => line.id === id && line.method === undefined);
    await until(`the answer to ${id}`, () => find() !== undefined);
    return find() as Line;
  };
  const ask = (id: string | number, method: string, params: object = {}) => {
    send({ id, method, params });
    return answerTo(id);
  };
  const capabilities = { elicitation: { form: {} } };
  await ask("hello", "initialize", {
    protocolVersion: "2025-11-25",
    capabilities,
    clientInfo: { name: "t" },
  });
  send({ method: "notifications/initialized" });
  return {
    heard,
    send,
    ask,
    answerTo,
    cut: () => cut(),
    call: (id: string, name: string, args: object) =>
      ask(id, "tools/call", { name, arguments: args }),
    async [Symbol.asyncDispose]() {
      input.end();
      await over;
      gone.abort();
    },
  };
}

suite("asking a plane in another process", () => {
  test("progress and questions of a call reach the one that made it, and no other", async () => {
    await using directory = await temporaryDirectory();
    await using serving = await serve(directory, {
      steps: fixture("progress"),
      asks: fixture("elicit"),
    });
    const open = async () =>
      (await openRemotePlane(serving.place, { principal, face: "cli" })) ?? assert.fail();
    const [mine, other] = await Promise.all([open(), open()]);
    const heard: string[] = [];
    mine.on("tool.progress", ({ message }) => heard.push(`mine ${message}`));
    other.on("tool.progress", ({ message }) => heard.push(`other ${message}`));
    let answered: Promise<unknown> = Promise.resolve();
    mine.on("question.asked", ({ questionId }) => {
      heard.push("question");
      const answer = { action: "accept", content: { confirmed: true } } as const;
      answered = mine.questions.answer(questionId, answer);
    });
    const counting = other.call("steps.count", { steps: 1, message: "theirs" });
    const counted = await mine.call("steps.count", { steps: 2 });
    assert.deepEqual(textsOf(counted), ["counted to 2"]);
    await counting;
    assert.deepEqual(heard.toSorted(), ["mine step 1", "mine step 2", "other theirs"]);
    const asked = await mine.call("asks.confirm", {});
    assert.match(JSON.stringify(asked.result), /"confirmed":true/);
    assert.equal(heard.at(-1), "question");
    await answered;
  });

  test("an answer that is not JSON is an error, and not the end of the process", async () => {
    await using directory = await temporaryDirectory();
    const place = planePlace({ dataDirectory: directory.path, files: [] });
    claimDirectories(place);
    writeFileSync(place.record, JSON.stringify({ version, pid: process.pid, files: [] }));
    let isKnown = true;
    const server = createServer((socket) => {
      socket.once("data", () => {
        socket.end(isKnown ? '{"value":{"files":[],"users":{}}}\n' : "not json\n");
        isKnown = false;
      });
    }).listen(place.socket);
    await once(server, "listening");
    const plane = await openRemotePlane(place, { principal, face: "cli" });
    await assert.rejects(plane?.tools.list() ?? Promise.resolve(), { code: "OUTCOME_UNKNOWN" });
    server.close();
  });
});

suite("a client that is attached", () => {
  test("goes on with another plane: its subscriptions, its log level, and what only asks", async () => {
    await using directory = await temporaryDirectory();
    const servers = { notes: fixture("resources"), echo: fixture("echo"), asks: fixture("elicit") };
    const first = await serve(directory, servers, { name: "one" });
    let place = first.place;
    await using client = await connect(() => place);
    await client.ask(1, "resources/list");
    assert.ok((await client.ask(2, "resources/subscribe", { uri: "fx://watched" })).result);
    assert.ok((await client.ask(3, "logging/setLevel", { level: "debug" })).result);
    client.send({ id: 4, method: "tools/call", params: { name: "asks__confirm", arguments: {} } });
    const question = () => client.heard.find(({ method }) => method === "elicitation/create");
    await until("the question", () => question() !== undefined);

    await using second = await serve(directory, servers, { name: "two" });
    place = second.place;
    // As if the plane was killed: it does not say goodbye.
    client.cut();
    assert.deepEqual((await client.answerTo(4)).error?.data, {
      code: "OUTCOME_UNKNOWN",
      retryable: false,
    });
    const withdrawn = client.heard.find(({ method }) => method === "notifications/cancelled");
    assert.equal(withdrawn?.params?.requestId, question()?.id);
    await end(first.plane, first.socket);
    assert.ok((await client.ask(5, "tools/list")).result);
    const updates = () =>
      client.heard.filter(({ method }) => method === "notifications/resources/updated");
    await until("a change of the resource is reported", async () => {
      await client.call(`touch ${Date.now()}`, "notes__touch", { uri: "fx://watched" });
      return updates().length > 0;
    });
  });

  test("is refused with the reason where version, files or variables are others", async () => {
    await using directory = await temporaryDirectory();
    await using serving = await serve(directory, { echo: fixture("echo") });
    const { place } = serving;
    const config = directory.file("named.json");
    writeFileSync(config, '{"url":"https://${TOKEN}"}');
    const refusal = async (change: Partial<Greeting>, environment = {}, files: string[] = []) => {
      const attempt = await attach({ ...place, files }, { ...greeting, ...change }, environment);
      if (attempt.kind === "attached") attempt.socket.destroy();
      return attempt.kind === "refused" ? attempt.why : attempt.kind;
    };
    assert.equal(
      await refusal({ version: "0.0.1" } as object),
      `it is version ${version}, and this is 0.0.1`,
    );
    assert.equal(await refusal({ files: [config] }), "it serves another configuration");
    assert.equal(
      await refusal({}, { TOKEN: "two" }, [config]),
      "TOKEN has a different value there",
    );
    assert.equal(await refusal({}, { TOKEN: "one" }, [config]), "attached");
    assert.equal(
      await refusal({}, {}, [config]),
      "attached",
      "what a client does not have does not differ",
    );
    assert.match(await refusal({ view: { server: "nope" } }), /No server 'nope'/);
  });

  test("a command is refused by the plane of another version, with what to do", async () => {
    await using directory = await temporaryDirectory();
    await using serving = await serve(directory, { echo: fixture("echo") });
    const { place } = serving;
    assert.ok(await openRemotePlane(place, { principal }));
    const record = readFileSync(place.record, "utf8");
    for (const [background, remedy] of [
      [true, "Stop it first: toolplane stop."],
      [false, "Start that one again with this version."],
    ] as const) {
      writeFileSync(
        place.record,
        JSON.stringify({ ...JSON.parse(record), version: "0.2.0", background }),
      );
      await assert.rejects(openRemotePlane(place, { principal }), {
        code: "CONFLICT",
        message: `A plane of version 0.2.0 (process ${process.pid}) serves this configuration, and this is ${version}. ${remedy}`,
      });
    }
    writeFileSync(place.record, record);
  });

  test("is not attached to a program that only sits at the socket, nor through a link", async () => {
    await using directory = await temporaryDirectory();
    const place = planePlace({ dataDirectory: directory.path, files: [] });
    claimDirectories(place);
    const heard: string[] = [];
    const server = createServer((socket) => {
      socket.on("data", (chunk) => heard.push(String(chunk)));
      socket.write('{"welcome":{"key":"guessed","notices":[]}}\n');
    }).listen(place.socket);
    await once(server, "listening");
    const attempt = await attach(place, greeting, {});
    assert.deepEqual(attempt, {
      kind: "refused",
      why: "another program answers at its socket",
      isUsage: false,
    });
    mkdirSync(directory.file("elsewhere"));
    symlinkSync(directory.file("elsewhere"), directory.file("link"));
    const linked = await attach({ ...place, directories: [directory.file("link")] }, greeting, {});
    assert.ok(linked.kind === "refused" && /is a link/.test(linked.why));
    server.close();
  });

  test("leaves a background plane, which ends then; one without clients makes room for another version", async () => {
    await using directory = await temporaryDirectory();
    {
      await using serving = await serve(directory, { echo: fixture("echo") }, { idleMs: 0 });
      {
        await using client = await connect(() => serving.place);
        assert.ok((await client.call("a", "echo__echo", { message: "hi" })).result);
      }
      assert.equal(await serving.socket.over, "idle");
    }
    await using old = await serve(directory, { echo: fixture("echo") }, { idleMs: 60_000 });
    const later = { ...greeting, version: "9.9.9" } as Greeting;
    assert.deepEqual(await attach(old.place, later, {}), { kind: "none" });
    assert.equal(await old.socket.over, "handover");
    await old.socket.close();
    assert.equal(readPlaneRecord(old.place.record), null);
  });
});
