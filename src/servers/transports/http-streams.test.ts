import assert from "node:assert/strict";
import type { IncomingMessage, ServerResponse } from "node:http";
import { suite, test } from "node:test";
import { connectChannel } from "../../../test/fixtures/servers/support/connect-channel.ts";
import {
  readLog,
  startHttpFixture,
  temporaryDirectory,
} from "../../../test/fixtures/start-server.ts";
import { until } from "../../../test/fixtures/until.ts";
import { listen } from "../../../test/samples/channels.ts";
import { openHttp } from "./http.ts";
import { keepListening } from "./http-streams.ts";

const connect = (url: string) =>
  connectChannel((handlers) => openHttp({ url, headers: {}, maxMessageBytes: 10_000 }, handlers));

const stream = { "content-type": "text/event-stream", "mcp-session-id": "s" };
const notice = (data: string) =>
  `data: ${JSON.stringify({ jsonrpc: "2.0", method: "notifications/message", params: { data } })}\n\n`;

/** Answers each POST and each GET, in turn, as told; remembers the headers of each GET. */
async function serve(
  post: (response: ServerResponse, id: number) => void,
  gets: ((response: ServerResponse) => void)[] = [],
) {
  const asked: IncomingMessage["headers"][] = [];
  const server = await listen(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    if (request.method === "POST")
      return post(response, JSON.parse(Buffer.concat(chunks).toString()).id);
    if (request.method === "DELETE") return void response.writeHead(204).end();
    asked.push(request.headers);
    const answer = gets[asked.length - 1] ?? gets.at(-1);
    if (answer) answer(response);
    else response.writeHead(405).end();
  });
  return { ...server, asked, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}

const accept = (response: ServerResponse) =>
  response.writeHead(202, { "mcp-session-id": "s" }).end();
const answer = (id: number) =>
  `data: ${JSON.stringify({ jsonrpc: "2.0", id, result: { ok: true } })}\n\n`;
const status = (code: number) => (response: ServerResponse) => void response.writeHead(code).end();
const hold = (text: string) => (response: ServerResponse) =>
  void response.writeHead(200, stream).write(text);
const say = (text: string) => (response: ServerResponse) =>
  void response.writeHead(200, stream).end(text);

/** After this, the channel knows a session and listens. */
async function listening(url: string) {
  const connected = await connect(url);
  await connected.channel.send({ jsonrpc: "2.0", method: "notifications/initialized" });
  connected.channel.useProtocolVersion("2025-11-25");
  connected.channel.listen?.();
  return connected;
}

suite("the stream on which a server speaks by itself", { concurrency: 8 }, () => {
  test("its messages relate to no request, and it goes on where it broke off, when the server wants", async () => {
    await using server = await serve(accept, [
      say(`retry: 150\n\nid: e1\n${notice("one")}`),
      hold(`id: e2\n${notice("two")}`),
    ]);
    await using connected = await listening(server.url);
    const before = Date.now();
    await connected.until(({ params }) => (params as { data: string }).data === "two");
    assert.ok(Date.now() - before >= 100, "it waited");
    assert.deepEqual(connected.relations, [undefined, undefined]);
    assert.deepEqual(
      server.asked.map((headers) => [
        headers["last-event-id"],
        headers["mcp-session-id"],
        headers.accept,
      ]),
      [
        [undefined, "s", "text/event-stream"],
        ["e1", "s", "text/event-stream"],
      ],
    );
    assert.equal(server.asked[0]?.["mcp-protocol-version"], "2025-11-25");
  });

  for (const code of [405, 404, 400, 401]) {
    test(`a server that answers ${code} has no such stream and is not asked again`, async () => {
      await using server = await serve(accept, [status(code), () => assert.fail("asked again")]);
      await using connected = await listening(server.url);
      await until("the question for a stream", () => server.asked.length > 0);
      await connected.channel.send({ jsonrpc: "2.0", method: "notifications/x" });
      assert.equal(connected.closings, 0);
    });
  }

  test("a server that is gone is noticed without a call", async () => {
    const fixture = await startHttpFixture("http");
    await using connected = await connect(fixture.url);
    await connected.handshake();
    connected.channel.listen?.();
    await connected.call("echo", { message: "x" });
    await fixture.stop();
    const { message, sent } = await connected.closed;
    assert.match(message, /nothing listens at/);
    assert.equal(sent, true);
    assert.equal(connected.closings, 1);
    await assert.rejects(connected.call("echo"), { sent: false });
  });

  test("a server that no longer knows the session is noticed without a call", async () => {
    await using server = await serve(accept, [say("retry: 100\n\n"), status(404)]);
    await using connected = await listening(server.url);
    assert.match((await connected.closed).message, /forgotten the session/);
    assert.equal(connected.closings, 1);
  });

  test("trouble that passes is waited out", async () => {
    await using server = await serve(accept, [
      say("retry: 1\n\n"),
      status(503),
      (response) => response.destroy(),
      hold(notice("back")),
    ]);
    await using connected = await listening(server.url);
    await connected.until(({ method }) => method === "notifications/message");
    assert.equal(connected.closings, 0);
    assert.equal(server.asked.length, 4);
  });

  test("an event above the limit is passed over and told, and the next one is read", async () => {
    await using server = await serve(accept, [
      hold(`${notice("x".repeat(20_000))}${notice("small")}`),
    ]);
    await using connected = await listening(server.url);
    await connected.until(({ method }) => method === "notifications/message");
    assert.deepEqual(
      connected.tooLarge.map(([id, bytes]) => [id, bytes > 20_000]),
      [[undefined, true]],
    );
  });

  test("after closing, nothing is asked any more", async () => {
    await using directory = await temporaryDirectory();
    const log = directory.file("log");
    await using fixture = await startHttpFixture("http", ["--log", log]);
    const connected = await connect(fixture.url);
    await connected.handshake();
    connected.channel.listen?.();
    connected.channel.listen?.();
    const gets = () =>
      readLog(log).filter(({ event, method }) => event === "http" && method === "GET");
    await until("the question for a stream", () => gets().length > 0);
    await connected.channel.close();
    assert.equal(gets().length, 1);
    assert.equal(connected.closings, 0);
  });

  test("the revision without sessions has no such stream", async () => {
    await using server = await serve(accept, [() => assert.fail("asked for a stream")]);
    await using connected = await connect(server.url);
    connected.channel.useProtocolVersion("2026-07-28");
    connected.channel.listen?.();
    await connected.channel.send({ jsonrpc: "2.0", method: "notifications/x" });
    assert.equal(server.asked.length, 0);
  });
});

suite("a stream that breaks off before the answer", { concurrency: 8 }, () => {
  const lost = {
    name: "TransportError",
    message: "the stream ended without a response",
    sent: true,
  };
  const breakOff = (text: string) => (response: ServerResponse) =>
    void response.writeHead(200, stream).write(text, () => response.destroy());

  test("is resumed where the server told how, also several times", async () => {
    let id = 0;
    await using server = await serve(
      (response, asked) => {
        id = asked;
        breakOff(`id: e1\n${notice("working")}id: lost\ndata: {"json`)(response);
      },
      [
        say(`id: e2\nretry: 100\n${notice("still")}`),
        status(503),
        (response) => say(`id: e3\n${answer(id)}`)(response),
      ],
    );
    await using connected = await connect(server.url);
    assert.deepEqual(await connected.peer.request("x"), { ok: true });
    assert.deepEqual(
      server.asked.map((headers) => headers["last-event-id"]),
      ["e1", "e2", "e2"],
    );
    assert.deepEqual(connected.relations, [1, 1, 1]);
  });

  test("fails at once where the server told nothing, or knows nothing about it", async () => {
    for (const text of [notice("working"), `id: e1\n${notice("working")}`]) {
      for (const end of [breakOff, say]) {
        await using server = await serve(end(text));
        await using connected = await connect(server.url);
        await assert.rejects(connected.peer.request("x"), lost);
        assert.equal(server.asked.length, text.startsWith("id") ? 1 : 0);
      }
    }
  });

  test("is not asked for more than three times in vain", async () => {
    await using server = await serve(breakOff("retry: 1\nid: e1\ndata:\n\n"), [
      say(": nothing\n\n"),
    ]);
    await using connected = await connect(server.url);
    await assert.rejects(connected.peer.request("x"), lost);
    assert.equal(server.asked.length, 3);
  });

  test("is not asked for when the request was given up", async () => {
    await using server = await serve(hold(`retry: 200\nid: e1\n${notice("working")}`), [
      () => assert.fail("resumed"),
    ]);
    await using connected = await connect(server.url);
    const controller = new AbortController();
    const request = connected.peer.request("x", {}, { signal: controller.signal });
    await connected.until(({ method }) => method === "notifications/message");
    controller.abort(new Error("enough"));
    await assert.rejects(request, /enough/);
  });

  test("is never resumed in the revision that has no resumption", async () => {
    await using server = await serve(say(`id: e1\n${notice("working")}`), [
      () => assert.fail("resumed"),
    ]);
    await using connected = await connect(server.url);
    connected.channel.useProtocolVersion("2026-07-28");
    await assert.rejects(connected.peer.request("x"), lost);
  });
});

test("a stream that stood for long, or brought something, is opened again without a longer pause", async () => {
  const ended = new AbortController();
  const openings: number[] = [];
  const response = { statusCode: 200, headers: { "content-type": "text/event-stream" } };
  await keepListening({
    url: new URL("http://127.0.0.1/"),
    signal: ended.signal,
    open: async () => response as never,
    async follow(_, place) {
      place.retryMs = 100;
      place.messageCount = (place.messageCount ?? 0) + 1;
      openings.push(performance.now());
      if (openings.length === 5) ended.abort();
    },
    onLost: () => assert.fail(),
  });
  assert.equal(openings.length, 5);
});
