import type { AgentResult } from "../agent.ts";

import type { ErrorReport } from "../errors.ts";
import type { AgentOutcome, AgentRun, MissingServer, WaitingCall } from "./agent-run.ts";
import type { ChatMessage, TokenUsage } from "./chat.ts";

/** How a run went, in the shape that the command line and the HTTP API tell it in. */
export type AgentAnswer = {
  answer: string | null;
  outcome: AgentOutcome;
  /** The answer ends where the model had no room left. */
  truncated?: true;
  turns: number;
  usage: TokenUsage;
  /** Calls that wait for a person's yes. */
  waiting?: WaitingCall[];
  /** Servers of its toolset that had nothing to offer. */
  missing?: MissingServer[];
  trace: AgentTrace;
  /** The whole conversation, to be given back with the next question. */
  history: ChatMessage[];
  /** The state that the agent is in from now on, where tools speak of one. */
  state: string | null;
  error: ErrorReport | null;
};

/** What is known of the way to it; `id` finds it again. */
export type AgentTrace = Pick<
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
