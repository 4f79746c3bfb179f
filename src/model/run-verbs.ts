import type { AgentOutcome, AgentRun } from "./agent-run.ts";
import type { Caller } from "./principal.ts";

/** A run without its steps and its conversation. */
export type RunSummary = Omit<AgentRun, "steps" | "messages">;

export type RunFilter = {
  outcome?: AgentOutcome;
  model?: string;
  toolset?: string;
  conversation?: string;
  /** Those that began then or later, as an ISO time. */
  since?: string;
  limit?: number;
  before?: string;
  /** Whose runs; null is nobody's. */
  user?: string | null;
};

/** Which runs of agents. */
export type RunQuery = Omit<RunFilter, "before"> & { cursor?: string };

/** Runs of agents, a page at a time. */
export type RunPage = { runs: RunSummary[]; nextCursor: string | null };

export const runFormats = ["text"] as const;
/** The formats that a run is rendered in. */
export type RunFormat = (typeof runFormats)[number];

/** A run for people. */
export type RenderedRun = { text: string };

/** What agents did. */
export interface RunVerbs {
  /** The caller's own runs, newest first; everybody's for admins. */
  runs(query?: RunQuery, caller?: Caller): Promise<RunPage>;
  /** One run of an agent with its steps and messages. */
  run(id: string, caller?: Caller): Promise<AgentRun>;
  /** The same as plain text. */
  renderRun(id: string, format: RunFormat, caller?: Caller): Promise<RenderedRun>;
}
