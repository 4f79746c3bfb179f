import type { ErrorReport } from "../errors.ts";
import type { ChatMessage, TokenUsage } from "./chat.ts";

export const agentStyles = ["tools", "react"] as const;
export type AgentStyle = (typeof agentStyles)[number];

export const traceTypes = ["none", "last_message", "all_messages"] as const;
export type TraceType = (typeof traceTypes)[number];

/** How a run of an agent ended. With `max-iterations` and `budget` the answer is the best it could give. */
export const agentOutcomes = ["completed", "max-iterations", "budget", "failed", "cancelled"] as const;
/** How a run of an agent ended. */
export type AgentOutcome = (typeof agentOutcomes)[number];

/** One piece of what an agent says while it works. Pieces of one message share its id; the last one has `end`. */
export type AgentMessage = {
  id: string;
  type: "thought" | "action" | "observation" | "answer" | "error";
  text: string;
  end: boolean;
  /** Nothing comes after it. */
  endOfDialog: boolean;
  /** With an action and its observation: which call, of which tool, and how it went. */
  call?: { id: string; tool: string; arguments?: unknown; status?: string; record?: string | null };
};

/** A call that a run made, or did not make: refused and repeated ones are here too. */
export type AgentCall = {
  /** The id the model gave it, or that it was given. */
  id: string;
  tool: string;
  /** When it was begun; left out where it was not made. */
  at?: string;
  /** The record of the call on the path; null where it was not made. */
  record: string | null;
  status: string;
  durationMs: number;
  provider: string | null;
  attempts: number;
};

/** One time the model was asked, and what it had done. */
export type AgentStep = {
  turn: number;
  at: string;
  /** Until the model had said all. */
  modelMs: number;
  usage: TokenUsage;
  /** Why the model stopped, in the words of its endpoint: `length` when it had no room. Left out where it broke off. */
  finish?: string;
  /** What the servers it called asked of models meanwhile. */
  sampled?: TokenUsage;
  /** Were tools offered, and were its calls refused? */
  offered: number;
  refused: boolean;
  calls: AgentCall[];
};

/** `id` is what `toolplane approvals approve` takes. */
export type WaitingCall = { id: string; tool: string };

/** A server of the toolset that had no tools to offer, and why. */
export type MissingServer = { server: string; reason: string };

/** What is kept of a run. */
export type AgentRun = {
  id: string;
  at: string;
  durationMs: number;
  user: string | null;
  question: string;
  style: AgentStyle;
  model: string;
  toolset: string | null;
  conversation: string;
  outcome: AgentOutcome;
  error: ErrorReport | null;
  answer: string | null;
  /** The answer ends where the model had no room left. */
  truncated?: true;
  /** Calls that wait for a person's yes. */
  waiting?: WaitingCall[];
  /** Servers of its toolset that had nothing to offer. */
  missing?: MissingServer[];
  /** What the last message of the model thought; null where that is blank. */
  reasoning: string | null;
  /** Times that the model asked for tools and got them. */
  turns: number;
  usage: TokenUsage;
  counters: AgentCounters;
  steps: AgentStep[];
  trace: TraceType;
  /** As much of the conversation as `trace` says. */
  messages: ChatMessage[];
};

/** The four of a model with tools; refused calls count too. A generation is one question with all its turns. */
export type AgentCounters = {
  totalToolCalls: number;
  totalToolCallTurns: number;
  totalGenerations: number;
  generationsWithTools: number;
};

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
