import { z } from "zod";
import { hookDecisions, hookEvents } from "../access/hook.ts";
import { offerCallKinds } from "../catalogue/tool.ts";
import { ErrorCodeSchema, ErrorOrNull } from "../errors-schema.ts";
import type { TypeOf } from "../json.ts";
import { AnyJson } from "../json-schema.ts";
import { FaceName, Whose } from "../principal-schema.ts";

const count = z.number().int();
const names = z.array(z.string());

export const CallStatus = z
  .enum(["succeeded", "tool_error", "failed", "refused", "waiting", "cancelled", "dry_run"])
  .meta({ id: "CallStatus", description: "How a call ended, or that it waits." });
export type CallStatus = TypeOf<typeof CallStatus>;

export const PageOrigin = z
  .object({ server: z.string(), uri: z.string() })
  .meta({ description: "The page of MCP Apps that calls: its server, and its address there." });
export type PageOrigin = TypeOf<typeof PageOrigin>;

export const ResultOrigin = z.object({
  cached: z
    .boolean()
    .optional()
    .meta({ description: "Was the result in the cache? Missing where the tool has none." }),
  coalesced: z
    .literal(true)
    .optional()
    .meta({ description: "An equal call was under way, and this is its result." }),
  replayed: z.literal(true).optional().meta({ description: "The result is from a recording." }),
  collected: z.object({ call: z.string(), at: z.string() }).optional().meta({
    description:
      "It waited for a person, its caller did not get the outcome, and this call collected it: the earlier call, and when that ended.",
  }),
});
/** Where a result comes from that no provider was asked for. */
export type ResultOrigin = TypeOf<typeof ResultOrigin>;

export const Cost = z
  .object({ amount: z.number(), unit: z.string() })
  .meta({ description: "The price of a call, by its manifest." });
export type Cost = TypeOf<typeof Cost>;

export const Sent = z.enum(["sent", "not_sent", "not_known"]).meta({
  description:
    "What the transport saw of a call that failed: its provider answered, the request never left, or it left and no answer came.",
});
/** What the transport saw of a call that failed. */
export type Sent = TypeOf<typeof Sent>;

export const Attempt = z.object({
  provider: z.string(),
  ok: z.boolean(),
  durationMs: z.number(),
  error: ErrorCodeSchema.nullable(),
  sent: z
    .literal(false)
    .optional()
    .meta({ description: "Only where the provider provably never saw it." }),
  shared: z.literal(true).optional().meta({
    description:
      "It met a failure that another attempt had found: the provider's health does not change.",
  }),
});
export type Attempt = TypeOf<typeof Attempt>;

export const HookRun = z
  .object({
    event: z.enum(hookEvents),
    name: z.string(),
    decision: z.enum(hookDecisions),
    reason: z.string().nullable(),
    ms: z.number(),
    failed: z
      .literal(true)
      .optional()
      .meta({ description: "Without a valid answer; its `on_error` decided." }),
  })
  .meta({ description: "A hook's decision, as the call's record keeps it." });
export type HookRun = TypeOf<typeof HookRun>;

export const Verdict = z.object({
  verdict: z.enum(["allow", "ask", "queue", "deny"]),
  origin: z.string(),
  reason: z.string(),
  rule: count.optional().meta({
    description: "Which of `policy.rules` decided, counted without those that have `from`.",
  }),
  from: z.string().optional().meta({
    description:
      "The key that made the rule, where that is not `policy.rules`, such as a server's `require_approval`.",
  }),
  consent: z.literal(true).optional().meta({ description: "Once per conversation is enough." }),
  approvalId: z.string().optional().meta({ description: "The approval that allowed it." }),
});
export type Verdict = TypeOf<typeof Verdict>;

export const CallRecord = z
  .object({
    id: z.string(),
    at: z.string(),
    tool: z.string(),
    server: z.string().nullable(),
    kind: z
      .enum(offerCallKinds)
      .optional()
      .meta({ description: "Where it is no tool that was called." }),
    page: z
      .string()
      .optional()
      .meta({ description: "The page of MCP Apps that made the call: its address at its server." }),
    principal: Whose,
    face: FaceName,
    status: CallStatus,
    durationMs: z.number(),
    provider: z.string().nullable(),
    attempts: z.array(Attempt),
    argumentNames: names,
    argumentsHash: z.string().nullable(),
    injected: names,
    approval: Verdict.nullable(),
    resultHash: z.string().nullable().meta({ description: "Of the tool's own result." }),
    changedHash: z
      .string()
      .optional()
      .meta({ description: "Of what the caller got, where a hook changed the result." }),
    hooks: z.array(HookRun).optional().meta({ description: "Which hooks were asked, in order." }),
    stored: z
      .string()
      .optional()
      .meta({ description: "The id of the result, where it was too large to be given whole." }),
    ...ResultOrigin.shape,
    run: z.string().optional().meta({ description: "The run of an agent that it was made in." }),
    waitedSince: z.string().optional().meta({
      description:
        "When the call was made, where it waited for a person and its caller was answered meanwhile; `at` is when it went on.",
    }),
    conversation: z.string().optional().meta({
      description:
        "The session of an MCP client, the conversation of an agent, or what the caller named.",
    }),
    error: ErrorOrNull,
    cost: Cost.optional().meta({ description: "Where the tool's manifest names a price." }),
    stages: z.array(z.object({ stage: z.string(), ms: z.number() })),
  })
  .meta({ description: "Who called what, the decision and the result. No argument values." });
export type CallRecord = TypeOf<typeof CallRecord>;

export const RunningCall = z
  .object({ id: z.string(), at: z.string(), tool: z.string(), user: z.string().nullable() })
  .meta({ description: "A call that has not ended; `at` is when it began." });
export type RunningCall = TypeOf<typeof RunningCall>;

export const CallUsage = z
  .object({
    since: z
      .string()
      .nullable()
      .meta({ description: "When the records begin; null where there are none." }),
    tools: z.array(z.object({ name: z.string(), lastAt: z.string() })),
  })
  .meta({ description: "When each tool was last called." });
export type CallUsage = TypeOf<typeof CallUsage>;

export const CallPayload = z.object({
  id: z.string(),
  expiresAt: z.string(),
  arguments: AnyJson,
  result: AnyJson,
});
/** What a call was given and its result, where `observability.keepPayloads` is on; redacted. */
export type CallPayload = TypeOf<typeof CallPayload>;

export const ActivityEntry = z
  .object({
    id: z.string(),
    at: z.string(),
    tool: z.string(),
    user: z.string().nullable(),
    face: FaceName,
    status: CallStatus,
    durationMs: z.number(),
    ...ResultOrigin.shape,
    arguments: z.string(),
    result: z.string().nullable(),
    code: ErrorCodeSchema.nullable(),
  })
  .meta({
    id: "ActivityEntry",
    description: "A recent call in short, in memory only. Secrets are hidden.",
  });
export type ActivityEntry = TypeOf<typeof ActivityEntry>;

const times = { p50Ms: z.number().nullable(), p95Ms: z.number().nullable() };
const counts = { ...times, byStatus: z.partialRecord(CallStatus, count) };

export const CallTimes = z.object(times);
/** Within a twentieth; null where unknown. */
export type CallTimes = TypeOf<typeof CallTimes>;

export const CallCounts = z.object(counts);
export type CallCounts = TypeOf<typeof CallCounts>;

export const SeriesStep = z.object({
  at: z.string(),
  calls: count,
  errors: count.meta({
    description: "Those that failed, were refused, or ended with a tool error.",
  }),
  ...counts,
});
export type SeriesStep = TypeOf<typeof SeriesStep>;

export const CallSeries = z
  .object({
    since: z.string(),
    until: z.string(),
    stepMs: count,
    steps: z.array(SeriesStep).meta({ description: "Oldest first." }),
    total: SeriesStep.omit({ at: true }),
  })
  .meta({
    id: "CallSeries",
    description: "By the time calls began at; the last step is not over yet.",
  });
export type CallSeries = TypeOf<typeof CallSeries>;

export const CallChain = z
  .object({
    ok: z.boolean(),
    calls: count,
    streams: count.meta({ description: "Planes that share a store write a chain each." }),
    checkpoints: z
      .array(z.object({ at: z.string(), removed: count }))
      .meta({ description: "Where old ones were removed." }),
    head: z
      .string()
      .nullable()
      .meta({ description: "Of the newest that was checked; keep it elsewhere." }),
    broken: z.object({ id: z.string(), at: z.string(), reason: z.string() }).nullable(),
    headFound: z.boolean().nullable().meta({ description: "Null when no hash was asked for." }),
    lost: z
      .array(z.object({ after: z.string().nullable(), until: z.string() }))
      .meta({ description: "What a damaged or replaced store has lost, by time." }),
  })
  .meta({ description: "The state of the hash chain over the recorded calls." });
export type CallChain = TypeOf<typeof CallChain>;
