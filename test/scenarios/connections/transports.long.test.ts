import assert from "node:assert/strict";
import { realpathSync } from "node:fs";
import { suite, test } from "node:test";
import {
  fixtureCommand,
  readLog,
  receivedMessages,
  startHttpFixture,
  temporaryDirectory,
} from "../../fixtures/start-server.ts";
import { until } from "../../fixtures/until.ts";
import {
  callsAt,
  errorOf,
  fixture,
  planeOf,
  processFixture,
  runCli,
  textsOf,
  within,
  writeConfig,
} from "../support.ts";
import { countIn, entriesOf, listenTo, odd, structuredOf } from "./parts.ts";

suite("transports and negotiation", { concurrency: 4 }, () => {
  test("a child runs where the configuration says, with what it was given and none of our secrets", async () => {
    await using directory = await temporaryDirectory();
    process.env.TOOLPLANE_TEST_PARENT_SECRET = "CANARY-parent";
    const { env: cache, ...entry } = fixture("echo", [], { cwd: directory.path });
    const env = { ...(cache as object), GIVEN: "with $pace & 'quotes'", EMPTY: "" };
    await using plane = await planeOf({ echo: { ...entry, env } });
    const seen = structuredOf(await plane.call("echo.env"));
    assert.equal(seen.GIVEN, "with $pace & 'quotes'");
    assert.equal(seen.EMPTY, "");
    assert.equal(seen.PATH, process.env.PATH);
    assert.equal(seen.HOME, process.env.HOME);
    assert.doesNotMatch(JSON.stringify(seen), /CANARY/);
    assert.deepEqual(textsOf(await plane.call("echo.cwd")), [realpathSync(directory.path)]);
    delete process.env.TOOLPLANE_TEST_PARENT_SECRET;
  });

  test("what 'env' says wins over what is inherited", async () => {
    const { env: cache, ...entry } = processFixture("echo");
    await using plane = await planeOf({
      echo: { ...entry, env: { ...(cache as object), HOME: "/elsewhere" } },
    });
    assert.equal(structuredOf(await plane.call("echo.env")).HOME, "/elsewhere");
  });

  for (const args of [[], ["--sse"], ["--no-get"]]) {
    test(`Streamable HTTP with sessions works ${args.join(" ") || "with JSON answers"}`, async () => {
      await using directory = await temporaryDirectory();
      const log = directory.file("log");
      await using server = await startHttpFixture("http", [...args, "--log", log]);
      {
        await using plane = await planeOf({ remote: { url: server.url } });
        assert.deepEqual(textsOf(await plane.call("remote.echo", { message: "hé" })), ["hé"]);
        const headers = structuredOf(await plane.call("remote.headers"));
        assert.equal(headers["mcp-protocol-version"], "2025-11-25");
        assert.match(String(headers["mcp-session-id"]), /^[0-9a-f-]{36}$/);
      }
      const inSession = entriesOf(log, "received").filter(
        ({ message }) => message?.method === "tools/call",
      );
      assert.equal(new Set(inSession.map(({ sessionId }) => sessionId)).size, 1);
      assert.equal(entriesOf(log, "session-end").length, 1, "the session was ended with DELETE");
    });
  }

  test("the HTTP+SSE transport of before works when it is asked for", async () => {
    await using directory = await temporaryDirectory();
    const log = directory.file("log");
    await using server = await startHttpFixture("sse", ["--log", log]);
    await using plane = await planeOf({ old: { url: server.url, transport: "sse" } });
    const calls = ["a", "b", "c"].map((message) => plane.call("old.echo", { message }));
    assert.deepEqual((await Promise.all(calls)).flatMap(textsOf), ["a", "b", "c"]);
    assert.equal((await plane.servers.get("old")).protocolVersion, "2024-11-05");
    assert.equal(countIn(log, "initialize"), 1);
  });

  test("a URL that only knows the transport of before is found out", async () => {
    await using server = await startHttpFixture("sse");
    await using plane = await planeOf({ old: { url: server.url, transport: "http" } });
    assert.deepEqual(textsOf(await plane.call("old.echo", { message: "hi" })), ["hi"]);
  });

  test("the oldest, the newest legacy and the modern revision are distinguished and shown", async () => {
    await using directory = await temporaryDirectory();
    const servers = {
      old: fixture("old"),
      echo: fixture("echo"),
      modern: fixture("modern", ["--only"]),
    };
    const config = await writeConfig(directory, servers);
    const versions = { old: "2024-11-05", echo: "2025-11-25", modern: "2026-07-28" };
    await using plane = await planeOf(servers);
    for (const [name, version] of Object.entries(versions)) {
      assert.deepEqual(textsOf(await plane.call(`${name}.echo`, { message: name })), [name]);
      assert.equal((await plane.servers.get(name)).protocolVersion, version);
    }
    const words = [
      "servers",
      "show",
      "old",
      "--config",
      config,
      "--data-dir",
      directory.file("data"),
    ];
    const { code, stdout } = await runCli(words);
    assert.equal(code, 0);
    assert.match(stdout, /protocol\s+2024-11-05/);
  });

  test("what a server cannot do according to its handshake is not asked of it", async () => {
    await using directory = await temporaryDirectory();
    const log = directory.file("log");
    await using plane = await planeOf({ echo: fixture("echo", ["--log", log]) });
    assert.deepEqual(await plane.prompts.list("echo"), []);
    assert.deepEqual(await plane.resources.list(), []);
    assert.equal(countIn(log, "prompts/list") + countIn(log, "resources/list"), 0);
    assert.equal(countIn(log, "initialize"), 1);
  });

  test("a server that speaks both eras is spoken to in the one that 'protocol' names", async () => {
    await using directory = await temporaryDirectory();
    const log = directory.file("log");
    await using plane = await planeOf({
      both: fixture("modern", ["--log", log], { protocol: "legacy" }),
    });
    assert.deepEqual(textsOf(await plane.call("both.echo", { message: "x" })), ["x"]);
    assert.equal((await plane.servers.get("both")).protocolVersion, "2025-11-25");
    assert.equal(countIn(log, "server/discover"), 0);
  });

  test("a slow start does not change the era of a server that speaks both", {
    skip: process.platform === "win32",
  }, async () => {
    await using directory = await temporaryDirectory();
    const log = directory.file("log");
    const { command, args } = fixtureCommand("modern", ["--log", log]);
    const line = `sleep 4; exec '${command}' ${args.map((word) => `'${word}'`).join(" ")}`;
    await using plane = await planeOf({
      slow: { ...processFixture("modern"), command: "sh", args: ["-c", line] },
    });
    assert.deepEqual(textsOf(await plane.call("slow.echo", { message: "x" })), ["x"]);
    assert.equal((await plane.servers.get("slow")).protocolVersion, "2026-07-28");
    assert.equal(countIn(log, "initialize"), 1, "it was slow enough to be asked in both");
  });

  test("a server that cannot speak the era that 'protocol' names is not spoken to in the other", async () => {
    await using directory = await temporaryDirectory();
    const log = directory.file("log");
    await using plane = await planeOf({
      old: fixture("old", ["--log", log], { protocol: "modern" }),
    });
    assert.match(
      errorOf(await plane.call("old.echo", { message: "x" })).message,
      /'old'.*2026-07-28/,
    );
    assert.equal(countIn(log, "initialize"), 0);
  });

  test("a modern server over HTTP gets its mirrored argument as a header, whatever it holds", async () => {
    await using directory = await temporaryDirectory();
    const log = directory.file("log");
    await using server = await startHttpFixture("modern", ["--http", "--only", "--log", log]);
    await using plane = await planeOf({ modern: { url: server.url } });
    for (const region of ["eu-west", "Zürich ☂", " padded ", "a\r\nX-Evil: 1"]) {
      assert.deepEqual(textsOf(await plane.call("modern.region", { region })), [region]);
    }
    const headers = entriesOf(log, "received")
      .filter(({ message }) => message?.method === "tools/call")
      .map((entry) => entry.headers as Record<string, string>);
    assert.equal(headers[0]?.["mcp-param-region"], "eu-west");
    assert.equal(headers.length, 4);
    for (const each of headers) {
      assert.equal(each["mcp-session-id"], undefined);
      assert.equal(each["mcp-method"], "tools/call");
      assert.equal(each["x-evil"], undefined);
    }
  });

  test("a modern server is asked with the name and capabilities of the client in every request", async () => {
    await using directory = await temporaryDirectory();
    const log = directory.file("log");
    await using plane = await planeOf({
      modern: fixture("modern", ["--only", "--log", log], { protocol: "modern" }),
    });
    const sum = await plane.call("modern.add", { a: 2, b: 3 });
    assert.deepEqual(sum.result?.structuredContent, { sum: 5 });
    assert.equal(countIn(log, "initialize"), 0);
    for (const { params } of receivedMessages(readLog(log), "tools/call")) {
      const meta = params?._meta as Record<string, unknown>;
      assert.equal(meta["io.modelcontextprotocol/protocolVersion"], "2026-07-28");
      assert.ok(meta["io.modelcontextprotocol/clientInfo"]);
      assert.ok(meta["io.modelcontextprotocol/clientCapabilities"]);
    }
  });

  test("WebSocket: one socket serves many calls at once", async () => {
    await using directory = await temporaryDirectory();
    const log = directory.file("log");
    await using server = await startHttpFixture("websocket", ["--log", log]);
    await using plane = await planeOf({ ws: { url: server.url } });
    const messages = Array.from({ length: 30 }, (_, at) => `m${at}`);
    const outcomes = await Promise.all(
      messages.map((message) => plane.call("ws.echo", { message })),
    );
    assert.deepEqual(outcomes.flatMap(textsOf), messages);
    assert.equal(entriesOf(log, "upgrade").length, 1);
  });

  test("junk on standard output is counted and shown, and the answer arrives", async () => {
    await using plane = await planeOf({ fault: fixture("fault") });
    assert.deepEqual(textsOf(await plane.call("fault.junk")), ["after the junk"]);
    assert.ok((await plane.servers.get("fault")).noise >= 3);
    const noise = (await plane.servers.logs("fault")).filter(({ source }) => source === "noise");
    assert.ok(
      noise.some(({ text }) => text.includes("Starting up...")),
      JSON.stringify(noise),
    );
    assert.equal((await plane.servers.get("fault")).state, "connected");
  });

  test("questions with our own ids, a ping and an unknown method disturb no result", async () => {
    await using plane = await planeOf({ rpc: fixture("rpc") });
    const asked = ["ask_ping", "ask_unknown", "ask_ping", "ask_unknown"];
    const [ping, unknown, ...others] = await Promise.all(
      asked.map((tool) => plane.call(`rpc.${tool}`)),
    );
    assert.deepEqual(structuredOf(ping ?? {}), { result: {} });
    assert.equal((structuredOf(unknown ?? {}).error as { code: number }).code, -32601);
    assert.ok(others.every(({ ok }) => ok));
  });

  test("a timeout and an abort reach the server and free their slot", async () => {
    await using directory = await temporaryDirectory();
    const log = directory.file("log");
    await using plane = await planeOf({
      echo: fixture("echo", ["--log", log], { maxConcurrency: 1 }),
    });
    await plane.call("echo.echo", { message: "connected" });
    const late = await plane.call("echo.slow", { ms: 60_000 }, { timeoutMs: 400 });
    assert.equal(errorOf(late).code, "TIMEOUT");
    const controller = new AbortController();
    const aborted = plane.call("echo.slow", { ms: 60_000 }, { signal: controller.signal });
    await until("the second slow call", () => callsAt(log).length === 3);
    controller.abort();
    assert.equal(errorOf(await aborted).code, "CANCELLED");
    const next = plane.call("echo.echo", { message: "free" });
    assert.deepEqual(textsOf(await within("the next call", next)), ["free"]);
    const ids = receivedMessages(readLog(log), "tools/call").map(({ id }) => id);
    const cancelled = entriesOf(log, "cancelled").map(({ requestId }) => requestId);
    assert.deepEqual(cancelled, ids.slice(1, 3));
    assert.equal((await plane.servers.get("echo")).pending, 0);
  });

  test("a call that is aborted before its turn never reaches the server", async () => {
    await using directory = await temporaryDirectory();
    const log = directory.file("log");
    await using plane = await planeOf({ odd: odd(["--log", log], { maxConcurrency: 1 }) });
    const first = plane.call("odd.slow", { ms: 600 });
    await until("the first call", () => callsAt(log).length === 1);
    const controller = new AbortController();
    const second = plane.call("odd.slow", { ms: 1 }, { signal: controller.signal });
    await new Promise((resolve) => setTimeout(resolve, 50));
    controller.abort();
    assert.equal(errorOf(await second).code, "CANCELLED");
    assert.equal((await first).ok, true);
    assert.deepEqual(textsOf(await plane.call("odd.ok")), ["ok"]);
    assert.deepEqual(
      callsAt(log).map(({ name }) => name),
      ["slow", "ok"],
    );
  });

  test("more calls than a server takes and than may wait are refused at once, and only those", async () => {
    await using directory = await temporaryDirectory();
    const log = directory.file("log");
    const limits = { maxConcurrency: 2, maxQueue: 3 };
    await using plane = await planeOf({ state: fixture("state", ["--log", log], limits) });
    await plane.call("state.current");
    const calls = Array.from({ length: 10 }, () => plane.call("state.overlap", { ms: 300 }));
    const outcomes = await Promise.all(calls);
    const refused = outcomes.filter(({ ok }) => !ok);
    assert.deepEqual(
      refused.map((outcome) => errorOf(outcome).code),
      Array(5).fill("BUSY"),
    );
    const most = outcomes
      .filter(({ ok }) => ok)
      .map((outcome) => structuredOf(outcome).most as number);
    assert.deepEqual([most.length, Math.max(...most)], [5, 2]);
    assert.equal(callsAt(log).length, 6);
  });

  test("a server that does not know ping is healthy", async () => {
    await using directory = await temporaryDirectory();
    const log = directory.file("log");
    await using plane = await planeOf({ odd: odd(["--no-ping", "--log", log]) });
    const { servers } = await plane.doctor("odd");
    assert.equal(servers[0]?.ok, true, JSON.stringify(servers));
    assert.ok(countIn(log, "ping") + countIn(log, "tools/list") >= 1);
    assert.equal((await plane.servers.list({ connect: true }))[0]?.state, "connected");
  });

  test("progress that comes in one breath with the answer is reported before it", async () => {
    await using plane = await planeOf({ progress: fixture("progress") });
    const heard = listenTo(plane, "tool.progress", "tool.result");
    const outcome = await plane.call("progress.count", { steps: 25 });
    assert.deepEqual(textsOf(outcome), ["counted to 25"]);
    const steps = heard.flatMap((event) =>
      event.type === "tool.progress" ? [event.progress] : [],
    );
    // Ten in a second at most, and always the last one.
    assert.deepEqual(steps.slice(0, 10), [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    assert.ok(steps.length < 25, `${steps}`);
    assert.equal(steps.at(-1), 25);
    assert.equal(heard.at(-1)?.type, "tool.result");
    assert.ok(heard.every(({ callId }) => callId === outcome.call.id));
  });

  test("a malformed line is an error event, and the call succeeds", async () => {
    await using plane = await planeOf({ fault: fixture("fault") });
    const told: string[] = [];
    plane.on("server.error", ({ server, message }) => told.push(`${server}: ${message}`));
    assert.deepEqual(textsOf(await plane.call("fault.junk")), ["after the junk"]);
    assert.match(told[0] ?? "", /^fault: Protocol error: malformed line/);
  });
});
