import { z } from "zod";
import { Cost } from "../calls/call-schema.ts";
import { ErrorOrNull } from "../errors-schema.ts";
import type { TypeOf } from "../json.ts";
import { typed } from "../json-schema.ts";
import { agentOutcomes, agentStyles, traceTypes } from "./agent-run.ts";
import type { ChatMessage } from "./chat.ts";

const count = z.number().int();

export const TokenUsage = z
  .object({
    inputTokens: z.number(),
    outputTokens: z.number(),
    totalTokens: z.number(),
    cachedTokens: z
      .number()
      .optional()
      .meta({ description: "Those of the input that the endpoint had cached." }),
    cost: Cost.optional().meta({
      description: "By `price` of the model; missing where it has none.",
    }),
  })
  .meta({ description: "Tokens of a model." });
export type TokenUsage = TypeOf<typeof TokenUsage>;

export const AgentOutcome = z.enum(agentOutcomes).meta({
  id: "AgentOutcome",
  description:
    "How a run of an agent ended. With `max-iterations` and `budget` the answer is the best available.",
});
export type AgentOutcome = TypeOf<typeof AgentOutcome>;

export const WaitingCall = z
  .object({ id: z.string(), tool: z.string() })
  .meta({ description: "A call that waits for an approval." });
export type WaitingCall = TypeOf<typeof WaitingCall>;

export const MissingServer = z
  .object({ server: z.string(), reason: z.string() })
  .meta({ description: "A server of the toolset without tools, and why." });
export type MissingServer = TypeOf<typeof MissingServer>;

export const AgentCounters = z.object({
  totalToolCalls: count,
  totalToolCallTurns: count,
  totalGenerations: count,
  generationsWithTools: count,
});
/** Refused calls count too. A generation is one question with all its turns. */
export type AgentCounters = TypeOf<typeof AgentCounters>;

export const AgentCall = z
  .object({
    id: z.string(),
    tool: z.string(),
    at: z.string().optional().meta({ description: "Missing where it was not made." }),
    record: z
      .string()
      .nullable()
      .meta({ description: "The call's id for `GET /calls/{id}`; null where it was not made." }),
    status: z.string(),
    durationMs: z.number(),
    provider: z.string().nullable(),
    attempts: count,
  })
  .meta({ description: "A call of a run, also a refused or repeated one." });
export type AgentCall = TypeOf<typeof AgentCall>;

export const AgentStep = z
  .object({
    turn: count,
    at: z.string(),
    modelMs: z.number(),
    usage: TokenUsage,
    finish: z.string().optional().meta({
      description:
        "Why the model stopped: `length` where it had no room. Missing where it broke off.",
    }),
    sampled: TokenUsage.optional().meta({ description: "What servers asked of models meanwhile." }),
    offered: count,
    refused: z.boolean(),
    calls: z.array(AgentCall),
  })
  .meta({ description: "One answer of the model, and its calls." });
export type AgentStep = TypeOf<typeof AgentStep>;

const Content = z.union([
  z.string(),
  z.array(
    z.union([
      z.object({ type: z.literal("text"), text: z.string() }),
      z.object({ type: z.literal("image_url"), image_url: z.object({ url: z.string() }) }),
    ]),
  ),
]);
const AskedCall = z.object({
  id: z.string(),
  type: z.literal("function"),
  function: z.object({
    name: z.string(),
    arguments: z.string().meta({ description: "May be no JSON at all." }),
  }),
});

/** Programs with a model of their own write messages. */
export const ChatMessageSchema = typed<ChatMessage>("ChatMessage")
  .as(
    z.union([
      z.object({ role: z.enum(["system", "user"]), content: Content }),
      z.object({
        role: z.literal("assistant"),
        content: Content,
        reasoning_content: z.string().optional(),
        tool_calls: z.array(AskedCall).optional(),
      }),
      z.object({ role: z.literal("tool"), tool_call_id: z.string(), content: Content }),
    ]),
  )
  .meta({ id: "ChatMessage", description: "In the shape of chat completions." });

export const AgentRun = z
  .object({
    id: z.string(),
    at: z.string(),
    durationMs: z.number(),
    user: z.string().nullable(),
    owner: z
      .string()
      .optional()
      .meta({ description: "Of the key or the rights that it was made with." }),
    question: z.string(),
    title: z.string().optional().meta({ description: "What a person called the conversation." }),
    style: z.enum(agentStyles),
    model: z.string(),
    toolset: z.string().nullable(),
    conversation: z.string(),
    outcome: AgentOutcome,
    error: ErrorOrNull,
    answer: z.string().nullable(),
    truncated: z
      .literal(true)
      .optional()
      .meta({ description: "The answer ends where the model had no room left." }),
    refused: z.literal(true).optional().meta({
      description: "The answer ends where the model refused, or where a content filter stopped it.",
    }),
    waiting: z
      .array(WaitingCall)
      .optional()
      .meta({ description: "Calls that wait for a person, by the id of their approval." }),
    missing: z
      .array(MissingServer)
      .optional()
      .meta({ description: "Servers of the toolset that had nothing to offer." }),
    reasoning: z
      .string()
      .nullable()
      .meta({ description: "What the model thought last; null where that is blank." }),
    turns: count.meta({ description: "Times that the model asked for tools and got them." }),
    usage: TokenUsage,
    counters: AgentCounters,
    steps: z.array(AgentStep),
    trace: z.enum(traceTypes).meta({ description: "How much of the conversation is kept." }),
    messages: z.array(ChatMessageSchema),
  })
  .meta({ description: "What an agent did, as it is kept. Without what looks like a secret." });
export type AgentRun = TypeOf<typeof AgentRun>;

export const RunSummary = AgentRun.omit({ steps: true, messages: true }).meta({
  description: "A run without its steps and its conversation.",
});
export type RunSummary = TypeOf<typeof RunSummary>;

export const RunningRun = AgentRun.pick({
  id: true,
  at: true,
  user: true,
  question: true,
  style: true,
  model: true,
  toolset: true,
  conversation: true,
  turns: true,
  usage: true,
})
  .extend({
    calls: z
      .array(AgentCall.extend({ status: z.string().nullable(), durationMs: z.number().nullable() }))
      .meta({ description: "Calls of the current turn; `status` is null until one has ended." }),
    steps: z.array(AgentStep).optional().meta({ description: "Where one run is asked for." }),
    messages: z
      .array(ChatMessageSchema)
      .optional()
      .meta({ description: "As far as the run keeps them." }),
  })
  .meta({
    id: "RunningRun",
    description: "A run that has not ended. Without what looks like a secret.",
  });
export type RunningRun = TypeOf<typeof RunningRun>;

export const StoppedRun = z
  .object({ id: z.string() })
  .meta({ description: "The run that is being stopped." });
export type StoppedRun = TypeOf<typeof StoppedRun>;

export const ConversationRuns = z.object({ conversation: z.string(), runs: count });
/** How many runs of a conversation were changed. */
export type ConversationRuns = TypeOf<typeof ConversationRuns>;
