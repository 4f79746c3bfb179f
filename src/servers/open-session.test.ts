import assert from "node:assert/strict";
import { suite, test } from "node:test";
import {
  fixtureCommand,
  fixtureEnvironment,
  readLog,
  receivedMessages,
  startHttpFixture,
  temporaryDirectory,
} from "../../test/fixtures/start-server.ts";
import { sampleServer } from "../../test/samples/calls.ts";
import { listen } from "../../test/samples/channels.ts";
import { bundled } from "../bundled.ts";
import type { Channel } from "../protocol/message.ts";
import type { Era } from "../protocol/session.ts";
import { createServerConnection } from "./connection.ts";
import { type OpenOptions, openSession, type SessionHandlers } from "./open-session.ts";

/** A session with everything that was reported on the way; closes whatever was opened. */
function opener(settings: Record<string, unknown>, known?: Era) {
  const channels: Channel[] = [];
  const noise: string[] = [];
  const closings: string[] = [];
  const options: OpenOptions = {
    definition: sampleServer(settings),
    environment: fixtureEnvironment(),
    access: {},
    packages: bundled,
    client: { info: { name: "test", version: "1.0.0" }, capabilities: {} },
    known: async () => known,
    signal: AbortSignal.timeout(20_000),
    onOpened: (channel) => channels.push(channel),
  };
  const handlers: SessionHandlers = {
    onNotification: () => undefined,
    onRequest: async () => ({}),
    onClose: ({ message }) => closings.push(message),
    onNoise: (text) => noise.push(text),
    onTooLarge: (bytes) => new Error(`${bytes} bytes are too many`),
  };
  return {
    channels,
    noise,
    closings,
    options,
    handlers,
    open: () => openSession(options, handlers),
    [Symbol.asyncDispose]: async () =>
      void (await Promise.all(channels.map((channel) => channel.close()))),
  };
}

/** A server of a few lines: what it does with each message it reads. */
const script = (body: string) => ({
  command: process.execPath,
  args: [
    "-e",
    `const write = (message) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\\n");
    const result = { protocolVersion: "2025-06-18", capabilities: { tools: {} } };
    require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
      const { id, method } = JSON.parse(line);
      ${body}
      if (method === "initialize") write({ id, result });
      if (method === "tools/list") write({ id, result: { tools: [] } });
    });`,
  ],
});
const leavesAtTheQuestion = script('if (method === "server/discover") process.exit(3);');

suite("opening a session", { concurrency: 4 }, () => {
  for (const [transport, era] of [
    ["stdio", "modern"],
    ["http", "modern"],
  ] as const) {
    test(`a modern server over ${transport} is spoken to as such`, async () => {
      await using fixture =
        transport === "http" ? await startHttpFixture("modern", ["--http"]) : undefined;
      await using sample = opener(
        fixture ? { command: undefined, transport, url: fixture.url } : fixtureCommand("modern"),
      );
      const { session } = await sample.open();
      assert.deepEqual([session.era, session.instructions], [era, "Be modern."]);
      const params = { name: "echo", arguments: { message: "hi" } };
      const result = (await session.request("tools/call", params)) as { content: unknown };
      assert.deepEqual(result.content, [{ type: "text", text: "hi" }]);
      session.end();
    });
  }

  test("a legacy server is asked, shaken hands with, and asked no more when it is known", async () => {
    await using directory = await temporaryDirectory();
    for (const [known, methods] of [
      [undefined, ["server/discover", "initialize", "notifications/initialized"]],
      ["legacy", ["initialize", "notifications/initialized"]],
    ] as const) {
      const log = directory.file(`${known}.log`);
      await using sample = opener(fixtureCommand("old", ["--log", log]), known);
      const { session } = await sample.open();
      assert.deepEqual([session.era, session.protocolVersion], ["legacy", "2024-11-05"]);
      await session.request("tools/list", {});
      const received = receivedMessages(readLog(log)).map(({ method }) => method);
      // One that starts slowly is asked whether it runs.
      assert.deepEqual(
        received.filter((method) => method !== "ping" && method !== "notifications/cancelled"),
        [...methods, "tools/list"],
      );
    }
  });

  test("a legacy server over HTTP gets its session", async () => {
    await using fixture = await startHttpFixture("http");
    await using sample = opener({ command: undefined, transport: "http", url: fixture.url });
    const { session } = await sample.open();
    assert.equal(session.era, "legacy");
    await session.request("tools/list", {});
  });

  test("a server that leaves at the question is started again and not asked", async () => {
    await using sample = opener(leavesAtTheQuestion);
    const { session, channel } = await sample.open();
    assert.equal(session.era, "legacy");
    assert.equal(sample.channels.length, 2);
    assert.equal(channel, sample.channels[1]);
    await session.request("tools/list", {});
    assert.deepEqual(sample.closings, [], "the session that was opened is not closed");
  });

  test("a server that leaves at the question can be connected", async () => {
    await using sample = opener(leavesAtTheQuestion);
    const connection = createServerConnection({
      name: "s",
      connectTimeoutMs: 20_000,
      idleTimeoutMs: 0,
      retry: { firstMs: 1_000, maxMs: 60_000, maxCooldownMs: 1_000 },
      async open({ signal, onOpened, onClose }) {
        const { options, handlers } = sample;
        return {
          opened: await openSession({ ...options, signal, onOpened }, { ...handlers, onClose }),
          toolCount: 0,
        };
      },
      staysConnected: () => false,
      emit: () => undefined,
      hide: (text) => text,
      onLeft: () => undefined,
    });
    try {
      const { session } = await connection.ensure();
      await session.request("tools/list", {});
      assert.equal(connection.facts().state, "connected");
    } finally {
      await connection.close("done");
    }
  });

  test("a server that leaves whatever it is asked is reported with how it left", async () => {
    await using sample = opener(script("process.stderr.write('no licence\\n'); process.exit(3);"));
    await assert.rejects(sample.open(), { message: /code 3$/, said: "no licence" });
    assert.ok(sample.channels.length <= 2);
  });

  test("a server that does not answer what it does not know is shaken hands with", async () => {
    await using sample = opener(script(""));
    const { session } = await sample.open();
    assert.equal(session.era, "legacy");
    await session.request("tools/list", {});
  });

  test("a server that starts slowly is spoken to in the era that it settled on", async () => {
    await using sample = opener({
      command: "/bin/sh",
      args: [
        "-c",
        'sleep 3; exec "$@"',
        "slow",
        process.execPath,
        ...fixtureCommand("modern").args,
      ],
    });
    const { session } = await sample.open();
    const { tools } = (await session.request("tools/list", {})) as { tools: unknown[] };
    assert.ok(tools.length > 0);
    session.end();
  });

  test("an address that takes no POST is tried as the transport of before", async () => {
    await using fixture = await startHttpFixture("sse");
    for (const known of [undefined, "legacy"] as const) {
      await using sample = opener(
        { command: undefined, transport: "http", url: fixture.url },
        known,
      );
      const { session } = await sample.open();
      assert.equal(session.protocolVersion, "2024-11-05");
      await session.request("tools/list", {});
    }
  });

  for (const status of [404, 405, 401, 500]) {
    test(`an address that answers everything with ${status} is reported as such`, async () => {
      const asked: (string | undefined)[] = [];
      await using server = await listen((request, response) => {
        asked.push(request.method);
        response.writeHead(status).end();
      });
      await using sample = opener({ command: undefined, transport: "http", url: server.url });
      await assert.rejects(sample.open(), { name: "TransportError", status });
      assert.equal(asked.includes("GET"), status === 404 || status === 405);
    });
  }

  test("giving up while it is opened ends it, and nothing is tried another way", async () => {
    await using sample = opener(script("return;"));
    const controller = new AbortController();
    const opening = openSession(
      {
        ...sample.options,
        signal: controller.signal,
        onOpened(channel) {
          sample.channels.push(channel);
          controller.abort(new Error("enough"));
        },
      },
      sample.handlers,
    );
    await assert.rejects(opening, /enough/);
    assert.equal(sample.channels.length, 1);
  });

  test("a command that does not exist is reported at once", async () => {
    await using sample = opener({ command: "/nonexistent/server" });
    await assert.rejects(sample.open(), { name: "TransportError", sent: false });
    assert.equal(sample.channels.length, 0);
  });

  test("an answer that is too large fails its request and leaves the session alone", async () => {
    await using sample = opener({ ...fixtureCommand("echo"), maxMessageBytes: 20_000 }, "legacy");
    const { session } = await sample.open();
    const call = (message: string) =>
      session.request("tools/call", { name: "echo", arguments: { message } });
    await assert.rejects(call("x".repeat(30_000)), /bytes are too many/);
    await call("after");
  });

  test("what is no message is reported as noise", async () => {
    await using sample = opener(fixtureCommand("fault"), "legacy");
    const { session } = await sample.open();
    await session.request("tools/call", { name: "junk", arguments: {} });
    assert.ok(sample.noise.length >= 4, JSON.stringify(sample.noise));
  });
});
