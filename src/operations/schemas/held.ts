import { z } from "zod";
import { heldStatuses } from "../../model/calls/held-call.ts";
import { AnyObject } from "../../model/json-schema.ts";
import { Outcome } from "./outcome.ts";

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

const Answer = z.object({
  decision: z.enum(["approve", "reject"]),
  by: z.string().nullable(),
  keyCreators: z.array(z.string()).optional().meta({ description: "Who created the key that it was given with." }),
  at: z.string(),
  reason: z.string().nullable(),
  arguments: AnyObject.nullable().meta({ description: "What to run instead of what was shown." }),
});

export const Approval = z
  .object({
    id: z.string(),
    plan: z.string().nullable().meta({ description: "The plan it is a change of." }),
    callId: z.string(),
    at: z.string(),
    expiresAt: z.string().nullable(),
    tool: z.string(),
    toolId: z.object({ server: z.string().nullable(), tool: z.string() }),
    fingerprint: z.string().meta({ description: "Of the definition that was shown: another one takes another yes." }),
    origin: z.string().optional().meta({ description: "Where its server was: another place takes another yes." }),
    arguments: AnyObject.meta({ description: "As the caller set them." }),
    shown: AnyObject.meta({ description: "The same with a placeholder for what the system sets." }),
    before: AnyObject.optional().meta({ description: "What they were before a hook changed them." }),
    injected: z.array(z.string()),
    principal: z.looseObject({ user: z.string().nullable() }),
    face: z.string(),
    client: z
      .object({ name: z.string(), version: z.string().optional() })
      .optional()
      .meta({ description: "As the MCP client names itself." }),
    options: z
      .looseObject({ run: z.string().optional(), conversation: z.string().optional() })
      .meta({ description: "What the caller asked for beside the arguments." }),
    verdict: Verdict,
    allowEdit: z.boolean(),
    adminRequired: z.boolean().meta({ description: "A rule asks every time: no yes is remembered." }),
    status: HeldStatus,
    threshold: z.number().int().optional().meta({ description: "How many people have to say yes, if more than one." }),
    yeses: z.array(Answer).optional().meta({ description: "Those who have." }),
    answer: Answer.nullable(),
    outcome: z
      .object({ callId: z.string(), ok: z.boolean(), code: z.string().nullable() })
      .nullable()
      .meta({ description: "How it went when it ran." }),
    claim: z
      .object({ by: z.string(), until: z.string() })
      .nullable()
      .meta({ description: "Who waits for it or runs it, and until when that holds." }),
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
