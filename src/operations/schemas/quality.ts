import { z } from "zod";
import { pinKinds, pinStatuses } from "../../model/catalogue/pin.ts";
import { failOnLevels, findingKinds, qualityChecks, severities } from "../../model/catalogue/quality.ts";

const tokens = z.number().int();
const cost = {
  fullTokens: tokens.meta({ description: "As `tools/list` gives them." }),
  summaryTokens: tokens,
  loadedTokens: tokens.meta({
    description: "What is there at once where definitions are loaded when needed.",
  }),
  savedPercent: z.number(),
};

export const ContextStats = z
  .object({
    tokenizer: z.string().meta({ description: "How the numbers were found." }),
    servers: z.array(z.object({ name: z.string(), tools: tokens, ...cost })),
    totals: z.object({ tools: tokens, ...cost }),
    lazy: z.object({
      mode: z.enum(["auto", "always", "never", "code"]),
      thresholdTokens: tokens,
      isActive: z.boolean(),
      metaTokens: tokens.meta({ description: "Of the tools with which others are found." }),
    }),
    sessions: z
      .array(
        z.object({
          id: z.string(),
          user: z.string().nullable(),
          client: z.string().nullable(),
          era: z.enum(["legacy", "modern"]),
          mode: z.enum(["full", "lazy", "code"]),
          since: z.string(),
          tools: tokens,
          loaded: z.array(z.string()),
          loadedTokens: tokens,
        }),
      )
      .optional()
      .meta({ description: "The MCP clients that are connected and what they have in their context." }),
    tools: z.array(z.object({ name: z.string(), server: z.string(), ...cost })).optional(),
  })
  .meta({ id: "ContextStats" });

const Finding = z
  .object({
    kind: z.enum(findingKinds),
    severity: z.enum(severities),
    where: z.string().meta({ description: "A JSON pointer into the definition." }),
    excerpt: z.string().meta({ description: "With invisible characters made visible." }),
    decoded: z.string().nullable().meta({ description: "What hidden or encoded text says." }),
  })
  .meta({ id: "Finding" });

export const ToolReview = z
  .object({
    held: z.string().nullable().meta({ description: "Why it is quarantined." }),
    heldFor: z.enum(["changed", "new", "rejected", "suspicious", "disabled"]).nullable(),
    change: z.enum(["changed", "new"]).nullable(),
    findings: z.array(Finding),
  })
  .meta({ id: "ToolReview", description: "What is to be said against its definition; left out when nothing is." });

const Check = z.object({
  check: z.enum(qualityChecks),
  penalty: z.number().int(),
  message: z.string(),
  fix: z.string(),
});

export const QualityReport = z
  .object({
    threshold: z.number(),
    failOn: z.enum(failOnLevels).meta({ description: "From which severity on a finding fails a tool." }),
    total: z.number().int(),
    passed: z.number().int(),
    tools: z.array(
      z.object({
        name: z.string(),
        id: z.object({ server: z.string().nullable(), tool: z.string() }),
        score: z.number().int().min(0).max(100),
        passed: z.boolean(),
        checks: z.array(Check),
        findings: z.array(Finding),
        held: z.string().nullable(),
      }),
    ),
  })
  .meta({ id: "QualityReport" });

export const PinView = z
  .object({
    name: z.string(),
    kind: z.enum(pinKinds),
    server: z.string(),
    tool: z.string(),
    status: z.enum(pinStatuses),
    held: z.string().nullable().meta({ description: "Why it cannot be called; null when it can." }),
    state: z.enum(["seen", "accepted", "rejected"]).nullable(),
    at: z.string().nullable(),
    by: z
      .object({ user: z.string().nullable(), face: z.string().nullable(), system: z.string().nullable() })
      .nullable(),
    reason: z.string().nullable(),
  })
  .meta({ id: "PinView" });

export const PinDiff = PinView.extend({
  difference: z.array(z.object({ where: z.string(), before: z.string().nullable(), after: z.string().nullable() })),
}).meta({ id: "PinDiff" });
