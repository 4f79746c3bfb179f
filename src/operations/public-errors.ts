import type { AgentAnswer } from "../model/agent/agent-answer.ts";
import type { Outcome } from "../model/calls/call.ts";
import { publicMessage, withoutHints } from "../model/errors.ts";
import type { ErrorReport } from "../model/errors-schema.ts";
import type { JobRun, SkillRun, StepRun } from "../model/work/run-schema.ts";

/** Reasons for holders of a credential that was ours, or that an issuer signed. */
const reasonsForHolders: readonly unknown[] = [
  "revoked",
  "expired",
  "not_yet",
  "audience",
  "claims",
];

/** The same for no credential and a wrong one: a guess learns nothing. */
const proveIt =
  "This plane needs a credential. Send 'Authorization: Bearer TOKEN' with an API key or a token of the plane's issuer, or the key as 'X-API-Key'. API keys begin with 'tp_'; 'toolplane keys create NAME' makes one.";

/** An error as a caller over HTTP reads it: without paths, addresses and causes of the machine. */
export function toPublicError(error: ErrorReport): ErrorReport {
  if (error.code === "UNAUTHENTICATED" && !reasonsForHolders.includes(error.data.reason))
    return { ...error, message: proveIt, cause: null, data: {} };
  const shown = publicMessage(error.code, error.data);
  return shown === null ? withoutHints(error) : { ...error, ...shown, cause: null };
}

export function shownOutcome(outcome: Outcome): Outcome {
  return outcome.ok ? outcome : { ...outcome, error: toPublicError(outcome.error) };
}

export function shownAgentAnswer(answer: AgentAnswer): AgentAnswer {
  return answer.error ? { ...answer, error: toPublicError(answer.error) } : answer;
}

export function shownSkillRun(run: SkillRun): SkillRun {
  return { ...run, ...shownFailure(run), steps: run.steps.map(shownStep) };
}

export function shownJobRun(run: JobRun): JobRun {
  const tasks = run.tasks.map((task) => ({
    ...task,
    ...shownFailure(task),
    steps: task.steps.map(shownStep),
  }));
  return { ...run, ...shownFailure(run), tasks };
}

function shownStep(step: StepRun): StepRun {
  return { ...step, ...shownFailure(step) };
}

function shownFailure({ error }: { error: ErrorReport | null }): { error: ErrorReport | null } {
  return { error: error === null ? null : toPublicError(error) };
}
