import type { AgentResult } from "../agent.ts";

import type { ErrorReport } from "../errors.ts";
import type { AgentOutcome, AgentRun, MissingServer, WaitingCall } from "./agent-run.ts";
import type { ChatMessage, TokenUsage } from "./chat.ts";

/** A run, as the command line and the HTTP API return it. */
export type AgentAnswer = {
  answer: string | null;
  outcome: AgentOutcome;
  /** The model had no room left. */
  truncated?: true;
  turns: number;
  usage: TokenUsage;
  waiting?: WaitingCall[];
  /** Servers of its toolset without tools. */
  missing?: MissingServer[];
  trace: AgentTrace;
  /** For the next question. */
  history: ChatMessage[];
  /** Where tools name states. */
  state: string | null;
  error: ErrorReport | null;
};

/** The trace; `id` finds it again. */
type AgentTrace = Pick<
  AgentRun,
  | "id"
  | "at"
  | "durationMs"
  | "style"
  | "model"
  | "toolset"
  | "conversation"
  | "reasoning"
  | "counters"
  | "steps"
  | "messages"
>;

export function agentAnswer(result: AgentResult): AgentAnswer {
  const { answer, outcome, turns, usage, history, state = null, error, truncated, waiting, missing } = result;
  const { id, at, durationMs, style, model, toolset, conversation, reasoning, counters, steps, messages } = result;
  return {
    answer,
    outcome,
    turns,
    usage,
    ...(truncated && { truncated }),
    ...(waiting && { waiting }),
    ...(missing && { missing }),
    trace: { id, at, durationMs, style, model, toolset, conversation, reasoning, counters, steps, messages },
    history,
    state,
    error,
  };
}
