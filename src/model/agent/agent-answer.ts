import type { AgentResult } from "../agent.ts";
import type { AgentRun } from "./run-schema.ts";

type Shown =
  | "answer"
  | "outcome"
  | "truncated"
  | "refused"
  | "turns"
  | "usage"
  | "waiting"
  | "missing"
  | "error";

/** A run, as the command line and the HTTP API return it. */
export type AgentAnswer = Pick<AgentRun, Shown> & {
  trace: Omit<AgentRun, Shown | "user" | "question" | "trace">;
  /** For the next question. */
  history: AgentResult["history"];
  state: string | null;
};

export function agentAnswer({
  user,
  question,
  trace: _,
  history,
  state,
  ...run
}: AgentResult): AgentAnswer {
  const { answer, outcome, turns, usage, error, truncated, refused, waiting, missing, ...trace } =
    run;
  return {
    answer,
    outcome,
    turns,
    usage,
    ...(truncated && { truncated }),
    ...(refused && { refused }),
    ...(waiting && { waiting }),
    ...(missing && { missing }),
    trace,
    history,
    state: state ?? null,
    error,
  };
}
