import type { ClientContext } from "./client-context.ts";

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
export type ServerContext = ContextCost & { name: string; tools: number };

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
  /** The MCP clients that are connected, the caller's or everybody's for who may manage the plane. */
  sessions?: ClientContext[];
  /** Dearest first; only when they are asked for. */
  tools?: ToolContext[];
};

/** `tool` is one tool alone, in any spelling; of `tools` at most `limit` are told, the dearest. */
export type ContextStatsOptions = { server?: string; tool?: string; tools?: boolean; limit?: number };
