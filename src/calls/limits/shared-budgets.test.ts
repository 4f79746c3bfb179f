import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { routedCall, sampleMetadata, sampleTool } from "../../../test/samples/calls.ts";
import { sharedCounts } from "../../../test/samples/shared-counts.ts";
import { Budgets } from "../../model/config/config.ts";
import { createBudgets, type Meter } from "./budgets.ts";
import { createRetryBudget } from "./retry-budget.ts";
import { createSharedBudgets } from "./shared-budgets.ts";

const call = (cost: object) => {
  const routed = routedCall(sampleTool({ metadata: sampleMetadata(cost) }));
  return {
    ...routed,
    options: { conversation: "c1" },
    principal: { ...routed.principal, user: "ada", persona: null },
  };
};
const { principal } = call({});

/** Two planes that count together. */
async function planesOf(context: TestContext, setting: object) {
  const shared = await sharedCounts(context);
  const parsed = Budgets.parse(setting);
  const time = { now: 0 };
  const planes = [1, 2].map(() =>
    createBudgets(
      () => parsed,
      () => time.now,
      createSharedBudgets(shared),
    ),
  ) as [ReturnType<typeof createBudgets>, ReturnType<typeof createBudgets>];
  context.after(() => Promise.all(planes.map(({ release }) => release())));
  const run = async (plane: 0 | 1, ms: number, cost: object = {}, wasReceived = true) => {
    const meter = planes[plane].meter(call(cost)) as Meter;
    await meter.reserve();
    meter.start();
    time.now += ms;
    meter.settle(wasReceived);
  };
  return { planes, run, shared };
}

const refused = { code: "BUDGET_EXCEEDED" };
const dear = { cost_per_call: 0.4, cost_unit: "USD" };

test("planes together never let a conversation spend more than it may", async (context) => {
  const { planes, run } = await planesOf(context, { maxCost: 1.2 });
  for (const plane of [0, 1, 0] as const) await run(plane, 1, dear);
  for (const plane of [0, 1] as const) await assert.rejects(run(plane, 1, dear), refused);
  assert.deepEqual((await planes[1].everywhere("c1", principal)).cost, { USD: 1.2 });
});

test("most calls are paid from what a plane has leased, and planes together spend no more than the limit", async (context) => {
  const { planes, run, shared } = await planesOf(context, { maxCost: 20 });
  const cheap = { cost_per_call: 0.1, cost_unit: "USD" };
  let made = 0;
  for (let over = 0; over < 2; ) {
    over = 0;
    for (const plane of [0, 1] as const)
      await run(plane, 1, cheap).then(
        () => {
          made += 1;
        },
        () => {
          over += 1;
        },
      );
  }
  assert.ok(made >= 198 && made <= 200, String(made));
  assert.ok(shared.asked < 120, `${shared.asked} requests`);
  await Promise.all(planes.map(({ release }) => release()));
  const { cost } = await planes[0].everywhere("c1", principal);
  assert.ok(Math.abs((cost.USD ?? 0) - made / 10) < 0.001, `${cost.USD} of ${made}`);
});

test("where cost is not limited, no call waits for the store", async (context) => {
  const { planes, run, shared } = await planesOf(context, { maxCost: null, maxToolDurationMs: 0 });
  const gate = Promise.withResolvers<void>();
  const { change } = shared;
  shared.change = async (...given) => {
    await gate.promise;
    return change(...given);
  };
  for (let call = 0; call < 5; call += 1) await run(0, 1, dear);
  gate.resolve();
  assert.deepEqual((await planes[0].everywhere("c1", principal)).cost, { USD: 2 });
});

test("a call that no provider received costs nothing on any plane", async (context) => {
  const { planes, run } = await planesOf(context, { maxCost: 0.5 });
  await run(0, 1, dear, false);
  assert.equal((await planes[0].everywhere("c1", principal)).cost.USD ?? 0, 0);
  await run(1, 1, dear);
  await assert.rejects(run(0, 1, dear), refused);
});

test("the time of a conversation is used up on all planes at once, and most calls do not ask the store", async (context) => {
  const { planes, run, shared } = await planesOf(context, { maxToolDurationMs: 60_000 });
  let made = 0;
  const isRefused = (thrown: unknown) =>
    assert.equal((thrown as { code: string }).code, refused.code);
  for (let over = 0; over < 2; ) {
    over = 0;
    for (const plane of [0, 1] as const)
      await run(plane, 100).then(
        () => {
          made += 1;
        },
        (thrown) => {
          over += 1;
          isRefused(thrown);
        },
      );
  }
  // Refused at the latest when the time is over, and no earlier than a few calls before.
  assert.ok(made > 590 && made <= 604, String(made));
  assert.ok(shared.asked < 80, String(shared.asked));
  const { spentMs } = await planes[0].everywhere("c1", principal);
  assert.ok(Math.abs(spentMs - made * 100) <= 250, String(spentMs));
  await planes[0].forget("c1", principal);
  await run(0, 100);
});

test("what a plane has taken and not used is there for the others", async (context) => {
  const { planes, run } = await planesOf(context, { maxToolDurationMs: 1_000 });
  await run(0, 10);
  await planes[0].release();
  assert.equal((await planes[1].everywhere("c1", principal)).spentMs, 10);
});

test("calls that begin together on one plane take one share", async (context) => {
  const { planes, shared } = await planesOf(context, {});
  const meters = Array.from({ length: 64 }, () => planes[0].meter(call({})) as Meter);
  await Promise.all(meters.map((meter) => meter.check()));
  assert.equal(shared.asked, 1);
});

test("where time is not limited, calls do not write to the store one by one", async (context) => {
  const { planes, run, shared } = await planesOf(context, { maxToolDurationMs: 0 });
  for (let at = 0; at < 50; at += 1) await run(0, 100);
  assert.equal(shared.asked, 0);
  assert.equal((await planes[0].everywhere("c1", principal)).spentMs, 5_000);
  await planes[0].release();
  assert.equal((await planes[1].everywhere("c1", principal)).spentMs, 5_000);
});

test("retries of planes together are as few as those of one", async (context) => {
  const shared = await sharedCounts(context);
  const planes = [createRetryBudget(shared), createRetryBudget(shared)] as const;
  let taken = 0;
  for (let at = 0; at < 50; at += 1) if (await planes[at % 2 === 0 ? 0 : 1].take("one")) taken += 1;
  assert.equal(taken, 20);
  for (let at = 0; at < 200; at += 1) planes[0].called("one");
  assert.equal(await planes[0].take("one"), true);
  shared.away = true;
  assert.equal(await planes[1].take("one"), true, "alone it may start again");
});
