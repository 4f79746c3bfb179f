import { z } from "zod";
import type { Outcome as CallOutcome, CallReport } from "../../model/calls/call.ts";
import {
  CallPayload,
  CallRecord,
  CallStatus,
  Cost,
  ResultOrigin,
  Sent,
  Verdict,
} from "../../model/calls/call-schema.ts";
import { heldStatuses } from "../../model/calls/held-call.ts";
import { RanOutcome } from "../../model/calls/held-schema.ts";
import { ErrorReport } from "../../model/errors-schema.ts";
import { typed } from "../../model/json-schema.ts";
import { DeadLetter } from "../../model/work/dead-letter-schema.ts";

const payloadsNote = "Argument values and results only where `observability.keepPayloads` is on.";
const ToolResult = z
  .looseObject({
    content: z.array(z.looseObject({ type: z.string() })),
    structuredContent: z.unknown().optional(),
    isError: z.boolean().optional(),
  })
  .meta({ id: "ToolResult", description: "What the tool answered, as it came from the wire." });

const Report = typed<CallReport>("CallReport").as(
  z.object({
    id: z.string(),
    tool: z.string(),
    status: CallStatus,
    durationMs: z.number(),
    provider: z.string().nullable(),
    attempts: z.number().int(),
    repaired: z.boolean(),
    dropped: z.array(z.string()),
    warnings: z.array(z.string()),
    recorded: z
      .literal(false)
      .optional()
      .meta({ description: "The record could not be written and waits in memory." }),
    ...ResultOrigin.shape,
    argumentNotes: z
      .array(z.string())
      .optional()
      .meta({ description: "The warnings that are about the arguments." }),
    sent: Sent.optional(),
    cost: Cost.optional().meta({ description: "Where the manifest says what a call costs." }),
    state: z.string().optional().meta({
      description: "The agent's state from now on, where the call or its tool speaks of one.",
    }),
  }),
);

/** The type tells a program by `ok` what there is; JSON Schema would say it in four variants. */
export const OutcomeSchema = typed<CallOutcome>("Outcome")
  .as(
    z.object({
      ok: z.boolean(),
      call: Report,
      result: ToolResult.optional(),
      error: ErrorReport.optional(),
      stored: z
        .looseObject({ id: z.string() })
        .optional()
        .meta({ description: "Where the result is that was too large to be given whole." }),
      artifacts: z
        .array(
          z.object({ name: z.string(), mimeType: z.string().nullable(), bytes: z.number().int() }),
        )
        .optional()
        .meta({ description: "The files that came with the result." }),
      approval: z
        .object({ id: z.string() })
        .optional()
        .meta({ description: "What the call waits for." }),
      plan: z
        .object({ id: z.string(), change: z.string() })
        .optional()
        .meta({ description: "The plan it was queued in." }),
      queued: z
        .object({ id: z.string() })
        .optional()
        .meta({ description: "The receipt of a call that runs once its server is available." }),
      verdict: Verdict.optional().meta({ description: "After a dry run." }),
    }),
  )
  .meta({ id: "Outcome" });

export const outcomeExample = {
  ok: true,
  call: {
    id: "0199f0a1",
    tool: "demo.greet",
    status: "succeeded",
    durationMs: 3.2,
    provider: "mcp",
    attempts: 1,
    repaired: false,
    dropped: [],
    warnings: [],
  },
  result: { content: [{ type: "text", text: "Hello, Ann!" }] },
};

export const CallAnswerSchema = z
  .object({
    approvalId: z.string(),
    status: z.enum(heldStatuses),
    by: z.string().nullable(),
    outcome: RanOutcome.nullable().meta({ description: "The call that ran after the approval." }),
  })
  .meta({ id: "CallAnswer" });

const Payload = CallPayload.omit({ id: true }).meta({
  id: "CallPayload",
  description: "What the call was given and its result. Secrets are redacted.",
});

const QueuedCall = DeadLetter.pick({
  status: true,
  waitsFor: true,
  sent: true,
  attempts: true,
  nextRetryAt: true,
  resolvedCallId: true,
}).meta({ id: "QueuedCall", description: "What runs a call once its server is available." });

export const ShownRecord = CallRecord.extend({
  payload: Payload.nullable().optional().meta({
    description: "Where `observability.keepPayloads` is on; null where none is kept of this call.",
  }),
  answer: CallAnswerSchema.optional().meta({
    description: "What became of a call that waited for approval.",
  }),
  queued: QueuedCall.nullable().optional().meta({
    description: "What became of a call that was accepted; null where it was deleted.",
  }),
}).meta({
  id: "CallRecord",
  description: `What is kept of a call. ${payloadsNote}`,
});
