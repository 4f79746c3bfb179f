import assert from "node:assert/strict";
import { test } from "node:test";
import { routedCall, sampleMetadata, sampleTool } from "../../../test/samples/calls.ts";
import { Budgets } from "../../model/config/config.ts";
import { createBudgets, type Meter } from "./budgets.ts";

type Who = { user?: string; persona?: string | null; conversation?: string | undefined };

function budgetsOf(setting: object = {}) {
  let now = 0;
  const parsed = Budgets.parse(setting);
  const budgets = createBudgets(
    () => parsed,
    () => now,
  );
  const callOf = (cost: object, who: Who) => {
    const { user = "ada", persona = null } = who;
    const conversation = "conversation" in who ? who.conversation : "c1";
    const call = routedCall(sampleTool({ metadata: sampleMetadata(cost) }));
    const options = conversation === undefined ? {} : { conversation };
    return { ...call, options, principal: { ...call.principal, user, persona } };
  };
  const meter = (cost: object = {}, who: Who = {}) => budgets.meter(callOf(cost, who)) as Meter;
  const principal = callOf({}, {}).principal;
  return {
    budgets,
    meter,
    principal,
    pass(ms: number) {
      now += ms;
    },
    run(ms: number, cost: object = {}, who: Who = {}, wasReceived = true) {
      const one = meter(cost, who);
      one.reserve();
      one.start();
      now += ms;
      one.settle(wasReceived);
    },
  };
}

const dear = { cost_per_call: 0.4, cost_unit: "USD" };

test("a call without a conversation and without a price is not counted", () => {
  assert.equal(budgetsOf().meter({}, { conversation: undefined }), undefined);
});

test("a connection of the gateway is no conversation: its calls are paid for, and their time is not counted", () => {
  const { budgets, principal } = budgetsOf({ maxToolDurationMs: 10, maxCost: 0.5 });
  const call = (cost: object) => ({
    ...routedCall(sampleTool({ metadata: sampleMetadata(cost) })),
    options: { conversation: "c1" },
    principal,
    face: "mcp" as const,
  });
  assert.equal(budgets.meter(call({})), undefined);
  const paid = budgets.meter(call(dear)) as Meter;
  paid.reserve();
  paid.start();
  paid.settle(true);
  assert.equal(budgets.spentHere("c1", principal).spentMs, 0);
  assert.throws(() => budgets.meter(call(dear))?.reserve(), { code: "BUDGET_EXCEEDED" });
});

test("the tools of a conversation may run for two minutes in all, then it is refused", () => {
  const { run, meter, budgets, principal } = budgetsOf();
  run(119_999);
  run(1);
  assert.throws(() => meter().check(), {
    code: "BUDGET_EXCEEDED",
    message:
      "'notes.write' was not run: the tools of this conversation have run for 120 s of 120 s. Start another conversation, or raise 'budgets.maxToolDurationMs'.",
    data: {
      tool: "notes.write",
      sent: false,
      retryAt: null,
      budget: "time",
      spent: 120_000,
      limit: 120_000,
      key: "budgets.maxToolDurationMs",
    },
  });
  meter({}, { conversation: "c2" }).check();
  meter({}, { user: "bob" }).check();
  budgets.forget("c1", principal);
  meter().check();
});

test("what still runs counts, so that many at once are not all let in by the same rest", () => {
  const { meter, pass, budgets, principal } = budgetsOf({ maxToolDurationMs: 1_000 });
  const running = [meter(), meter()];
  for (const one of running) {
    one.reserve();
    one.start();
  }
  pass(500);
  assert.throws(() => meter().reserve(), { code: "BUDGET_EXCEEDED" });
  assert.equal(budgets.spentHere("c1", principal).spentMs, 1_000);
});

test("time in which a person is asked is not the tool's, and a try that never began takes none", () => {
  const { meter, pass, budgets, principal } = budgetsOf();
  const one = meter();
  one.reserve();
  one.start();
  pass(10);
  const first = one.pause();
  const second = one.pause();
  pass(50_000);
  first();
  first();
  pass(50_000);
  second();
  pass(5);
  one.settle(true);
  one.reserve();
  pass(1_000);
  one.settle(false);
  assert.equal(budgets.spentHere("c1", principal).spentMs, 15);
});

test("0 is no limit of time", () => {
  const { run, budgets, principal } = budgetsOf({ maxToolDurationMs: 0 });
  run(10_000_000);
  run(1);
  assert.equal(budgets.spentHere("c1", principal).limitMs, null);
});

test("calls of a conversation cost no more than it may spend, and fractions add up", () => {
  const { run, budgets, principal } = budgetsOf({ maxCost: 1.2 });
  for (let at = 0; at < 3; at += 1) run(1, dear);
  assert.throws(() => run(1, dear), {
    code: "BUDGET_EXCEEDED",
    message:
      "'notes.write' was not run: it costs 0.4 USD, and this conversation has spent 1.2 of 1.2. Start another conversation, or raise 'budgets.maxCost'.",
  });
  assert.deepEqual(budgets.spentHere("c1", principal).cost, { USD: 1.2 });
  run(1, {});
});

test("money is set aside while a call runs, and comes back when no provider received it", () => {
  const { meter, run, budgets, principal } = budgetsOf({ maxCost: 0.5 });
  const running = meter(dear);
  running.reserve();
  assert.throws(() => meter(dear).reserve(), { code: "BUDGET_EXCEEDED" });
  running.start();
  running.settle(false);
  run(1, dear, {}, false);
  assert.deepEqual(budgets.spentHere("c1", principal).cost, {});
  run(1, dear);
  assert.deepEqual(budgets.spentHere("c1", principal).cost, { USD: 0.4 });
});

test("units are kept apart, and a limit may name its unit", () => {
  const { run } = budgetsOf({ maxCost: { USD: 0.5 } });
  run(1, dear);
  for (let at = 0; at < 9; at += 1) run(1, { cost_per_call: 5 });
  assert.throws(() => run(1, dear), { code: "BUDGET_EXCEEDED" });
  const every = budgetsOf({ maxCost: 5 });
  every.run(1, { cost_per_call: 5 });
  every.run(1, dear);
  assert.deepEqual(every.budgets.spentHere("c1", every.principal).cost, { units: 5, USD: 0.4 });
});

test("a persona's limit counts all its conversations, and calls that belong to none", () => {
  const { run, budgets, principal } = budgetsOf({ perPersona: { Atlas: { maxCost: 0.8 } } });
  run(1, dear, { persona: "Atlas" });
  run(1, dear, { persona: "Atlas", conversation: undefined });
  assert.throws(() => run(1, dear, { persona: "Atlas", conversation: "c9" }), {
    code: "BUDGET_EXCEEDED",
    message: /persona 'Atlas' has spent 0\.8 of 0\.8\. Raise 'budgets\.perPersona\.Atlas\.maxCost'/,
  });
  run(1, dear, { persona: "Other" });
  assert.deepEqual(budgets.spentHere("c1", { ...principal, persona: "Atlas" }).persona, {
    name: "Atlas",
    cost: { USD: 0.8 },
    maxCost: 0.8,
  });
});

test("what one ledger refuses is taken from none", () => {
  const { run, budgets, principal } = budgetsOf({ perPersona: { Atlas: { maxCost: 0 } } });
  assert.throws(() => run(1, dear, { persona: "Atlas" }));
  assert.deepEqual(budgets.spentHere("c1", principal).cost, {});
});

test("ten thousand conversations are kept in mind, the longest unused are forgotten first", () => {
  const { run, budgets, principal } = budgetsOf();
  run(7);
  for (let at = 0; at < 9_999; at += 1) run(1, {}, { conversation: `x${at}` });
  run(1);
  run(1, {}, { conversation: "one more" });
  assert.equal(budgets.spentHere("c1", principal).spentMs, 8);
  assert.equal(budgets.spentHere("x0", principal).spentMs, 0);
  assert.equal(budgets.spentHere("x1", principal).spentMs, 1);
});
