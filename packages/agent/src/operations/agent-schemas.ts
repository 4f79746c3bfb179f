import { agentStyles, traceTypes } from "@toolplane/core/model/agent/agent-run";
import { AgentRun } from "@toolplane/core/model/agent/run-schema";
import { policyModes } from "@toolplane/core/model/calls/call";
import { ErrorReport } from "@toolplane/core/model/errors-schema";
import { AccessOptions } from "@toolplane/core/operations/schemas/access-options";
import { z } from "zod";

export const RunSchema = AgentRun.omit({ owner: true }).meta({
  id: "Run",
  description: "What an agent did. Without what looks like a secret.",
});

export const RunSummarySchema = RunSchema.omit({ steps: true, messages: true }).meta({
  id: "RunSummary",
});

const count = z.number().int().min(1).optional();
const Messages = z.array(z.looseObject({ role: z.string() }));
const { toolGroups, ...access } = AccessOptions;

const Budgets = z.strictObject({
  maxCalls: count,
  maxTokens: count,
  timeoutMs: z.number().min(0).optional().meta({ description: "0 for no limit." }),
});

export const AgentBody = z.object({
  question: z.string("say what to answer").min(1, "say what to answer"),
  toolset: z
    .string()
    .optional()
    .meta({ description: "A selection of tools; every tool when left out." }),
  style: z.enum(agentStyles, `give one of ${agentStyles.join(", ")}`).optional(),
  model: z.string().optional().meta({ description: "The name of a configured model." }),
  context: z.string().optional().meta({ description: "Who the model is and what it should know." }),
  history: z
    .array(z.looseObject({ role: z.string().optional() }))
    .optional()
    .meta({
      description:
        "The conversation so far, as it was answered last. Steps with `thought`, `action`, `arguments` and `observation` are taken, too.",
    }),
  groups: toolGroups.meta({ deprecated: true, description: "The same as `toolGroups`." }),
  toolGroups,
  ...access,
  mode: z.enum(policyModes, `give one of ${policyModes.join(", ")}`).optional(),
  conversation: z.string().min(1).optional(),
  detached: z
    .boolean()
    .optional()
    .meta({ description: "The run goes on when the client goes away." }),
  maxTurns: count,
  budgets: Budgets.optional(),
  trace: z
    .enum(traceTypes, `give one of ${traceTypes.join(", ")}`)
    .optional()
    .meta({ description: "How much of the conversation is kept with the run." }),
});

const {
  id,
  at,
  durationMs,
  style,
  model,
  toolset,
  conversation,
  reasoning,
  counters,
  steps,
  messages,
} = RunSchema.shape;

export const AgentAnswerSchema = z
  .object({
    answer: z.string().nullable(),
    outcome: RunSchema.shape.outcome,
    truncated: RunSchema.shape.truncated,
    waiting: RunSchema.shape.waiting,
    missing: RunSchema.shape.missing,
    turns: RunSchema.shape.turns,
    usage: RunSchema.shape.usage,
    trace: z.object({
      id,
      at,
      durationMs,
      style,
      model,
      toolset,
      conversation,
      reasoning,
      counters,
      steps,
      messages,
    }),
    history: Messages.meta({
      description: "The whole conversation, to be given back with the next question.",
    }),
    state: z.string().nullable(),
    error: z.union([ErrorReport, z.null()]),
  })
  .meta({ id: "AgentAnswer" });
