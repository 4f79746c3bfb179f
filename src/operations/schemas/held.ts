import { z } from "zod";
import { heldStatuses } from "../../model/calls/held-call.ts";
import { Plan, Remembered } from "../../model/calls/held-schema.ts";
import { Outcome } from "./outcome.ts";

export const HeldStatus = z.enum(heldStatuses, `give one of ${heldStatuses.join(", ")}`);

export const ShownPlan = Plan.omit({ owner: true }).meta({
  id: "Plan",
  description: "The changes that were queued in one conversation.",
});

export const PlanOutcome = z.object({
  plan: ShownPlan,
  outcomes: z.array(z.object({ change: z.string(), outcome: Outcome.nullable() })),
});

export const ShownRemembered = Remembered.omit({ owner: true, by: true }).meta({ id: "Remembered" });
