import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { createPlane, type EventOf } from "../../src/index.ts";
import { scaledMs } from "../fixtures/patience.ts";
import { readLog, startHttpFixture, temporaryDirectory } from "../fixtures/start-server.ts";
import {
  assertFailed,
  callsAt,
  errorOf,
  fixture,
  planeOf,
  sleepyServer,
  textsOf,
  untilLogged,
  within,
} from "./support.ts";

suite("timeouts, retries and cancellation", { concurrency: 6 }, () => {
  test("a write that times out is sent exactly once and cancelled at the server", async () => {
    await using directory = await temporaryDirectory();
    const log = directory.file("log");
    await using plane = await planeOf({ fault: fixture("fault", ["--log", log]) });
    await plane.tools.list();
    const limitMs = scaledMs(200);
    const outcome = await plane.call("fault.wrong_id", {}, { timeoutMs: limitMs });
    assertFailed(outcome, "TIMEOUT", "failed");
    const { data, attempts, category, server, tool, recoverable } = errorOf(outcome);
    assert.deepEqual(
      { attempts, category, server, tool, recoverable },
      {
        attempts: 1,
        category: "transient",
        server: "fault",
        tool: "fault.wrong_id",
        recoverable: true,
      },
    );
    assert.deepEqual([data.limitMs, data.limitSetBy], [limitMs, "call"]);
    assert.equal(callsAt(log).length, 1);
    const [request] = readLog(log).filter(({ message }) => message?.method === "tools/call");
    // Questions before the handshake are cancelled, too.
    await untilLogged(
      log,
      ({ event, requestId }) => event === "cancelled" && requestId === request?.message?.id,
    );
  });

  test("the limit of the call wins over the limit of the server", async () => {
    await using plane = await planeOf({ echo: fixture("echo", [], { timeoutMs: 100 }) });
    const byServer = await plane.call("echo.slow", { ms: 60_000 });
    assertFailed(byServer, "TIMEOUT", "failed");
    assert.equal(errorOf(byServer).data.limitSetBy, "server");
    const byCall = await plane.call("echo.slow", { ms: 300 }, { timeoutMs: 20_000 });
    assert.deepEqual(textsOf(byCall), ["waited 300"]);
    const unlimited = await plane.call("echo.slow", { ms: 300 }, { timeoutMs: 0 });
    assert.deepEqual(textsOf(unlimited), ["waited 300"]);
  });

  test("the limit of a call holds while its server is still starting", async () => {
    await using plane = await planeOf({ sleepy: sleepyServer() });
    const calling = plane.call("sleepy.echo", { message: "hi" }, { timeoutMs: 300 });
    const outcome = await within("a call with a limit of 0.3 s", calling);
    assertFailed(outcome, "TIMEOUT", "failed");
  });

  test("a slow call does not hold up a fast one, nor does its failure touch it", async () => {
    await using plane = await planeOf({ echo: fixture("echo"), state: fixture("state") });
    const slow = plane.call("echo.slow", { ms: 60_000 }, { timeoutMs: 1_500 });
    const fast = await plane.call("echo.echo", { message: "fast" }, { timeoutMs: 20_000 });
    assert.deepEqual(textsOf(fast), ["fast"]);
    assertFailed(await slow, "TIMEOUT", "failed");
    const both = await Promise.all([1, 2].map(() => plane.call("state.overlap", { ms: 200 })));
    assert.deepEqual(both.at(-1)?.result?.structuredContent, { most: 2 });
  });

  test("progress keeps a call alive beyond its limit", async () => {
    await using plane = await planeOf({ progress: fixture("progress") });
    const seen: EventOf<"tool.progress">[] = [];
    plane.on("tool.progress", (event) => seen.push(event));
    await plane.tools.list();
    const timeoutMs = scaledMs(800);
    const outcome = await plane.call("progress.keep_alive", { ms: 2 * timeoutMs }, { timeoutMs });
    assert.deepEqual(textsOf(outcome), ["still alive"]);
    assert.ok(seen.length > 2);
    assert.equal(seen[0]?.callId, outcome.call.id);
  });

  test("a caller who gives up is cancelled at the server too", async () => {
    await using directory = await temporaryDirectory();
    const log = directory.file("log");
    await using plane = await planeOf({ echo: fixture("echo", ["--log", log], { trusted: true }) });
    const controller = new AbortController();
    const calling = plane.call("echo.slow", { ms: 60_000 }, { signal: controller.signal });
    await untilLogged(log, ({ message }) => message?.method === "tools/call");
    controller.abort();
    assertFailed(await within("cancelling", calling), "CANCELLED", "cancelled");
    await untilLogged(log, ({ event }) => event === "cancelled");
    const late = await plane.call("echo.echo", { message: "x" }, { signal: AbortSignal.abort() });
    assertFailed(late, "CANCELLED", "cancelled");
    assert.equal(callsAt(log).length, 1, "a call that was cancelled before is never sent");
  });

  test("a repeatable call is tried again after about a second and tells so", async () => {
    await using directory = await temporaryDirectory();
    const ledger = directory.file("ledger");
    await using plane = await planeOf({
      fault: fixture("fault", ["--ledger", ledger], { trusted: true }),
    });
    const retries: EventOf<"tool.retry">[] = [];
    plane.on("tool.retry", (event) => retries.push(event));
    const outcome = await plane.call("fault.drop_read", { times: 1 });
    assert.deepEqual(textsOf(outcome), ["received at last"]);
    assert.deepEqual([outcome.call.attempts, readLog(ledger).length, retries.length], [2, 2, 1]);
    const { delayMs = 0, callId } = retries[0] ?? {};
    assert.ok(delayMs >= 750 && delayMs <= 1_250, `waited ${delayMs} ms`);
    assert.equal(callId, outcome.call.id);
  });

  test("two attempts are all", async () => {
    await using directory = await temporaryDirectory();
    const ledger = directory.file("ledger");
    await using plane = await planeOf({
      fault: fixture("fault", ["--ledger", ledger], { trusted: true }),
    });
    const outcome = await plane.call("fault.drop_read", {});
    assertFailed(outcome, "SERVER_UNAVAILABLE", "failed");
    assert.deepEqual(
      [errorOf(outcome).attempts, outcome.call.attempts, readLog(ledger).length],
      [2, 2, 2],
    );
  });

  test("attempts and waits are set for all servers or for one, and the second wait is twice as long", async () => {
    await using directory = await temporaryDirectory();
    const ledger = directory.file("ledger");
    const server = fixture("fault", ["--ledger", ledger], {
      trusted: true,
      backoffMs: 1,
      retry: { attempts: 3 },
    });
    const retry = { attempts: 1, delayMs: 100, maxDelayMs: 150 };
    const mcpServers = { fault: server, once: fixture("fault", [], { trusted: true }) };
    await using plane = await createPlane({ config: { mcpServers, retry } });
    assert.equal(errorOf(await plane.call("once.drop_read", {})).attempts, 1);
    const delays: number[] = [];
    plane.on("tool.retry", ({ delayMs }) => delays.push(delayMs));
    const outcome = await plane.call("fault.drop_read", {});
    assertFailed(outcome, "SERVER_UNAVAILABLE", "failed");
    assert.deepEqual([errorOf(outcome).attempts, outcome.call.attempts], [3, 3]);
    assert.equal(readLog(ledger).length, 3);
    assert.equal(delays.length, 2);
    assert.ok((delays[1] ?? 0) >= 112 && (delays[1] ?? 0) <= 188, `waited ${delays[1]} ms`);
  });

  for (const [tool, why] of [
    ["drop_after_receipt", "a write"],
    ["drop_read", "a read by the word of an untrusted server"],
  ]) {
    test(`${why} whose answer is lost is not sent again: its outcome is unknown`, async () => {
      await using directory = await temporaryDirectory();
      const ledger = directory.file("ledger");
      await using plane = await planeOf({ fault: fixture("fault", ["--ledger", ledger]) });
      const outcome = await plane.call(`fault.${tool}`, { times: 1 });
      assertFailed(outcome, "OUTCOME_UNKNOWN", "failed");
      assert.deepEqual([outcome.call.attempts, readLog(ledger).length], [1, 1]);
      assert.match(errorOf(outcome).message, /may have run; check before you call it again/);
      assert.deepEqual([errorOf(outcome).server, errorOf(outcome).recoverable], ["fault", false]);
    });
  }

  test("the same holds over HTTP: a dropped write is unknown, a failed read is repeated", async () => {
    await using directory = await temporaryDirectory();
    const ledger = directory.file("ledger");
    await using dropping = await startHttpFixture("http", ["--drop", "--ledger", ledger]);
    await using failing = await startHttpFixture("http", ["--fail", "1"]);
    await using plane = await planeOf({
      dropping: { url: dropping.url },
      failing: { url: failing.url, trusted: true },
    });
    const [write, read] = await Promise.all([
      plane.call("dropping.write_note", { text: "once" }),
      plane.call("failing.add", { a: 1, b: 2 }),
    ]);
    assertFailed(write, "OUTCOME_UNKNOWN", "failed");
    assert.equal(readLog(ledger).length, 1);
    assert.deepEqual([read.result?.structuredContent, read.call.attempts], [{ sum: 3 }, 2]);
  });

  test("a refused connection is reported at once with the remedy", async () => {
    const gone = await startHttpFixture("http");
    await gone.stop();
    await using plane = await planeOf({ gone: { url: gone.url } });
    const outcome = await within(
      "a refused connection",
      plane.call("gone.echo", { message: "hi" }),
    );
    assertFailed(outcome, "SERVER_UNAVAILABLE", "failed");
    assert.match(
      errorOf(outcome).message,
      /nothing listens at 127\.0\.0\.1:\d+\. Is the server running\?/,
    );
    assert.doesNotMatch(errorOf(outcome).message, /[.?!]\./, "one full stop is enough");
    assert.equal(errorOf(outcome).server, "gone");
  });
});
