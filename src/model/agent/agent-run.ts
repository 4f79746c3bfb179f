import type { ErrorReport } from "../errors.ts";
import type { ChatMessage, TokenUsage } from "./chat.ts";

export const agentStyles = ["tools", "react", "plan-then-execute", "supervisor", "auto", "code"] as const;
export type AgentStyle = (typeof agentStyles)[number];

export const traceTypes = ["none", "last_message", "all_messages"] as const;
export type TraceType = (typeof traceTypes)[number];

/** With `max-iterations` and `budget` the answer is the best available. */
export const agentOutcomes = ["completed", "max-iterations", "budget", "failed", "cancelled"] as const;
/** How a run of an agent ended. */
export type AgentOutcome = (typeof agentOutcomes)[number];

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
};

/** A call of a run, also a refused or repeated one. */
export type AgentCall = {
  id: string;
  tool: string;
  /** Missing where it was not made. */
  at?: string;
  /** The id of the call's record; null where it was not made. */
  record: string | null;
  status: string;
  durationMs: number;
  provider: string | null;
  attempts: number;
};

/** One answer of the model, and its calls. */
export type AgentStep = {
  turn: number;
  at: string;
  modelMs: number;
  usage: TokenUsage;
  /** The endpoint's reason, such as `length`. Missing where it broke off. */
  finish?: string;
  /** What called servers asked of models. */
  sampled?: TokenUsage;
  offered: number;
  refused: boolean;
  calls: AgentCall[];
};

/** A call that waits for an approval. */
export type WaitingCall = { id: string; tool: string };

/** A server of the toolset without tools, and why. */
export type MissingServer = { server: string; reason: string };

/** A run, as it is kept. */
export type AgentRun = {
  id: string;
  at: string;
  durationMs: number;
  user: string | null;
  /** Of the key or the rights that it was made with. */
  owner?: string;
  question: string;
  /** What a person called the conversation. */
  title?: string;
  style: AgentStyle;
  model: string;
  toolset: string | null;
  conversation: string;
  outcome: AgentOutcome;
  error: ErrorReport | null;
  answer: string | null;
  /** The model had no room left. */
  truncated?: true;
  waiting?: WaitingCall[];
  missing?: MissingServer[];
  /** Of the last message; null where blank. */
  reasoning: string | null;
  turns: number;
  usage: TokenUsage;
  counters: AgentCounters;
  steps: AgentStep[];
  trace: TraceType;
  messages: ChatMessage[];
};

/** Refused calls count too. A generation is one question with all its turns. */
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

export const runFormats = ["text"] as const;
/** Formats of a rendered run. */
export type RunFormat = (typeof runFormats)[number];

/** A run for people. */
export type RenderedRun = { text: string };
