import type { QualityCheck, ToolReview } from "./quality-schema.ts";
import type { Tool } from "./tool.ts";

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
  "extension",
] as const;

export type WeighedTool = Tool & { review?: ToolReview };

export type DefinitionWeight = {
  score: number;
  passed: boolean;
  complaints: string[];
  /** Null until counted. */
  fullTokens: number | null;
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

/** `tool` is one tool in any spelling; `limit` keeps the most expensive. */
export type ContextStatsOptions = {
  server?: string;
  tool?: string;
  tools?: boolean;
  limit?: number;
};
