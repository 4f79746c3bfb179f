import { z } from "zod";
import { toolIdOf } from "../catalogue/tool-schema.ts";
import { ErrorCodeSchema } from "../errors-schema.ts";
import type { TypeOf } from "../json.ts";
import { AnyObject, typed } from "../json-schema.ts";
import { FaceName, Whose } from "../principal-schema.ts";
import type { CallOptions } from "./call.ts";
import { Verdict } from "./call-schema.ts";
import { heldStatuses } from "./held-call.ts";

const owner = z
  .string()
  .optional()
  .meta({ description: "Of the key or the rights that it was made with." });

export const GivenAnswer = z.object({
  decision: z.enum(["approve", "reject"]),
  by: z.string().nullable(),
  keyCreators: z
    .array(z.string())
    .optional()
    .meta({ description: "Who created the key that it was given with." }),
  at: z.string(),
  reason: z.string().nullable(),
  arguments: AnyObject.nullable().meta({ description: "What to run instead of what was shown." }),
});
export type GivenAnswer = TypeOf<typeof GivenAnswer>;

export const RanOutcome = z.object({
  callId: z.string(),
  ok: z.boolean(),
  code: ErrorCodeSchema.nullable(),
  at: z.string().optional().meta({ description: "When it ended." }),
});

/** `waits`: its request is open. `told`: it was answered that it waits. `left`: it cancelled, or its connection ended. */
const callerStates = ["waits", "told", "left"] as const;

export const HeldView = z
  .object({
    id: z.string().meta({ description: "Answer it by this." }),
    plan: z.string().nullable().meta({ description: "The plan it is a change of." }),
    callId: z.string().meta({ description: "The call that waits." }),
    at: z.string().meta({ description: "When it was asked for." }),
    calledAt: z.string().optional().meta({ description: "When the call was made." }),
    expiresAt: z.string().nullable().meta({ description: "Null in a plan: it does not expire." }),
    tool: z.string().meta({ description: "As the catalogue names it." }),
    toolId: toolIdOf.meta({ description: "The server, and its own name of the tool." }),
    fingerprint: z
      .string()
      .meta({ description: "Of the definition that was shown: another one takes another yes." }),
    // Apart from the fingerprint, which version 0.2 compares too while both share a store.
    origin: z
      .string()
      .optional()
      .meta({ description: "Where its server was: another place takes another yes." }),
    arguments: AnyObject.meta({ description: "As the caller set them." }),
    shown: AnyObject.meta({ description: "The same with a placeholder for what the system sets." }),
    before: AnyObject.optional().meta({
      description: "What they were before a hook changed them.",
    }),
    injected: z.array(z.string()).meta({ description: "Arguments that the system sets." }),
    principal: Whose.meta({ description: "The caller." }),
    face: FaceName.meta({ description: "Where the call came in." }),
    client: z
      .object({ name: z.string(), version: z.string().optional() })
      .optional()
      .meta({ description: "As the MCP client names itself." }),
    caller: z
      .object({ state: z.enum(callerStates), at: z.string(), by: z.string().optional() })
      .optional()
      .meta({
        description:
          "`waits`: the caller's request is open. `told`: it was answered that the call waits. `left`: the caller has cancelled, or its connection has ended. `by` is the equal call that took its place.",
      }),
    collectedBy: z
      .string()
      .optional()
      .meta({ description: "The equal call that collected the outcome." }),
    options: typed<CallOptions>("CallOptions")
      .as(z.looseObject({ run: z.string().optional(), conversation: z.string().optional() }))
      .meta({ description: "What the caller asked for beside the arguments." }),
    verdict: Verdict.meta({ description: "Why it waits." }),
    allowEdit: z.boolean().meta({ description: "May an answer change the arguments?" }),
    adminRequired: z
      .boolean()
      .meta({ description: "A rule asks every time: no yes is remembered." }),
    status: z.enum(heldStatuses).meta({ description: "`pending` until it is answered." }),
    threshold: z
      .number()
      .int()
      .optional()
      .meta({ description: "How many people have to say yes, if more than one." }),
    yeses: z.array(GivenAnswer).optional().meta({ description: "Those who have." }),
    answer: GivenAnswer.nullable().meta({ description: "Null while it waits." }),
    outcome: RanOutcome.nullable().meta({ description: "How it went when it ran." }),
    claim: z
      .object({ by: z.string(), until: z.string() })
      .nullable()
      .meta({ description: "Who waits for it or runs it, and until when that holds." }),
  })
  .meta({ id: "Approval", description: "A call that waits for a person's yes." });
/** A held call, as people see it. */
export type HeldView = TypeOf<typeof HeldView>;

export const HeldCall = HeldView.omit({ shown: true, adminRequired: true });
/** A call that waits for an approval: alone, or in a change plan. */
export type HeldCall = TypeOf<typeof HeldCall>;

export const PlanRecord = z.object({
  id: z.string(),
  user: z.string().nullable(),
  owner,
  conversation: z.string().nullable(),
  createdAt: z.string(),
});
/** The changes of one caller in one conversation. */
export type PlanRecord = TypeOf<typeof PlanRecord>;

export const Plan = PlanRecord.extend({
  status: z.enum(["pending", "partly", "done", "rejected"]),
  changes: z.array(HeldView).meta({ description: "In the order in which they run." }),
});
/** The changes that were queued in one conversation. */
export type Plan = TypeOf<typeof Plan>;

export const RememberedApproval = z.object({
  id: z.string(),
  user: z.string().nullable(),
  owner,
  by: z.string().nullable().optional().meta({ description: "Who said yes." }),
  tool: z.string().nullable(),
  server: z.string().nullable(),
  fingerprint: z.string().nullable(),
  arguments: z.record(z.string(), z.string()),
  argumentsHash: z.string().nullable(),
  conversation: z.string().nullable(),
  directory: z.string().optional().meta({
    description:
      "Of a server that works in the directory of its caller: where it was said, and where alone it holds.",
  }),
  createdAt: z.string(),
  expiresAt: z.string().nullable(),
});
/** A person's yes that holds for later calls. */
export type RememberedApproval = TypeOf<typeof RememberedApproval>;
