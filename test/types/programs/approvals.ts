import { createPlane } from "toolplane";

await using plane = await createPlane({
  config: { policy: { mode: "debug" } },
  principal: { user: "ann" },
});
plane.on("approval.requested", async ({ approvalId, tool }) => {
  const { shown, verdict } = await plane.approvals.get(approvalId);
  const decision = tool === "demo.add" && Object.keys(shown).length < 3 ? "approve" : "reject";
  const { outcome } = await plane.approvals.answer(approvalId, {
    decision,
    reason: verdict.reason,
    remember: { for: "tool" },
  });
  if (outcome?.ok) outcome.result.content;
});
const held = await plane.approvals.list({ status: "pending" });
const [plan] = await plane.plans.list();
if (plan) await plane.plans.approve(plan.id, { first: 1 });
export const waiting: string[] = held.map(({ id }) => id);
