import { z } from "zod";
import { heldStatuses } from "../../model/calls/held-call.ts";
import { Plan, RememberedApproval } from "../../model/calls/held-schema.ts";
import { OutcomeSchema } from "./outcome.ts";

export const HeldStatusSchema = z.enum(heldStatuses, `give one of ${heldStatuses.join(", ")}`);

export const ShownPlan = Plan.omit({ owner: true }).meta({
  id: "Plan",
  description: "The changes that were queued in one conversation.",
});

export const PlanOutcomeSchema = z.object({
  plan: ShownPlan,
  outcomes: z.array(z.object({ change: z.string(), outcome: OutcomeSchema.nullable() })),
});

export const ShownRemembered = RememberedApproval.omit({ owner: true, by: true }).meta({
  id: "Remembered",
});
