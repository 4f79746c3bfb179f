import assert from "node:assert/strict";
import http from "node:http";
import { suite, test } from "node:test";
import type { EventOf } from "../../../src/index.ts";
import { patientSeconds } from "../../fixtures/patience.ts";
import { temporaryDirectory } from "../../fixtures/start-server.ts";
import { until } from "../../fixtures/until.ts";
import { postCall } from "../requests.ts";
import {
  assertFailed,
  errorOf,
  planeOf,
  startServe,
  startServeProcess,
  textsOf,
  writeConfig,
} from "../support.ts";
import { openSockets } from "./probes.ts";
import { eventually, oracle, received, rogue, startRogue, statusOf } from "./rogue.ts";

suite("rogue: calls, timeouts and retries", { concurrency: 2 }, () => {
  test("twenty calls that hang end at their limit, are cancelled and hold up no other", async () => {
    await using directory = await temporaryDirectory();
    const log = directory.file("log");
    const limitSeconds = patientSeconds(2);
    const limitMs = limitSeconds * 1_000;
    // Room for all of them at once: how many a server gets is another promise.
    const hang = rogue("hang-call", ["--log", log], { timeoutMs: limitMs, maxConcurrency: 64 });
    const config = await writeConfig(directory, { hang });
    await using serving = await startServe(config, directory.file("data"));
    const { url } = serving;
    await postCall(url, "hang.ok", {});
    const hanging = Promise.all(Array.from({ length: 20 }, () => postCall(url, "hang.hang", {})));
    await until("twenty calls", () => received(log, "tools/call", "hang").length === 20);
    assert.equal((await postCall(url, "hang.ok", {})).status, 200);
    assert.deepEqual(
      received(log, "notifications/cancelled"),
      [],
      "it was answered while the others hang",
    );
    for (const { status, body } of await hanging) {
      assert.equal(status, 504);
      const { durationMs } = body.call as { durationMs: number };
      assert.ok(durationMs >= limitMs - 100, `${durationMs} ms`);
      assert.equal(body.server, "hang");
      assert.match(String(body.detail), new RegExp(`'hang\\.hang'.*\\b${limitSeconds} s`));
    }
    const asked = received(log, "tools/call", "hang").map(({ id }) => id);
    await until(
      "twenty cancellations",
      () => received(log, "notifications/cancelled").length === 20,
    );
    const cancelled = received(log, "notifications/cancelled").map(({ requestId }) => requestId);
    assert.deepEqual([...cancelled].sort(), [...asked].sort());
    assert.equal((await statusOf(url, "hang")).pending, 0);
  });

  test("fifty clients that hang up leave no call, no socket and nothing pending behind", async () => {
    await using directory = await temporaryDirectory();
    const log = directory.file("log");
    const config = await writeConfig(directory, { neighbour: rogue("echo", ["--log", log]) });
    await using serving = await startServeProcess(config, directory.file("data"));
    const { url } = serving;
    assert.equal((await postCall(url, "neighbour.echo", {})).status, 200);
    const before = openSockets(serving.process.pid);
    for (let round = 0; round < 5; round++) {
      await Promise.all(
        Array.from({ length: 10 }, () => hangUp(`${url}/tools/neighbour.sleep/call`)),
      );
    }
    const asked = received(log, "tools/call").filter(({ params }) => nameIn(params) === "sleep");
    assert.ok(asked.length > 0, "some of them reached the server");
    await until(
      "as many cancellations",
      () => received(log, "notifications/cancelled").length >= asked.length,
    );
    await eventually(
      "sockets as before",
      async () => openSockets(serving.process.pid) <= before + 1,
    );
    await eventually(
      "that nothing is pending",
      async () => (await statusOf(url, "neighbour")).pending === 0,
    );
    assert.equal((await postCall(url, "neighbour.echo", {})).status, 200);
  });

  test("a read that fails twice succeeds at the third attempt, after waits that grow and vary", async () => {
    await using directory = await temporaryDirectory();
    const log = directory.file("log");
    await using failing = await startRogue("http-500", ["--fail", "2", "--log", log]);
    await using plane = await planeOf({
      failing: { url: failing.url, trusted: true, retry: { attempts: 3 } },
    });
    const retries: EventOf<"tool.retry">[] = [];
    plane.on("tool.retry", (event) => retries.push(event));
    const items = Array.from({ length: 10 }, (_, at) => `item${at}`);
    const outcomes = await Promise.all(items.map((id) => plane.call("failing.read_item", { id })));
    for (const { ok, call, error } of outcomes) {
      assert.equal(call.attempts, 3, JSON.stringify(error));
      assert.equal(ok, true);
    }
    const waits = Object.values(Object.groupBy(retries, ({ callId }) => callId)).map((all = []) =>
      all.map(({ delayMs }) => delayMs),
    );
    assert.equal(waits.length, items.length);
    for (const [first = 0, second = 0] of waits)
      assert.ok(second > first, `${first} ms, then ${second} ms`);
    const firsts = waits.map(([first = 0]) => first);
    const mean = firsts.reduce((sum, wait) => sum + wait, 0) / firsts.length;
    const spread = (Math.max(...firsts) - Math.min(...firsts)) / mean;
    assert.ok(spread >= 0.1, `the first waits differ by ${Math.round(spread * 100)} %`);
    for (const { attempts } of await plane.calls.list()) {
      assert.deepEqual(
        attempts.map(({ ok }) => ok),
        [false, false, true],
      );
    }
  });

  test("a write that failed after it was done is not repeated, and its outcome is called unknown", async () => {
    await using directory = await temporaryDirectory();
    const ledger = directory.file("ledger");
    await using failing = await startRogue("http-500", ["--fail", "2", "--ledger", ledger]);
    await using plane = await planeOf({ failing: { url: failing.url, trusted: true } });
    const outcome = await plane.call("failing.create_item", { id: "once" });
    assertFailed(outcome, "OUTCOME_UNKNOWN", "failed");
    assert.match(errorOf(outcome).message, /may have run/);
    assert.equal(oracle(ledger).length, 1);
  });

  test("a write with an idempotency key is repeated and done once", async () => {
    await using directory = await temporaryDirectory();
    const ledger = directory.file("ledger");
    await using failing = await startRogue("http-500", ["--fail", "2", "--ledger", ledger]);
    await using plane = await planeOf({
      failing: { url: failing.url, trusted: true, retry: { attempts: 3 } },
    });
    const outcome = await plane.call("failing.put_item", { id: "one", idempotency_key: "key-1" });
    assert.equal(outcome.ok, true, JSON.stringify(outcome.error));
    assert.equal(outcome.call.attempts, 3);
    assert.equal(oracle(ledger).length, 1);
  });

  test("invalid arguments are refused with their place before anything is sent", async () => {
    await using directory = await temporaryDirectory();
    const log = directory.file("log");
    await using plane = await planeOf({ invalid: rogue("invalid-schema", ["--log", log]) });
    for (const [args, path] of [
      [{ a: "x" }, "/a"],
      [{}, ""],
    ] as const) {
      const outcome = await plane.call("invalid.good", args);
      assertFailed(outcome, "INVALID_ARGUMENTS", "refused");
      const [problem] = errorOf(outcome).data.problems as { path: string; message: string }[];
      assert.equal(problem?.path, path);
      assert.match(`${problem.path} ${problem.message}`, /\ba\b.*/);
    }
    assert.deepEqual(received(log, "tools/call"), []);
    const outcome = await plane.call("invalid.good", { a: 1, extra: 1 });
    assert.deepEqual(textsOf(outcome), ["called good"]);
    const [{ args } = { args: undefined }] = received(log, "tools/call");
    const isNamed = outcome.call.dropped.includes("extra");
    assert.deepEqual(
      args,
      isNamed ? { a: 1 } : { a: 1, extra: 1 },
      "dropped and named, or passed on",
    );
  });
});

/** Starts a call and is gone 200 ms later. */
function hangUp(url: string): Promise<void> {
  return new Promise((resolve) => {
    const request = http.request(url, { method: "POST", agent: false });
    request.on("error", () => undefined).on("close", () => resolve());
    request.end(JSON.stringify({ arguments: { ms: 60_000 } }));
    setTimeout(() => request.destroy(), 200);
  });
}

function nameIn(params: unknown): unknown {
  return (params as { name?: unknown } | undefined)?.name;
}
