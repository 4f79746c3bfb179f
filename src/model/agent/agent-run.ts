import type { UnknownObject } from "../json.ts";
import type { AgentOutcome, RunSummary } from "./run-schema.ts";

export const agentStyles = [
  "tools",
  "react",
  "plan-then-execute",
  "supervisor",
  "auto",
  "code",
] as const;
export type AgentStyle = (typeof agentStyles)[number];

export const traceTypes = ["none", "last_message", "all_messages"] as const;
export type TraceType = (typeof traceTypes)[number];

/** With `max-iterations` and `budget` the answer is the best available. */
export const agentOutcomes = [
  "completed",
  "max-iterations",
  "budget",
  "failed",
  "cancelled",
] as const;
/** A piece of what an agent says. Pieces of one message share its id; the last one has `end`. */
export type AgentMessage = {
  id: string;
  type: "thought" | "action" | "observation" | "answer" | "error";
  text: string;
  end: boolean;
  endOfDialog: boolean;
  call?: { id: string; tool: string; arguments?: unknown; status?: string; record?: string | null };
  /** Of an observation: the addresses of its pictures, which `text` only counts. */
  pictures?: string[];
  /** Of an observation of a tool with a page of MCP Apps: the result as it came, for that page. */
  result?: UnknownObject;
};

export type RunFilter = {
  outcome?: AgentOutcome;
  model?: string;
  toolset?: string;
  conversation?: string;
  since?: string;
  limit?: number;
  before?: string;
  /** Null for anonymous ones. */
  user?: string | null;
};

/** A filter for runs. */
export type RunQuery = Omit<RunFilter, "before"> & { cursor?: string };

/** A page of runs. */
export type RunPage = { runs: RunSummary[]; nextCursor: string | null };

export const runFormats = ["text", "html"] as const;
/** Formats of a rendered run. */
export type RunFormat = (typeof runFormats)[number];

/** A run for people. */
export type RenderedRun = { text: string };
