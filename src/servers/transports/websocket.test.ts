import assert from "node:assert/strict";
import { mock, suite, test } from "node:test";
import { connectChannel } from "../../../test/fixtures/servers/support/connect-channel.ts";
import {
  readLog,
  startHttpFixture,
  temporaryDirectory,
} from "../../../test/fixtures/start-server.ts";
import { until } from "../../../test/fixtures/until.ts";
import { listen } from "../../../test/samples/channels.ts";
import { PlaneError } from "../../model/errors.ts";
import { TransportError } from "../../protocol/message.ts";
import { openWebSocket, type WebSocketOptions } from "./websocket.ts";

const connect = (url: string, changes: Partial<WebSocketOptions> = {}) =>
  connectChannel((handlers) =>
    openWebSocket({ url, headers: {}, maxMessageBytes: 50_000, ...changes }, handlers),
  );

const text = (value: string) => [{ type: "text", text: value }];

suite("WebSocket transport", { concurrency: 8 }, () => {
  test("requests and answers pass, also in pieces, and headers and sub-protocol are sent", async () => {
    await using directory = await temporaryDirectory();
    const log = directory.file("log");
    await using fixture = await startHttpFixture("websocket", ["--log", log]);
    await using connected = await connect(fixture.url, { headers: { "x-fixture": "yes" } });
    await connected.handshake();
    const answers = await Promise.all(
      ["a", "€😀"].map((message) => connected.call("echo", { message })),
    );
    assert.deepEqual(
      answers.map(({ content }) => content),
      [text("a"), text("€😀")],
    );
    assert.deepEqual((await connected.call("fragmented")).content, text("in pieces"));
    const headers = readLog(log).find(({ event }) => event === "upgrade")?.headers as Record<
      string,
      string
    >;
    assert.deepEqual(
      [
        headers["x-fixture"],
        headers["sec-websocket-protocol"],
        headers["sec-websocket-extensions"],
      ],
      ["yes", "mcp", undefined],
    );
  });

  test("closing says goodbye, and then nothing can be sent", async () => {
    await using directory = await temporaryDirectory();
    const log = directory.file("log");
    await using fixture = await startHttpFixture("websocket", ["--log", log]);
    const connected = await connect(fixture.url);
    await connected.handshake();
    await connected.channel.close();
    const ending = () => readLog(log).find(({ event }) => event === "session-end");
    await until("the end at the server", () => ending() !== undefined);
    assert.equal(ending()?.code, 1000);
    await assert.rejects(connected.call("echo"), { name: "TransportError", sent: false });
    assert.equal(connected.closings, 0);
  });

  test("frames that are no messages are noise, and the connection lives on", async () => {
    await using fixture = await startHttpFixture("websocket");
    await using connected = await connect(fixture.url);
    assert.deepEqual((await connected.call("garbage")).content, text("after the garbage"));
    assert.deepEqual(connected.noise, ["no JSON"]);
    assert.equal(connected.closings, 0);
  });

  const endings: [tool: string, reason: RegExp][] = [
    ["cut", /was cut/],
    ["close_1011", /closed the connection with code 1011: out of order/],
    ["broken_text", /broke the WebSocket protocol/],
    ["large", /above the limit of 49 KiB \('maxMessageBytes'\).*code 1009/],
  ];
  for (const [tool, reason] of endings) {
    test(`a connection that ends by '${tool}' fails the call at once, and later ones were not sent`, async () => {
      await using fixture = await startHttpFixture("websocket");
      await using connected = await connect(fixture.url);
      await connected.handshake();
      await assert.rejects(connected.call(tool), {
        name: "TransportError",
        sent: true,
        message: reason,
      });
      await assert.rejects(connected.call("echo"), { name: "TransportError", sent: false });
      assert.match((await connected.closed).message, reason);
      assert.equal(connected.closings, 1);
    });
  }

  test("a peer that stops answering pings is given up", async () => {
    await using fixture = await startHttpFixture("websocket", ["--no-pong"]);
    await using connected = await connect(fixture.url, { pingMs: 100 });
    await connected.handshake();
    const slow = assert.rejects(connected.call("slow", { ms: 60_000 }), { sent: true });
    assert.equal((await connected.closed).message, "it stopped answering pings");
    await slow;
  });

  test("a refused token is found again once, and then told with its status", async () => {
    await using fixture = await startHttpFixture("websocket", ["--token", "right"]);
    const challenges: unknown[] = [];
    let token = "old";
    const authorize = async () => ({ authorization: `Bearer ${token}` });
    await using renewed = await connect(fixture.url, {
      authorize,
      async onRefused(challenge) {
        challenges.push(challenge);
        token = "right";
        return true;
      },
    });
    await renewed.handshake();
    assert.deepEqual(challenges, [{ status: 401, wwwAuthenticate: 'Bearer realm="fixture"' }]);
    token = "wrong-token";
    await using refused = await connect(fixture.url, { authorize, onRefused: async () => true });
    await assert.rejects(refused.handshake(), (error) => {
      assert.ok(error instanceof TransportError);
      assert.match(error.message, /HTTP 401/);
      assert.doesNotMatch(error.message, /wrong-token/);
      assert.deepEqual([error.status, error.sent], [401, false]);
      return true;
    });
    assert.equal((await refused.closed).status, 401);
  });

  test("who cannot say who asks fails with that very reason", async () => {
    const reason = new PlaneError("FORBIDDEN", "Sign in first.");
    await using connected = await connect("ws://127.0.0.1:9/mcp", {
      authorize: () => Promise.reject(reason),
    });
    await assert.rejects(connected.handshake(), reason);
    assert.equal((await connected.closed).message, "Sign in first.");
  });

  test("what is no such server is distinguished", async () => {
    await using plain = await startHttpFixture("websocket", ["--plain"]);
    await using web = await listen((_, response) => response.writeHead(200).end("<html>"));
    await using away = await listen((_, response) =>
      response.writeHead(302, { location: "https://example.com/secret" }).end(),
    );
    const gone = await startHttpFixture("websocket");
    await gone.stop();
    const places: [url: string, reason: RegExp][] = [
      [plain.url, /sub-protocol 'mcp'/],
      [web.url.replace("http", "ws"), /is not a WebSocket server/],
      [away.url.replace("http", "ws"), /redirects to https:\/\/example\.com;/],
      [gone.url, /nothing listens at 127\.0\.0\.1/],
      [plain.url.replace("ws:", "wss:"), /does not speak TLS/],
    ];
    for (const [url, message] of places) {
      await using connected = await connect(url);
      await assert.rejects(connected.handshake(), { name: "TransportError", sent: false, message });
      assert.equal((await connected.closed).sent, false);
      assert.equal(connected.closings, 1);
    }
  });

  test("closing does not wait for a connection that does not come about", async () => {
    await using server = await listen(() => undefined);
    const connected = await connect(server.url.replace("http", "ws"));
    const waiting = assert.rejects(connected.handshake(), /was closed/);
    await connected.channel.close();
    await waiting;
    assert.equal(connected.closings, 0);
  });
});

test("a WebSocket peer that answers pings is kept", async () => {
  mock.timers.enable({ apis: ["setInterval"] });
  try {
    await using directory = await temporaryDirectory();
    const log = directory.file("log");
    await using fixture = await startHttpFixture("websocket", ["--log", log]);
    await using connected = await connect(fixture.url, { pingMs: 1_000 });
    await connected.handshake();
    for (const pings of [1, 2, 3]) {
      mock.timers.tick(1_000);
      await until(
        "a ping",
        () => readLog(log).filter(({ event }) => event === "ping").length === pings,
      );
      // What was answered first arrives first.
      await connected.call("echo", { message: "still here" });
    }
    assert.equal(connected.closings, 0);
  } finally {
    mock.timers.reset();
  }
});
