import "../../../../test/samples/no-colors.ts";
import assert from "node:assert/strict";
import { test } from "node:test";
import { openApprovals, queue } from "../../../../test/samples/approvals.ts";
import { renderPlan, renderPlans } from "./plans.ts";

test("a plan is a numbered list with a mark for what became of each change", async (context) => {
  const { verbs, hold } = await openApprovals(context);
  await hold(queue);
  await hold(queue);
  const [before] = await verbs.plans.list();
  const id = String(before?.id);
  await verbs.plans.approve(id, { first: 1 });
  const plan = await verbs.plans.reject(id, { reason: "enough" });
  const text = renderPlan(plan);
  assert.match(text, new RegExp(`^Plan ${id} done\n\n1\\. ✔ .* done\n`));
  assert.match(text, /\n2\. - .* rejected\n(.*\n)* {5}# it may write\n {5}# enough$/);
  assert.match(renderPlans([plan], Date.now()), /done +0 of 2 +ann/);
  assert.equal(renderPlans([], 0), "There is no plan.");
});
