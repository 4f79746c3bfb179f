import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { suite, test } from "node:test";
import { createPlane, type Outcome, principalOf } from "../../src/index.ts";
import {
  readLog,
  receivedMessages,
  startHttpFixture,
  temporaryDirectory,
} from "../fixtures/start-server.ts";
import {
  assertFailed,
  callsAt,
  errorOf,
  fixture,
  planeOf,
  startServe,
  writeConfig,
} from "./support.ts";

const hello = { message: "hello" };

suite("how often a server and a tool are asked", { concurrency: 4 }, () => {
  test("a call beyond rateLimitPerMinute is refused at once with the moment to come back", async () => {
    await using directory = await temporaryDirectory();
    const log = directory.file("log");
    await using plane = await planeOf({
      echo: fixture("echo", ["--log", log], { rateLimitPerMinute: 6 }),
    });
    assert.equal((await plane.call("echo.echo", hello)).ok, true);
    const second = await plane.call("echo.echo", hello);
    assertFailed(second, "RATE_LIMITED", "failed");
    const { message, server, data, recoverable } = errorOf(second);
    assert.match(
      message,
      /Server 'echo' takes 6 calls a minute \('rateLimitPerMinute'\).*in \d+ s/,
    );
    assert.deepEqual([server, recoverable, second.call.attempts], ["echo", true, 0]);
    assert.ok(Number(data.retryInMs) > 5_000 && Date.parse(String(data.retryAt)) > Date.now());
    assert.equal(callsAt(log).length, 1);
    const { health } = await plane.tools.get("echo.echo");
    assert.deepEqual(
      [health.total, health.failure],
      [1, 0],
      "what was not run says nothing about the tool",
    );
  });

  test("a call that is only a little too early waits for its turn", async () => {
    await using plane = await planeOf({ echo: fixture("echo", [], { rate_limit_per_minute: 60 }) });
    const outcomes = await Promise.all(
      Array.from({ length: 12 }, () => plane.call("echo.echo", hello)),
    );
    assert.deepEqual(
      outcomes.map(({ ok }) => ok),
      outcomes.map(() => true),
    );
    const longest = Math.max(...outcomes.map(({ call }) => call.durationMs));
    assert.ok(
      longest > 1_000,
      `ten at once, two a second later each; the longest took ${longest} ms`,
    );
  });

  test("a manifest limits its tool, and tools of the same server go on", async () => {
    const limited = {
      name: "greet",
      description: "Greets.",
      side_effects: "none" as const,
      parameters: { type: "object", properties: { message: { type: "string" } } },
      rate_limit_per_minute: 1,
      providers: [{ name: "mcp", config: { server: "echo", tool: "echo" } }],
    };
    await using plane = await createPlane({
      config: { mcpServers: { echo: fixture("echo") }, tools: { greet: limited } },
    });
    assert.equal((await plane.call("greet", hello)).ok, true);
    const second = await plane.call("greet", hello);
    assertFailed(second, "RATE_LIMITED", "failed");
    assert.match(
      errorOf(second).message,
      /Tool 'greet' takes 1 call a minute \('rate_limit_per_minute'\)/,
    );
    assert.equal((await plane.call("echo.echo", hello)).ok, true);
  });

  test("over HTTP it is 429 with the real seconds to wait", async () => {
    await using directory = await temporaryDirectory();
    const config = await writeConfig(directory, {
      echo: fixture("echo", [], { rateLimitPerMinute: 2 }),
    });
    await using serving = await startServe(config, directory.file("data"));
    const post = () =>
      fetch(`${serving.url}/tools/echo.echo/call`, {
        method: "POST",
        body: JSON.stringify({ arguments: hello }),
      });
    assert.equal((await post()).status, 200);
    const second = await post();
    const seconds = Number(second.headers.get("retry-after"));
    assert.equal(second.status, 429);
    assert.ok(seconds > 10 && seconds <= 30, `retry-after: ${seconds}`);
    assert.equal(((await second.json()) as { code: string }).code, "RATE_LIMITED");
  });

  test("200 calls of a server that always fails are retried for a fifth of them at most", async () => {
    await using directory = await temporaryDirectory();
    const log = directory.file("log");
    await using failing = await startHttpFixture("http", ["--fail", "100000", "--log", log]);
    await using plane = await planeOf({
      failing: { url: failing.url, trusted: true, circuit: { failures: 0 } },
    });
    await plane.tools.list();
    const calls = Array.from({ length: 200 }, () => plane.call("failing.add", { a: 1, b: 2 }));
    const outcomes = await Promise.all(calls);
    for (const outcome of outcomes) assertFailed(outcome, "SERVER_UNAVAILABLE", "failed");
    const reached = callsAt(log).length;
    assert.ok(reached > 200 && reached <= 1.2 * 200 + 3, `${reached} requests reached it`);
    const final = outcomes.filter(({ call }) => call.attempts === 1).map(errorOf);
    assert.match(
      final[0]?.message ?? "",
      /not tried again\. The retries of server 'failing' are used up: at most a fifth/,
    );
  });

  test("every attempt of a call carries the same idempotency key, and another call another", async () => {
    await using directory = await temporaryDirectory();
    const log = directory.file("log");
    await using failing = await startHttpFixture("http", ["--fail", "1", "--log", log]);
    await using plane = await planeOf({ failing: { url: failing.url, idempotency_key: true } });
    const first = await plane.call("failing.add", { a: 1, b: 2 });
    const second = await plane.call("failing.add", { a: 1, b: 2 }, { idempotencyKey: "order-7" });
    const keys = receivedMessages(readLog(log), "tools/call").map(
      ({ params }) =>
        (params?._meta as Record<string, unknown> | undefined)?.["toolplane/idempotencyKey"],
    );
    assert.deepEqual(keys.slice(0, 2), [first.call.id, first.call.id]);
    assert.match(String(keys[2]), /^order-7\.[0-9a-f]{24}$/);
    assert.equal(second.ok, true);
    const bad = await plane.call("failing.add", { a: 1, b: 2 }, { idempotencyKey: "two\r\nlines" });
    assertFailed(bad, "USAGE", "refused");
  });

  test("an HTTP endpoint gets the key as a header; a tool that is declared to read sends none", async () => {
    const seen: unknown[] = [];
    const endpoint = createServer(({ headers }, response) => {
      seen.push(headers["idempotency-key"]);
      response.statusCode = seen.length === 1 ? 500 : 200;
      response.end("done");
    });
    await new Promise<void>((resolve) => endpoint.listen(0, "127.0.0.1", resolve));
    const url = `http://127.0.0.1:${(endpoint.address() as AddressInfo).port}/pay`;
    const tool = (name: string, more: object) => ({
      name,
      description: "Pays.",
      side_effects: "write" as const,
      providers: [{ name: "http", config: { url, method: "POST" } }],
      ...more,
    });
    const tools = {
      pay: tool("pay", { idempotency_key: { required: true } }),
      note: tool("note", { side_effects: "none" }),
    };
    await using plane = await createPlane({ config: { tools } });
    const outcomes: Outcome[] = [await plane.call("pay"), await plane.call("note")];
    endpoint.closeAllConnections();
    endpoint.close();
    const [paid] = outcomes;
    assert.deepEqual(
      outcomes.map(({ ok }) => ok),
      [true, true],
    );
    assert.deepEqual(seen, [paid?.call.id, paid?.call.id, undefined]);
  });

  test("two principals that give one key are two callers for the server", async () => {
    await using directory = await temporaryDirectory();
    const log = directory.file("log");
    await using server = await startHttpFixture("http", ["--log", log]);
    await using plane = await planeOf({ notes: { url: server.url } });
    for (const user of ["ann", "bob", "ann"])
      await plane.call(
        "notes.write_note",
        { text: "x" },
        { idempotencyKey: "order-7", principal: principalOf({ user }) },
      );
    const [ann, bob, again] = receivedMessages(readLog(log), "tools/call").map(
      ({ params }) =>
        (params?._meta as Record<string, unknown> | undefined)?.["toolplane/idempotencyKey"],
    );
    assert.equal(ann, again);
    assert.notEqual(ann, bob);
  });

  test("a writing tool gets a key, and a caller's own reaches the server of any tool", async () => {
    await using directory = await temporaryDirectory();
    const log = directory.file("log");
    await using server = await startHttpFixture("http", ["--log", log]);
    const { url } = server;
    const mcpServers = { writing: { url, side_effects: "write" }, other: { url } } as const;
    await using plane = await createPlane({ config: { mcpServers } });
    const outcome = await plane.call("writing.add", { a: 1, b: 2 });
    await plane.call("other.add", { a: 1, b: 2 }, { idempotencyKey: "order-7" });
    const byItsName = await plane.call("other.add", { a: 1, b: 2 });
    const keys = receivedMessages(readLog(log), "tools/call").map(
      ({ params }) =>
        (params?._meta as Record<string, unknown> | undefined)?.["toolplane/idempotencyKey"],
    );
    assert.deepEqual([keys[0], keys[2]], [outcome.call.id, byItsName.call.id]);
    assert.match(String(keys[1]), /^order-7\.[0-9a-f]{24}$/);
  });
});
