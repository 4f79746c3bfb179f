import type { ClientContext } from "../client-context.ts";
import type { Tool, ToolId } from "./tool.ts";

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

/** Lost points, and how to get them back. */
export type QualityCheck = {
  check: (typeof qualityChecks)[number];
  penalty: number;
  message: string;
  fix: string;
};

export type QualityScore = { score: number; checks: QualityCheck[] };

/** In rising order. */
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

/** Text in a definition that addresses the model, not its reader. */
export type Finding = {
  kind: (typeof findingKinds)[number];
  severity: Severity;
  /** A JSON pointer into the server's definition. */
  where: string;
  /** Invisible characters are made visible. */
  excerpt: string;
  decoded: string | null;
};

/** Problems of a definition; `held` is why the tool cannot be called. */
export type ToolReview = {
  held: string | null;
  heldFor: "changed" | "new" | "rejected" | "suspicious" | "disabled" | null;
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

/** The severity that fails a tool; with `none` only the score counts. */
export const failOnLevels = [...severities, "none"] as const;
export type FailOn = (typeof failOnLevels)[number];

export type QualityOptions = {
  server?: string;
  tool?: string;
  threshold?: number;
  requireExamples?: boolean;
  failOn?: FailOn;
};

/** Tokens of definitions in a model's context. */
export type ContextCost = {
  /** As `tools/list` gives them. */
  fullTokens: number;
  /** Name, beginning of the description, server. */
  summaryTokens: number;
  /** Loaded at once, where the rest is loaded on demand. */
  loadedTokens: number;
  savedPercent: number;
};

export type ToolContext = ContextCost & { name: string; server: string };
type ServerContext = ContextCost & { name: string; tools: number };

export type ContextStats = {
  tokenizer: string;
  servers: ServerContext[];
  totals: ContextCost & { tools: number };
  lazy: {
    mode: "auto" | "always" | "never" | "code";
    thresholdTokens: number;
    isActive: boolean;
    /** Of the meta tools; part of `totals.loadedTokens`. */
    metaTokens: number;
  };
  /** The caller's MCP clients; all for admins. */
  sessions?: ClientContext[];
  /** Highest cost first; only on request. */
  tools?: ToolContext[];
};

/** `tool` is one tool in any spelling; `limit` keeps the most expensive. */
export type ContextStatsOptions = { server?: string; tool?: string; tools?: boolean; limit?: number };
