import assert from "node:assert/strict";
import { test } from "node:test";
import { bob, openApprovals, queue } from "../../../test/samples/approvals.ts";
import { principalOf } from "../../model/principal.ts";

test("a plan is approved in part, in order, and stops where something fails", async (context) => {
  const { verbs, hold, ran, answers } = await openApprovals(context);
  const ids: string[] = [];
  for (let at = 0; at < 4; at++) ids.push(await hold(queue));
  const [plan] = await verbs.plans.list();
  assert.deepEqual(
    plan?.changes.map(({ id }) => id),
    ids,
  );
  const first = await verbs.plans.approve(String(plan?.id), { first: 1 });
  assert.deepEqual([first.plan.status, ran.length], ["partly", 1]);
  answers(() => ({ ok: false }));
  const second = await verbs.plans.approve(String(plan?.id));
  assert.deepEqual(
    second.plan.changes.map(({ status }) => status),
    ["done", "failed", "pending", "pending"],
  );
  const rejected = await verbs.plans.reject(String(plan?.id), {
    ids: [String(ids[2])],
    reason: "not this one",
  });
  assert.equal(rejected.changes[2]?.answer?.reason, "not this one");
  answers(() => ({ ok: true }));
  assert.equal(
    (await verbs.plans.approve(String(plan?.id), { ids: [String(ids[3])] })).plan.status,
    "done",
  );
  await hold(queue);
  assert.equal((await verbs.plans.list()).length, 2, "what comes later is another plan");
});

test("a plan belongs to its user alone", async (context) => {
  const { verbs, hold } = await openApprovals(context);
  await hold(queue);
  const [plan] = await verbs.plans.list();
  assert.deepEqual(await verbs.plans.list({ principal: bob }), []);
  await assert.rejects(verbs.plans.approve(String(plan?.id), {}, { principal: bob }), {
    code: "NOT_FOUND",
  });
});

test("an administrator sees every plan and runs none of another's", async (context) => {
  const { verbs, hold, ran } = await openApprovals(context);
  await hold(queue);
  const principal = principalOf({ user: "root", scopes: ["admin"] });
  const [plan] = await verbs.plans.list({ principal });
  assert.equal(plan?.changes.length, 1);
  await assert.rejects(verbs.plans.approve(String(plan?.id), {}, { principal }), {
    code: "FORBIDDEN",
  });
  assert.deepEqual(ran, []);
});
