import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { routedCall, sampleMetadata, sampleTool } from "../../test/samples/calls.ts";
import { moveTime, settled, useMockedTime } from "../../test/samples/mocked-time.ts";
import { noRouting } from "../../test/samples/routing.ts";
import { type ErrorCode, PlaneError } from "../model/errors.ts";
import { defaultRetry } from "../model/servers/server.ts";
import { execute } from "./execute.ts";
import { retryDelay } from "./retry.ts";

const write = sampleTool();
const repeatable = sampleTool({ metadata: sampleMetadata({ idempotency_key: true }) });

type Failure = { code: ErrorCode; sent?: boolean; retryAt?: string; retryInMs?: number };

/** Executes with a provider that fails in these ways, one after the other, and then answers. */
function run(
  tool: typeof write,
  failures: readonly Failure[],
  limitMs = 600_000,
  signal?: AbortSignal,
) {
  const retries: { attempt: number; delayMs: number; reason: string }[] = [];
  const startedAt: number[] = [];
  const call = execute(
    routedCall(tool, limitMs),
    {
      provider: () => async () => {
        const failure = failures[startedAt.length];
        startedAt.push(Date.now());
        if (failure === undefined) return { content: [] };
        const { code, ...data } = failure;
        throw new PlaneError(code, "It failed.", { data });
      },
      checkOutput: async () => [],
      onRetry: (_, retry) => retries.push(retry),
      onProgress: () => undefined,
      routing: noRouting,
      answer: async () => ({}),
    },
    { cancellation: signal },
  );
  return { call: settled(call), executed: call, retries, startedAt };
}

/** Long enough for every attempt there may be. */
async function wait(): Promise<void> {
  for (let at = 0; at < 10; at += 1) await moveTime(defaultRetry.maxDelayMs * 1.25);
}

const lost: Failure = { code: "SERVER_UNAVAILABLE", sent: true };
const notSent: Failure = { code: "SERVER_UNAVAILABLE", sent: false };
const always = Array.from({ length: 9 }, () => lost);
const unknown: Failure = { code: "SERVER_UNAVAILABLE" };

const cases: [
  title: string,
  tool: typeof write,
  failures: Failure[],
  tries: number,
  ends: ErrorCode | "ok",
][] = [
  ["a write that may have arrived is never sent again", write, [lost], 1, "OUTCOME_UNKNOWN"],
  ["a provider that asks for a moment gets it", write, [{ ...notSent, retryInMs: 2_000 }], 2, "ok"],
  [
    "a provider that asks for an hour is not waited for",
    write,
    [{ ...notSent, retryInMs: 3_600_000 }],
    1,
    "SERVER_UNAVAILABLE",
  ],
  ["a write of which nothing is known is never sent again", write, [unknown], 1, "OUTCOME_UNKNOWN"],
  [
    "a write that timed out at the provider is never sent again",
    write,
    [{ code: "TIMEOUT" }],
    1,
    "OUTCOME_UNKNOWN",
  ],
  ["a write that was provably not sent is tried again", write, [notSent], 2, "ok"],
  [
    "a write is sent again only as long as none arrived",
    write,
    [notSent, lost],
    2,
    "OUTCOME_UNKNOWN",
  ],
  ["a repeatable call is tried again after it was lost", repeatable, [lost], 2, "ok"],
  [
    "a repeatable call is tried again after a timeout",
    repeatable,
    [{ code: "TIMEOUT", sent: true }],
    2,
    "ok",
  ],
  [
    "a repeatable call ends with the last failure",
    repeatable,
    always,
    defaultRetry.attempts,
    "SERVER_UNAVAILABLE",
  ],
  [
    "an answer of the provider is not asked for twice",
    repeatable,
    [{ code: "PROVIDER_FAILED" }],
    1,
    "PROVIDER_FAILED",
  ],
  [
    "a server that says when to come back is not asked before",
    repeatable,
    [{ ...notSent, retryAt: "2026-03-01T12:00:00.000Z" }],
    1,
    "SERVER_UNAVAILABLE",
  ],
];

suite("retries", () => {
  useMockedTime();

  for (const [title, tool, failures, tries, ends] of cases) {
    test(title, async () => {
      const { call, executed, startedAt, retries } = run(tool, failures);
      await wait();
      assert.equal(startedAt.length, tries);
      assert.equal(retries.length, tries - 1);
      if (ends === "ok") return assert.equal((await executed).executed.attempts.length, tries);
      const { code, data } = call.reason<PlaneError>();
      assert.deepEqual([code, data.attempts], [ends, tries]);
      const history = data.history as { ok: boolean; error: string }[];
      assert.deepEqual(
        history.map(({ ok, error }) => [ok, error]),
        failures.slice(0, tries).map((failure) => [false, failure.code]),
      );
    });
  }

  test("each retry is announced with its delay and reason, and comes after that delay", async () => {
    const { retries, startedAt } = run(repeatable, always);
    await wait();
    assert.equal(retries.length, defaultRetry.attempts - 1);
    assert.deepEqual([retries[0]?.attempt, retries[0]?.reason], [1, "It failed."]);
    for (const [at, { delayMs }] of retries.entries()) {
      assert.ok((startedAt[at + 1] ?? 0) - (startedAt[at] ?? 0) >= delayMs);
    }
  });

  test("a limit that ends during the wait ends the call, without another try", async () => {
    const { call, startedAt } = run(repeatable, [lost, lost], 500);
    await moveTime(500);
    assert.equal(call.reason<PlaneError>().code, "TIMEOUT");
    await wait();
    assert.equal(startedAt.length, 1);
  });

  test("a caller that gives up during the wait ends the call, without another try", async () => {
    const controller = new AbortController();
    const { call, startedAt } = run(repeatable, [lost, lost], 60_000, controller.signal);
    await moveTime(100);
    assert.equal(call.state, "pending");
    controller.abort();
    await moveTime(0);
    assert.equal(call.reason<PlaneError>().code, "CANCELLED");
    await wait();
    assert.equal(startedAt.length, 1);
  });
});

test("at most three attempts, one second doubled up to ten, a quarter of jitter", () => {
  assert.deepEqual(defaultRetry, { attempts: 2, delayMs: 1_000, maxDelayMs: 10_000 });
});

test("delays double from one second up to ten, give or take a quarter", () => {
  const delays = (random: number) =>
    [1, 2, 3, 4, 5, 6].map((failures) => retryDelay(failures, defaultRetry, () => random));
  assert.deepEqual(delays(0.5), [1_000, 2_000, 4_000, 8_000, 10_000, 10_000]);
  assert.deepEqual(delays(0), [750, 1_500, 3_000, 6_000, 7_500, 7_500]);
  assert.deepEqual(delays(1), [1_250, 2_500, 5_000, 10_000, 12_500, 12_500]);
  for (let failures = 1; failures < 9; failures += 1) assert.ok(retryDelay(failures) >= 750);
});
