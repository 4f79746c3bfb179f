import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { connectChannel } from "../../../test/fixtures/servers/support/connect-channel.ts";
import {
  readLog,
  receivedMessages,
  startHttpFixture,
  temporaryDirectory,
} from "../../../test/fixtures/start-server.ts";
import { until } from "../../../test/fixtures/until.ts";
import { listen } from "../../../test/samples/channels.ts";
import { TransportError } from "../../protocol/message.ts";
import { openHttp } from "./http.ts";
import type { HttpOptions } from "./http-request.ts";

const connect = (
  url: string,
  headers: Record<string, string> = {},
  changes: Partial<HttpOptions> = {},
) =>
  connectChannel((handlers) =>
    openHttp({ url, headers, maxMessageBytes: 10 * 1024 * 1024, ...changes }, handlers),
  );

const text = (value: string) => [{ type: "text", text: value }];
const rpc = (message: object) => JSON.stringify({ jsonrpc: "2.0", ...message });
const ping = { jsonrpc: "2.0", id: 7, method: "ping" } as const;

/** Rejects with a TransportError that knows whether the server may have seen the request. */
async function failure(promise: Promise<unknown>): Promise<TransportError> {
  try {
    await promise;
  } catch (thrown) {
    assert.ok(thrown instanceof TransportError, String(thrown));
    return thrown;
  }
  return assert.fail("it did not fail");
}

suite("HTTP transport", { concurrency: 8 }, () => {
  test("a server that never finishes its goodbye does not hold up the end", async () => {
    await using server = await listen((request, response) => {
      response.writeHead(200, {
        "mcp-session-id": "s",
        "content-type": "application/json",
        "content-length": 99,
      });
      if (request.method === "DELETE") response.flushHeaders();
      else response.end(JSON.stringify({ jsonrpc: "2.0", id: 7, result: {} }).padEnd(99));
    });
    const connected = await connect(server.url);
    await connected.channel.send(ping);
    await connected.channel.close();
  });

  for (const [kind, args] of [
    ["JSON", []],
    ["an event stream", ["--sse"]],
  ] as const) {
    test(`answers as ${kind} reach their requests, and every request names session and revision`, async () => {
      await using fixture = await startHttpFixture("http", [...args]);
      await using connected = await connect(fixture.url, { "x-fixture": "yes" });
      await connected.handshake();
      const answers = await Promise.all(
        ["a", "€😀"].map((message) => connected.call("echo", { message })),
      );
      assert.deepEqual(
        answers.map(({ content }) => content),
        [text("a"), text("€😀")],
      );
      const { structuredContent } = await connected.call("headers");
      const headers = structuredContent as Record<string, string>;
      assert.deepEqual(
        [headers["x-fixture"], headers["mcp-protocol-version"]],
        ["yes", "2025-11-25"],
      );
      assert.match(headers["mcp-session-id"] ?? "", /./);
    });

    test(`a message that was answered as ${kind} counts as delivered`, async () => {
      await using fixture = await startHttpFixture("http", [...args]);
      await using connected = await connect(fixture.url);
      await connected.handshake();
      await connected.channel.send(ping);
      assert.deepEqual(connected.messages.at(-1), { jsonrpc: "2.0", id: 7, result: {} });
    });
  }

  test("closing says goodbye, after which nothing can be sent", async () => {
    await using directory = await temporaryDirectory();
    const log = directory.file("log");
    await using fixture = await startHttpFixture("http", ["--log", log]);
    const connected = await connect(fixture.url);
    await connected.handshake();
    await connected.channel.close();
    assert.ok(readLog(log).some(({ event, method }) => event === "http" && method === "DELETE"));
    const { message, sent } = await failure(Promise.resolve(connected.channel.send(ping)));
    assert.deepEqual([message, sent], ["the session has ended", false]);
    assert.equal(connected.closings, 0);
  });

  test("a session the server has forgotten ends the connection, and the request was not executed", async () => {
    await using fixture = await startHttpFixture("http");
    await using connected = await connect(fixture.url);
    await connected.handshake();
    await connected.call("invalidate_session");
    const noticed = await failure(connected.call("echo", { message: "x" }));
    assert.deepEqual([noticed.sent, noticed.sessionEnded], [false, true]);
    assert.equal((await failure(connected.call("echo", { message: "y" }))).sent, false);
    assert.match((await connected.closed).message, /forgotten the session/);
    assert.equal(connected.closings, 1);
  });

  test("a call that was executed and then dropped or failed may have been seen", async () => {
    await using directory = await temporaryDirectory();
    const ledger = directory.file("ledger");
    for (const way of ["--drop", "--fail"]) {
      await using fixture = await startHttpFixture("http", [way, "1", "--ledger", ledger]);
      await using connected = await connect(fixture.url);
      await connected.handshake();
      assert.equal((await failure(connected.call("write_note", { text: way }))).sent, true, way);
      assert.deepEqual(
        (await connected.call("echo", { message: "still here" })).content,
        text("still here"),
      );
    }
    assert.deepEqual(
      readLog(ledger).map((line) => line.text),
      ["--drop", "--fail"],
    );
  });

  test("giving up ends the request at the server too", async () => {
    await using directory = await temporaryDirectory();
    const log = directory.file("log");
    await using fixture = await startHttpFixture("http", ["--log", log]);
    await using connected = await connect(fixture.url);
    await connected.handshake();
    const controller = new AbortController();
    const params = { name: "slow", arguments: { ms: 60_000 } };
    const slow = connected.peer.request("tools/call", params, { signal: controller.signal });
    await until("the slow call", () => receivedMessages(readLog(log), "tools/call").length === 1);
    controller.abort(new Error("enough"));
    await assert.rejects(slow, /enough/);
    const cancelled = () => receivedMessages(readLog(log), "notifications/cancelled").length;
    const disconnected = () => readLog(log).some(({ event }) => event === "disconnected");
    await until(
      "the word of it and the end of its request",
      () => cancelled() > 0 && disconnected(),
    );
    assert.deepEqual((await connected.call("echo", { message: "after" })).content, text("after"));
    assert.equal(cancelled(), 1);
  });

  test("a refused token is reported with a remedy and without the token", async () => {
    await using fixture = await startHttpFixture("http", ["--token", "right"]);
    await using connected = await connect(fixture.url, { authorization: "Bearer wrong-token" });
    const { message, sent } = await failure(connected.handshake());
    assert.match(message, /HTTP 401.*headers/);
    assert.doesNotMatch(message, /wrong-token/);
    assert.equal(sent, true);
  });

  test("a port without a listener is reported as such, and nothing was sent", async () => {
    const fixture = await startHttpFixture("http");
    await fixture.stop();
    await using connected = await connect(fixture.url);
    const { message, sent } = await failure(connected.handshake());
    assert.match(message, /nothing listens at 127\.0\.0\.1:\d+/);
    assert.equal(sent, false);
  });

  const json = { "content-type": "application/json" };
  const answers: [
    title: string,
    status: number,
    headers: Record<string, string>,
    body: string,
    message: RegExp,
    sent: boolean,
  ][] = [
    [
      "a redirect",
      302,
      { location: "https://user:pw@example.com/secret?key=1" },
      "",
      /^http:\/\/127\.0\.0\.1:\d+ redirects to https:\/\/example\.com;/,
      true,
    ],
    ["a redirect to nowhere", 301, {}, "", /redirects to nowhere/, true],
    ["a redirect to what is no address", 302, { location: "http://[" }, "", /redirects/, true],
    ["a missing path", 404, {}, "not found", /HTTP 404.*path of 'url'/, true],
    ["a missing method", 405, {}, "", /HTTP 405/, true],
    ["another request's answer", 200, json, rpc({ id: 99, result: {} }), /another request/, true],
    [
      "an answer that says it is compressed and is not",
      200,
      { ...json, "content-encoding": "gzip" },
      "\u001f\u008b",
      /broke off/,
      true,
    ],
    ["a broken server", 503, {}, "down", /HTTP 503/, true],
    ["an empty answer", 200, {}, "", /without a body/, true],
    [
      "an answer that is not JSON",
      200,
      { "content-type": "application/json" },
      "<html>",
      /not JSON/,
      true,
    ],
    [
      "a stream without the answer",
      200,
      { "content-type": "text/event-stream" },
      ": ping\n\n",
      /without a response/,
      true,
    ],
  ];

  for (const [title, status, headers, body, message, sent] of answers) {
    test(`${title} is distinguished`, async () => {
      await using server = await listen((_, response) =>
        response.writeHead(status, headers).end(body),
      );
      await using connected = await connect(server.url);
      const failed = await failure(connected.peer.request("ping"));
      assert.match(failed.message, message);
      assert.equal(failed.sent, sent);
    });
  }

  test("an error in the body of a refusal is the answer, also where it names no request", async () => {
    const error = { code: -32022, message: "bad", data: { supported: ["x"] } };
    for (const status of [400, 404]) {
      for (const id of [{ id: 1 }, { id: null }, {}]) {
        await using server = await listen((_, response) =>
          response.writeHead(status).end(rpc({ ...id, error })),
        );
        await using connected = await connect(server.url);
        await assert.rejects(connected.peer.request("x"), { name: "RpcError", ...error });
        assert.deepEqual(connected.relations, [1]);
      }
    }
  });

  const refusals: [
    status: number,
    body: object,
    retryAfter: string,
    retryAfterMs: number | undefined,
  ][] = [
    [400, { id: 2, error: { code: -32000, message: "of another request" } }, "", undefined],
    [401, { id: 1, error: { code: -32000, message: "Unauthorized" } }, "", undefined],
    [403, { id: null, error: { code: -32000, message: "Forbidden" } }, "", undefined],
    [429, { id: null, error: { code: -32000, message: "Too many" } }, "3", 3_000],
    [503, {}, "0", 0],
  ];
  for (const [status, body, retryAfter, retryAfterMs] of refusals) {
    test(`a refusal with ${status} that is no answer tells its status and when to come back`, async () => {
      const headers = retryAfter === "" ? {} : { "retry-after": retryAfter };
      await using server = await listen((_, response) =>
        response.writeHead(status, headers).end(rpc(body)),
      );
      await using connected = await connect(server.url);
      const failed = await failure(connected.peer.request("x"));
      assert.deepEqual([failed.status, failed.retryAfterMs], [status, retryAfterMs]);
    });
  }

  test("messages on the stream of a request relate to it, and headers of a request are its own", async () => {
    await using server = await listen((request, response) => {
      const progress = rpc({ method: "notifications/progress", params: request.headers });
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.end(
        `data: ${progress}\n\ndata: nonsense\n\ndata: ${rpc({ id: 1, result: {} })}\n\n`,
      );
    });
    await using connected = await connect(server.url);
    await connected.peer.request("x", {}, { headers: { "mcp-param-region": "north" } });
    assert.deepEqual(connected.relations, [1, 1]);
    assert.deepEqual(connected.noise, ["nonsense"]);
    const [{ params }] = connected.messages as [{ params: Record<string, string> }];
    assert.deepEqual(
      [params["mcp-param-region"], params["accept-encoding"]],
      ["north", "identity"],
    );
  });
});

suite("HTTP transport in the revision without sessions", { concurrency: 8 }, () => {
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": { name: "test", version: "1.0.0" },
  };
  const callParams = (name: string, args: object) => ({ name, arguments: args, _meta });

  test("a server of that revision is asked before and after it is known, with its headers", async () => {
    await using directory = await temporaryDirectory();
    const log = directory.file("log");
    await using fixture = await startHttpFixture("modern", ["--http", "--only", "--log", log]);
    const connected = await connect(fixture.url);
    const found = (await connected.peer.request("server/discover", { _meta })) as Record<
      string,
      unknown
    >;
    assert.deepEqual(found.supportedVersions, ["2026-07-28"]);
    connected.channel.useProtocolVersion("2026-07-28");
    assert.equal(connected.channel.cancelsByClosing, true);
    const result = (await connected.peer.request(
      "tools/call",
      callParams("echo", { message: "hi" }),
    )) as Record<string, unknown>;
    assert.deepEqual(result.content, text("hi"));
    await assert.rejects(connected.peer.request("no/such", { _meta }), {
      name: "RpcError",
      code: -32601,
    });
    await connected.channel.close();
    const entries = readLog(log).filter(({ event }) => event === "received");
    assert.deepEqual(
      entries.map(({ method, headers }) => [
        method,
        (headers as Record<string, string>)["mcp-method"],
      ]),
      [
        ["POST", "server/discover"],
        ["POST", "tools/call"],
        ["POST", "no/such"],
      ],
    );
  });

  test("giving up closes the stream, by which the server knows", async () => {
    await using directory = await temporaryDirectory();
    const log = directory.file("log");
    await using fixture = await startHttpFixture("modern", ["--http", "--only", "--log", log]);
    await using connected = await connect(fixture.url);
    connected.channel.useProtocolVersion("2026-07-28");
    const controller = new AbortController();
    const params = callParams("slow", { ms: 60_000 });
    const slow = connected.peer.request("tools/call", params, { signal: controller.signal });
    await until("the slow call", () => receivedMessages(readLog(log), "tools/call").length === 1);
    controller.abort(new Error("enough"));
    await assert.rejects(slow, /enough/);
    await until("its end at the server", () =>
      readLog(log).some(({ event }) => event === "cancelled"),
    );
    assert.equal(receivedMessages(readLog(log), "notifications/cancelled").length, 0);
  });

  test("a session that a server offers all the same is neither kept nor ended", async () => {
    const seen: unknown[] = [];
    await using server = await listen((request, response) => {
      seen.push([request.method, request.headers["mcp-session-id"]]);
      request.resume();
      response.writeHead(202, { "mcp-session-id": "s" }).end();
    });
    const connected = await connect(server.url);
    await connected.channel.send({ jsonrpc: "2.0", method: "notifications/x", params: { _meta } });
    connected.channel.useProtocolVersion("2026-07-28");
    await connected.channel.send({ jsonrpc: "2.0", method: "notifications/x" });
    await connected.channel.close();
    assert.deepEqual(seen, [
      ["POST", undefined],
      ["POST", undefined],
    ]);
  });
});
