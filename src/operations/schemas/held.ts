import { z } from "zod";
import { heldStatuses } from "../../model/calls/held-call.ts";
import { Outcome } from "./outcome.ts";

const object = z.record(z.string(), z.unknown());

export const HeldStatus = z.enum(heldStatuses, `give one of ${heldStatuses.join(", ")}`);

const Verdict = z.object({
  verdict: z.enum(["allow", "ask", "queue", "deny"]),
  origin: z.string(),
  reason: z.string(),
  rule: z.number().int().optional().meta({ description: "Which of `policy.rules` said so." }),
  from: z
    .string()
    .optional()
    .meta({ description: "The key that made the rule, such as a server's `require_approval`." }),
});

export const Approval = z
  .looseObject({
    id: z.string(),
    plan: z.string().nullable().meta({ description: "The plan it is a change of." }),
    callId: z.string(),
    at: z.string(),
    expiresAt: z.string().nullable(),
    tool: z.string(),
    arguments: object.meta({ description: "As the caller set them." }),
    shown: object.meta({ description: "The same with a placeholder for what the system sets." }),
    before: object.optional().meta({ description: "What they were before a hook changed them." }),
    injected: z.array(z.string()),
    principal: z.looseObject({ user: z.string().nullable() }),
    face: z.string(),
    client: z
      .object({ name: z.string(), version: z.string().optional() })
      .optional()
      .meta({ description: "As the MCP client names itself." }),
    verdict: Verdict,
    allowEdit: z.boolean(),
    adminRequired: z.boolean().meta({ description: "A rule asks every time: no yes is remembered." }),
    status: HeldStatus,
    answer: z
      .looseObject({ decision: z.enum(["approve", "reject"]), by: z.string().nullable(), at: z.string() })
      .nullable(),
    outcome: z
      .object({ callId: z.string(), ok: z.boolean(), code: z.string().nullable() })
      .nullable()
      .meta({ description: "How it went when it ran." }),
  })
  .meta({ id: "Approval", description: "A call that waits for a person's yes." });

export const Plan = z
  .object({
    id: z.string(),
    user: z.string().nullable(),
    conversation: z.string().nullable(),
    createdAt: z.string(),
    status: z.enum(["pending", "partly", "done", "rejected"]),
    changes: z.array(Approval).meta({ description: "In the order in which they run." }),
  })
  .meta({ id: "Plan", description: "The changes that were queued in one conversation." });

export const PlanOutcome = z.object({
  plan: Plan,
  outcomes: z.array(z.object({ change: z.string(), outcome: Outcome.nullable() })),
});

export const Remembered = z
  .object({
    id: z.string(),
    user: z.string().nullable(),
    tool: z.string().nullable(),
    server: z.string().nullable(),
    fingerprint: z.string().nullable(),
    arguments: z.record(z.string(), z.string()),
    argumentsHash: z.string().nullable(),
    conversation: z.string().nullable(),
    createdAt: z.string(),
    expiresAt: z.string().nullable(),
  })
  .meta({ id: "Remembered" });
