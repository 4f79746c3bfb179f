import { z } from "zod";
import { heldStatuses } from "../../model/calls/held-call.ts";
import { offerCallKinds } from "../../model/catalogue/tool.ts";
import { ErrorReport } from "./problem.ts";

export const CallStatus = z
  .enum(["succeeded", "tool_error", "failed", "refused", "waiting", "cancelled", "dry_run"])
  .meta({ id: "CallStatus" });

const ToolResult = z
  .looseObject({
    content: z.array(z.looseObject({ type: z.string() })),
    structuredContent: z.unknown().optional(),
    isError: z.boolean().optional(),
  })
  .meta({ id: "ToolResult", description: "What the tool answered, as it came from the wire." });

export const origin = {
  cached: z.boolean().optional().meta({ description: "Was the result in the cache? Missing where the tool has none." }),
  coalesced: z.literal(true).optional().meta({ description: "An equal call was under way, and this is its result." }),
  replayed: z.literal(true).optional().meta({ description: "The result is from a recording." }),
};

export const Outcome = z
  .object({
    ok: z.boolean(),
    call: z.object({
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
      ...origin,
      argumentNotes: z.array(z.string()).optional().meta({ description: "The warnings that are about the arguments." }),
      cost: z.looseObject({}).optional().meta({ description: "Where the manifest says what a call costs." }),
      state: z
        .string()
        .optional()
        .meta({ description: "The agent's state from now on, where the call or its tool speaks of one." }),
    }),
    result: ToolResult.optional(),
    error: ErrorReport.optional(),
    stored: z
      .looseObject({ id: z.string() })
      .optional()
      .meta({ description: "Where the result is that was too large to be given whole." }),
    artifacts: z
      .array(z.object({ name: z.string(), mimeType: z.string().nullable(), bytes: z.number().int() }))
      .optional()
      .meta({ description: "The files that came with the result." }),
    approval: z.object({ id: z.string() }).optional().meta({ description: "What the call waits for." }),
    plan: z
      .object({ id: z.string(), change: z.string() })
      .optional()
      .meta({ description: "The plan it was queued in." }),
  })
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

const Attempt = z.object({
  provider: z.string(),
  ok: z.boolean(),
  durationMs: z.number(),
  error: z.string().nullable(),
});

const HookRun = z.object({
  event: z.string(),
  name: z.string(),
  decision: z.enum(["continue", "modify", "require_approval", "deny"]),
  reason: z.string().nullable(),
  ms: z.number(),
  failed: z.boolean().optional(),
});

export const CallAnswer = z
  .object({
    approvalId: z.string(),
    status: z.enum(heldStatuses),
    by: z.string().nullable(),
    outcome: z
      .object({ callId: z.string(), ok: z.boolean(), code: z.string().nullable() })
      .nullable()
      .meta({ description: "The call that ran after the approval." }),
  })
  .meta({ id: "CallAnswer" });

const CallPayload = z
  .object({ expiresAt: z.string(), arguments: z.unknown(), result: z.unknown() })
  .meta({ id: "CallPayload", description: "What the call was given and its result. Secrets are redacted." });

export const CallRecord = z
  .object({
    id: z.string(),
    at: z.string(),
    tool: z.string(),
    server: z.string().nullable(),
    kind: z.enum(offerCallKinds).optional().meta({ description: "Where it is no tool that was called." }),
    principal: z.looseObject({ user: z.string().nullable(), groups: z.array(z.string()) }),
    face: z.string(),
    status: CallStatus,
    durationMs: z.number(),
    provider: z.string().nullable(),
    attempts: z.array(Attempt),
    argumentNames: z.array(z.string()),
    argumentsHash: z.string().nullable(),
    injected: z.array(z.string()),
    approval: z
      .object({
        verdict: z.string(),
        origin: z.string(),
        reason: z.string(),
        rule: z
          .number()
          .int()
          .optional()
          .meta({ description: "The index in `policy.rules` of the rule that decided." }),
        approvalId: z.string().optional().meta({ description: "The approval that allowed it." }),
      })
      .nullable(),
    resultHash: z.string().nullable(),
    changedHash: z
      .string()
      .optional()
      .meta({ description: "Of what the caller got, where a hook changed the result." }),
    hooks: z.array(HookRun).optional().meta({ description: "Which hooks were asked, in order." }),
    stored: z
      .string()
      .optional()
      .meta({ description: "The id of the result, where it was too large to be given whole." }),
    ...origin,
    run: z.string().optional().meta({ description: "The run of an agent that it was made in." }),
    conversation: z.string().optional().meta({
      description: "The session of an MCP client, the conversation of an agent, or what the caller named.",
    }),
    error: z.union([ErrorReport, z.null()]),
    cost: z
      .object({ amount: z.number(), unit: z.string() })
      .optional()
      .meta({ description: "Where the tool's manifest names a price." }),
    stages: z.array(z.object({ stage: z.string(), ms: z.number() })),
    payload: CallPayload.nullable().optional().meta({
      description: "Where `observability.keepPayloads` is on; null where none is kept of this call.",
    }),
    answer: CallAnswer.optional().meta({ description: "What became of a call that waited for approval." }),
  })
  .meta({
    id: "CallRecord",
    description: "What is kept of a call. Argument values and results only where `observability.keepPayloads` is on.",
  });
