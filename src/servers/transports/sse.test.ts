import assert from "node:assert/strict";
import type { ServerResponse } from "node:http";
import { suite, test } from "node:test";
import { connectChannel } from "../../../test/fixtures/servers/support/connect-channel.ts";
import {
  readLog,
  startHttpFixture,
  temporaryDirectory,
} from "../../../test/fixtures/start-server.ts";
import { until } from "../../../test/fixtures/until.ts";
import { listen } from "../../../test/samples/channels.ts";
import { PlaneError } from "../../model/errors.ts";
import type { HttpOptions } from "./http-request.ts";
import { openSse } from "./sse.ts";

const connect = (url: string, changes: Partial<HttpOptions> = {}) =>
  connectChannel((handlers) =>
    openSse({ url, headers: {}, maxMessageBytes: 50_000, ...changes }, handlers),
  );

const text = (value: string) => [{ type: "text", text: value }];

/** Opens the stream and names this endpoint; what is posted is reported. */
function serve(endpoint: string, onPost: (stream: ServerResponse, post: ServerResponse) => void) {
  let stream: ServerResponse | undefined;
  return listen((request, response) => {
    request.resume();
    if (request.method === "GET") {
      stream = response;
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(`event: endpoint\ndata: ${endpoint}\n\n`);
    } else if (stream) {
      onPost(stream, response);
    }
  });
}

suite("HTTP+SSE transport", { concurrency: 8 }, () => {
  test("messages are posted to the endpoint and answered on the stream", async () => {
    await using directory = await temporaryDirectory();
    const log = directory.file("log");
    await using fixture = await startHttpFixture("sse", ["--log", log]);
    const connected = await connect(fixture.url);
    await connected.handshake();
    const answers = await Promise.all(
      ["a", "€😀"].map((message) => connected.call("echo", { message })),
    );
    assert.deepEqual(
      answers.map(({ content }) => content),
      [text("a"), text("€😀")],
    );
    assert.deepEqual(new Set(connected.relations), new Set([undefined]));
    await connected.channel.close();
    await assert.rejects(connected.call("echo"), { name: "TransportError", sent: false });
    assert.equal(connected.closings, 0);
    await until("the end at the server", () =>
      readLog(log).some(({ event }) => event === "session-end"),
    );
  });

  test("a stream that is lost ends the connection at once", async () => {
    const fixture = await startHttpFixture("sse");
    await using connected = await connect(fixture.url);
    await connected.handshake();
    const slow = assert.rejects(connected.call("slow", { ms: 60_000 }), { sent: true });
    // By the time this is answered the other one has arrived.
    await connected.call("echo", { message: "in between" });
    await fixture.stop();
    assert.match((await connected.closed).message, /event stream ended/);
    await slow;
    await assert.rejects(connected.call("echo"), { name: "TransportError", sent: false });
    assert.equal(connected.closings, 1);
  });

  test("an endpoint at another origin is refused and gets nothing", async () => {
    let foreign = 0;
    await using stranger = await listen((_, response) => {
      foreign += 1;
      response.end();
    });
    await using server = await serve(stranger.url, () => assert.fail("something was posted"));
    await using connected = await connect(server.url, { headers: { "x-api-key": "hunter2" } });
    const { origin } = new URL(stranger.url);
    await assert.rejects(connected.handshake(), {
      name: "TransportError",
      sent: false,
      permanent: true,
      message: new RegExp(
        `endpoint it names is at ${origin} instead of ${new URL(server.url).origin}`,
      ),
    });
    await connected.closed;
    assert.equal(foreign, 0);
  });

  test("an event above the limit is passed over and told with its request, and noise is noise", async () => {
    await using server = await serve("/post", (stream, post) => {
      post.writeHead(202).end();
      stream.write(`event: ping\ndata: 1\n\ndata: no JSON\n\n`);
      const large = JSON.stringify({ jsonrpc: "2.0", id: 1, result: { text: "x".repeat(60_000) } });
      stream.write(`data: ${large}\n\ndata: {"jsonrpc":"2.0","id":2,"result":{}}\n\n`);
    });
    await using connected = await connect(server.url);
    void connected.peer.request("first").catch(() => undefined);
    await connected.peer.request("second");
    assert.equal(connected.tooLarge[0]?.[0], 1);
    assert.ok((connected.tooLarge[0]?.[1] ?? 0) > 60_000);
    assert.equal(connected.noise[0], "no JSON");
    assert.equal(connected.closings, 0);
  });

  test("a message that is not accepted fails with the status", async () => {
    await using server = await serve("post?session=pw-secret", (_, post) =>
      post.writeHead(429, { "retry-after": "7" }).end(),
    );
    await using connected = await connect(server.url);
    await assert.rejects(connected.peer.request("x"), {
      name: "TransportError",
      message: "it answered HTTP 429",
      status: 429,
      retryAfterMs: 7_000,
      sent: true,
    });
    assert.equal(connected.closings, 0);
  });

  const places: [title: string, status: number, headers: Record<string, string>, reason: RegExp][] =
    [
      ["a missing path", 404, {}, /HTTP 404.*path of 'url'/],
      ["a page", 200, { "content-type": "text/html" }, /no event stream.*\/sse/],
      [
        "a redirect",
        307,
        { location: "https://example.com/pw" },
        /redirects to https:\/\/example\.com;/,
      ],
      [
        "a stream in an unknown coding",
        200,
        { "content-type": "text/event-stream", "content-encoding": "lzma" },
        /with lzma/,
      ],
    ];
  for (const [title, status, headers, message] of places) {
    test(`${title} instead of the stream is reported, once`, async () => {
      await using server = await listen((_, response) =>
        response.writeHead(status, headers).end("<html>"),
      );
      await using connected = await connect(server.url);
      await assert.rejects(connected.handshake(), { name: "TransportError", message });
      assert.match((await connected.closed).message, message);
      assert.equal(connected.closings, 1);
    });
  }

  test("a stream that names no endpoint lets a message wait until it is given up", async () => {
    await using server = await listen((_, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" }).flushHeaders();
    });
    await using connected = await connect(server.url);
    const signal = AbortSignal.timeout(50);
    await assert.rejects(connected.peer.request("initialize", {}, { signal }), {
      name: "TimeoutError",
    });
  });

  test("a refused token is found again once, for the stream and for messages", async () => {
    let token = "first";
    let posts = 0;
    await using server = await listen((request, response) => {
      request.resume();
      const wanted = request.method === "GET" ? "second" : "third";
      if (request.headers.authorization !== wanted) return void response.writeHead(401).end();
      if (request.method === "POST") {
        posts += 1;
        return void response.writeHead(202).end();
      }
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write("event: endpoint\ndata: /post\n\n");
    });
    await using connected = await connect(server.url, {
      authorize: async () => ({ authorization: token }),
      async onRefused({ status }) {
        assert.equal(status, 401);
        token = token === "first" ? "second" : "third";
        return true;
      },
    });
    await connected.channel.send({ jsonrpc: "2.0", method: "notifications/x" });
    assert.equal(posts, 1);
  });

  test("who cannot say who asks fails with that very reason", async () => {
    const reason = new PlaneError("FORBIDDEN", "Sign in first.");
    await using connected = await connect("http://127.0.0.1:9/sse", {
      authorize: () => Promise.reject(reason),
    });
    await assert.rejects(connected.handshake(), reason);
  });
});
