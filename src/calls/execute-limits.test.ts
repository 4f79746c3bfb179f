import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { routedCall, sampleMetadata, sampleTool } from "../../test/samples/calls.ts";
import { moveTime, settled, useMockedTime } from "../../test/samples/mocked-time.ts";
import { noRouting } from "../../test/samples/routing.ts";
import { Budgets } from "../model/config/config.ts";
import { PlaneError } from "../model/errors.ts";
import { execute } from "./execute.ts";
import { createBudgets } from "./limits/budgets.ts";
import { createCircuits } from "./limits/circuit-breaker.ts";
import { createPathLimits } from "./limits/limits.ts";
import { createSharedSlots } from "./limits/shared-slots.ts";

type Setting = { failures?: number; perMinute?: number; budgets?: object };

/** A tool that fails so often and then answers, behind real limits. */
function limited(tool: ReturnType<typeof sampleTool>, fails: number, setting: Setting = {}) {
  const { failures = 0, perMinute, budgets = {} } = setting;
  const circuits = createCircuits({
    setting: () => ({ failures, openMs: 30_000 }),
    onChange: () => undefined,
  });
  const parsed = Budgets.parse(budgets);
  const limits = createPathLimits({
    circuits,
    budgets: createBudgets(() => parsed),
    ratePerMinute: () => perMinute,
    concurrency: () => undefined,
    slots: createSharedSlots({
      shared: undefined,
      tell: async () => undefined,
      onTold: () => () => undefined,
    }),
  });
  let asked = 0;
  const keys: unknown[] = [];
  const run = (options: { conversation?: string } = {}, signal?: AbortSignal) =>
    execute(
      { ...routedCall(tool), options },
      {
        provider: () => async (_spec, _args, context) => {
          asked += 1;
          keys.push(context.idempotencyKey);
          if (asked > fails) return { content: [] };
          throw new PlaneError("SERVER_UNAVAILABLE", "It failed.", { data: { sent: true } });
        },
        checkOutput: async () => [],
        onRetry: () => undefined,
        onProgress: () => undefined,
        routing: noRouting,
        answer: async () => ({}),
        limits,
      },
      { cancellation: signal },
    );
  return { run, limits, asked: () => asked, keys };
}

const repeatable = sampleTool({
  metadata: sampleMetadata({ idempotency_key: true, cost_per_call: 1 }),
});

suite("executing within limits", () => {
  useMockedTime();

  test("the key is the same for every attempt", async () => {
    const { run, keys } = limited(repeatable, 1);
    const running = run();
    for (let at = 0; at < 5; at += 1) await moveTime(5_000);
    assert.equal((await running).executed.attempts.length, 2);
    assert.deepEqual(keys, ["call-1", "call-1"]);
  });

  test("when the retries are used up a failure is final and says so", async () => {
    const { run, asked } = limited(repeatable, 1_000);
    const calls = Array.from({ length: 30 }, () => settled(run()));
    for (let at = 0; at < 5; at += 1) await moveTime(5_000);
    assert.equal(asked(), 50);
    const used = calls
      .map((call) => call.reason<PlaneError>())
      .filter(({ data }) => data.attempts === 1);
    assert.match(
      used[0]?.message ?? "",
      /^It failed\. It is not tried again\. The retries of server 'notes'/,
    );
    assert.equal(used[0]?.code, "SERVER_UNAVAILABLE");
  });

  test("attempts of one call are one failure: the circuit opens when it has given up", async () => {
    const { run, asked } = limited(repeatable, 1_000, { failures: 1 });
    const call = settled(run());
    for (let at = 0; at < 3; at += 1) await moveTime(5_000);
    assert.equal(call.reason<PlaneError>().data.attempts, 2);
    const next = settled(run());
    await moveTime(0);
    assert.match(next.reason<Error>().message, /Server 'notes': circuit open since/);
    assert.deepEqual([next.reason<PlaneError>().data.attempts, asked()], [0, 2]);
  });

  test("a call that tries a server again tries it once, and says why it stops there", async () => {
    const { run, asked } = limited(repeatable, 1_000, { failures: 1 });
    settled(run());
    for (let at = 0; at < 10; at += 1) await moveTime(5_000);
    const probe = settled(run());
    await moveTime(0);
    assert.match(
      probe.reason<Error>().message,
      /^It failed\. It is not tried again\. Server 'notes': circuit open since/,
    );
    assert.equal(asked(), 3);
  });

  test("a retry has to be paid for like the first attempt", async () => {
    const { run, asked } = limited(repeatable, 1_000, { budgets: { maxCost: 1 } });
    const call = settled(run({ conversation: "c" }));
    for (let at = 0; at < 3; at += 1) await moveTime(5_000);
    const { code, data } = call.reason<PlaneError>();
    assert.deepEqual([code, data.attempts, asked()], ["BUDGET_EXCEEDED", 1, 1]);
  });

  test("a caller that gives up while it waits for its rate is cancelled and nothing was sent", async () => {
    const { run, asked } = limited(sampleTool(), 0, { perMinute: 15 });
    for (let at = 0; at < 3; at += 1) await run();
    const impatient = new AbortController();
    const call = settled(run({}, impatient.signal));
    await moveTime(100);
    assert.equal(call.state, "pending");
    impatient.abort();
    await moveTime(0);
    const { code, data } = call.reason<PlaneError>();
    assert.deepEqual([code, data.sent, asked()], ["CANCELLED", false, 3]);
  });
});
