import type { ClientContext } from "../client-context.ts";
import type { Tool, ToolId } from "./tool.ts";

/** Below this a tool does not pass. */
export const qualityThreshold = 40;

export const qualityChecks = [
  "no_description",
  "short_description",
  "restates_name",
  "undocumented_properties",
  "no_required",
  "no_examples",
  "name_style",
] as const;

/** What a tool lost points for, and what would give them back. */
export type QualityCheck = {
  check: (typeof qualityChecks)[number];
  penalty: number;
  message: string;
  fix: string;
};

export type QualityScore = { score: number; checks: QualityCheck[] };

/** From the least to the most serious. */
export const severities = ["low", "medium", "high"] as const;
export type Severity = (typeof severities)[number];

export const findingKinds = [
  "hidden_text",
  "invisible_characters",
  "direction_controls",
  "lookalike_letters",
  "escape_sequence",
  "instruction",
  "concealment",
  "secret_request",
  "pseudo_tag",
  "encoded_text",
  "cross_reference",
  "overlong",
  "hidden_comment",
  "padding",
  "disguised_text",
  "exfiltration",
] as const;

/** Something in a definition that is meant for the model and not for its reader. */
export type Finding = {
  kind: (typeof findingKinds)[number];
  severity: Severity;
  /** A JSON pointer into the definition as the server lists it. */
  where: string;
  /** With invisible characters made visible. */
  excerpt: string;
  /** What hidden or encoded text says. */
  decoded: string | null;
};

/** What is to be known of a tool before it is trusted; `held` is why it cannot be called. */
export type ToolReview = {
  held: string | null;
  /** How it differs from what was seen first. */
  change: "changed" | "new" | null;
  findings: Finding[];
};

export type ToolQuality = QualityScore & {
  name: string;
  id: ToolId;
  passed: boolean;
  findings: Finding[];
  held: string | null;
};

export type WeighedTool = Tool & { review?: ToolReview };

/** A definition in two numbers, and what it lost points for. */
export type DefinitionWeight = {
  score: number;
  passed: boolean;
  complaints: string[];
  /** Null until counted. */
  fullTokens: number | null;
};

/** Worst first. */
export type QualityReport = {
  threshold: number;
  failOn: FailOn;
  total: number;
  passed: number;
  tools: ToolQuality[];
};

/** From which severity on a finding fails a tool; with `none` only the score counts. */
export const failOnLevels = [...severities, "none"] as const;
export type FailOn = (typeof failOnLevels)[number];

export type QualityOptions = {
  server?: string;
  /** One tool alone, in any spelling. */
  tool?: string;
  threshold?: number;
  requireExamples?: boolean;
  failOn?: FailOn;
};

/** Tokens that definitions take in the context of a model. */
export type ContextCost = {
  /** As `tools/list` gives them. */
  fullTokens: number;
  /** In short: name, the beginning of the description, server. */
  summaryTokens: number;
  /** What is loaded at once where definitions are loaded when they are needed. */
  loadedTokens: number;
  /** How much less that is than all of them. */
  savedPercent: number;
};

export type ToolContext = ContextCost & { name: string; server: string };
type ServerContext = ContextCost & { name: string; tools: number };

export type ContextStats = {
  /** How the numbers were found. */
  tokenizer: string;
  servers: ServerContext[];
  totals: ContextCost & { tools: number };
  lazy: {
    mode: "auto" | "always" | "never";
    thresholdTokens: number;
    /** Are definitions loaded when they are needed, as it is configured? */
    isActive: boolean;
    /** What the tools cost with which others are found; part of `totals.loadedTokens`. */
    metaTokens: number;
  };
  /** The connected MCP clients: the caller's, or all for admins. */
  sessions?: ClientContext[];
  /** Dearest first; only when they are asked for. */
  tools?: ToolContext[];
};

/** `tool` is one tool alone, in any spelling; of `tools` at most `limit` are told, the dearest. */
export type ContextStatsOptions = { server?: string; tool?: string; tools?: boolean; limit?: number };
