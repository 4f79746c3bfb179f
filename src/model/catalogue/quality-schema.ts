import { z } from "zod";
import type { TypeOf } from "../json.ts";
import { failOnLevels, findingKinds, qualityChecks, severities } from "./quality.ts";
import { toolIdOf } from "./tool-schema.ts";

const count = z.number().int();

export const Finding = z
  .object({
    kind: z.enum(findingKinds),
    severity: z.enum(severities),
    where: z.string().meta({ description: "A JSON pointer into the definition." }),
    excerpt: z.string().meta({ description: "With invisible characters made visible." }),
    decoded: z.string().nullable().meta({ description: "What hidden or encoded text says." }),
  })
  .meta({
    id: "Finding",
    description: "Text in a definition that addresses the model, not its reader.",
  });
export type Finding = TypeOf<typeof Finding>;

export const ToolReview = z
  .object({
    held: z
      .string()
      .nullable()
      .meta({ description: "Why it is quarantined and cannot be called." }),
    heldFor: z.enum(["changed", "new", "rejected", "suspicious", "disabled"]).nullable(),
    change: z.enum(["changed", "new"]).nullable(),
    findings: z.array(Finding),
  })
  .meta({
    id: "ToolReview",
    description: "What is to be said against its definition; left out when nothing is.",
  });
export type ToolReview = TypeOf<typeof ToolReview>;

export const QualityCheck = z.object({
  check: z.enum(qualityChecks),
  penalty: count,
  message: z.string(),
  fix: z.string(),
});
/** Lost points, and how to get them back. */
export type QualityCheck = TypeOf<typeof QualityCheck>;

export const ToolQuality = z.object({
  name: z.string(),
  id: toolIdOf,
  score: count.min(0).max(100),
  passed: z.boolean(),
  checks: z.array(QualityCheck),
  findings: z.array(Finding),
  held: z.string().nullable(),
});
export type ToolQuality = TypeOf<typeof ToolQuality>;

export const QualityReport = z
  .object({
    threshold: z.number(),
    failOn: z
      .enum(failOnLevels)
      .meta({ description: "From which severity on a finding fails a tool." }),
    total: count,
    passed: count,
    tools: z.array(ToolQuality).meta({ description: "Worst first." }),
  })
  .meta({ id: "QualityReport" });
export type QualityReport = TypeOf<typeof QualityReport>;

export const ContextCost = z.object({
  fullTokens: count.meta({ description: "As `tools/list` gives them." }),
  summaryTokens: count.meta({ description: "Name, beginning of the description, server." }),
  loadedTokens: count.meta({
    description: "What is there at once where definitions are loaded when needed.",
  }),
  savedPercent: z.number(),
});
/** Tokens of definitions in a model's context. */
export type ContextCost = TypeOf<typeof ContextCost>;

export const ToolContext = z.object({ name: z.string(), server: z.string(), ...ContextCost.shape });
export type ToolContext = TypeOf<typeof ToolContext>;

export const ClientContext = z.object({
  id: z.string(),
  user: z.string().nullable(),
  client: z.string().nullable(),
  era: z.enum(["legacy", "modern"]),
  mode: z.enum(["full", "lazy", "code"]),
  since: z.string(),
  tools: count,
  loaded: z.array(z.string()),
  loadedTokens: count,
});
/** What the plane has put into the context of one MCP client. */
export type ClientContext = TypeOf<typeof ClientContext>;

export const ContextStats = z
  .object({
    tokenizer: z.string().meta({ description: "How the numbers were found." }),
    servers: z.array(z.object({ name: z.string(), tools: count, ...ContextCost.shape })),
    totals: z.object({ tools: count, ...ContextCost.shape }),
    lazy: z.object({
      mode: z.enum(["auto", "always", "never", "code"]),
      thresholdTokens: count,
      isActive: z.boolean(),
      metaTokens: count.meta({
        description: "Of the tools with which others are found; part of `totals.loadedTokens`.",
      }),
    }),
    sessions: z.array(ClientContext).optional().meta({
      description: "The MCP clients that are connected and what they have in their context.",
    }),
    tools: z
      .array(ToolContext)
      .optional()
      .meta({ description: "Highest cost first; only on request." }),
  })
  .meta({ id: "ContextStats" });
export type ContextStats = TypeOf<typeof ContextStats>;
