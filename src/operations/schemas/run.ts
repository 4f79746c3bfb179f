import { z } from "zod";
import { agentOutcomes, agentStyles, traceTypes } from "../../model/agent/agent-run.ts";
import { ErrorReport } from "./problem.ts";

const Usage = z.object({
  inputTokens: z.number(),
  outputTokens: z.number(),
  totalTokens: z.number(),
  cachedTokens: z.number().optional().meta({ description: "Those of the input that the endpoint had cached." }),
  cost: z
    .object({ amount: z.number(), unit: z.string() })
    .optional()
    .meta({ description: "By `price` of the model; missing where it has none." }),
});

export const AgentOutcome = z.enum(agentOutcomes).meta({ id: "AgentOutcome" });

const summary = {
  id: z.string(),
  at: z.string(),
  durationMs: z.number(),
  user: z.string().nullable(),
  question: z.string(),
  title: z.string().optional().meta({ description: "What a person called the conversation." }),
  style: z.enum(agentStyles),
  model: z.string(),
  toolset: z.string().nullable(),
  conversation: z.string(),
  outcome: AgentOutcome,
  error: z.union([ErrorReport, z.null()]),
  answer: z.string().nullable(),
  truncated: z.literal(true).optional().meta({ description: "The answer ends where the model had no room left." }),
  waiting: z
    .array(z.object({ id: z.string(), tool: z.string() }))
    .optional()
    .meta({ description: "Calls that wait for a person, by the id of their approval." }),
  missing: z
    .array(z.object({ server: z.string(), reason: z.string() }))
    .optional()
    .meta({ description: "Servers of the toolset that had nothing to offer." }),
  reasoning: z.string().nullable().meta({ description: "What the model thought last; null where that is blank." }),
  turns: z.number().int().meta({ description: "Times that the model asked for tools and got them." }),
  usage: Usage,
  counters: z.object({
    totalToolCalls: z.number().int(),
    totalToolCallTurns: z.number().int(),
    totalGenerations: z.number().int(),
    generationsWithTools: z.number().int(),
  }),
  trace: z.enum(traceTypes).meta({ description: "How much of the conversation is kept." }),
};

export const RunSummary = z.object(summary).meta({ id: "RunSummary" });

const AgentCall = z.object({
  id: z.string(),
  tool: z.string(),
  at: z.string().optional(),
  record: z
    .string()
    .nullable()
    .meta({ description: "The call's id for `GET /calls/{id}`; null where it was not made." }),
  status: z.string(),
  durationMs: z.number(),
  provider: z.string().nullable(),
  attempts: z.number().int(),
});

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
  function: z.object({ name: z.string(), arguments: z.string().meta({ description: "May be no JSON at all." }) }),
});
const Message = z
  .union([
    z.object({ role: z.enum(["system", "user"]), content: Content }),
    z.object({
      role: z.literal("assistant"),
      content: Content,
      reasoning_content: z.string().optional(),
      tool_calls: z.array(AskedCall).optional(),
    }),
    z.object({ role: z.literal("tool"), tool_call_id: z.string(), content: Content }),
  ])
  .meta({ id: "ChatMessage", description: "In the shape of chat completions." });

export const Run = z
  .object({
    ...summary,
    steps: z.array(
      z.object({
        turn: z.number().int(),
        at: z.string(),
        modelMs: z.number(),
        usage: Usage,
        finish: z.string().optional().meta({ description: "Why the model stopped: `length` where it had no room." }),
        sampled: Usage.optional().meta({ description: "What servers asked of models meanwhile." }),
        offered: z.number().int(),
        refused: z.boolean(),
        calls: z.array(AgentCall),
      }),
    ),
    messages: z.array(Message),
  })
  .meta({ id: "Run", description: "What an agent did. Without what looks like a secret." });
