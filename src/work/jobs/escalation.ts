import { sentence } from "../../lib/text/wording.ts";
import { type ErrorCode, errorTable, PlaneError } from "../../model/errors.ts";
import type { PlaneEvent } from "../../model/events.ts";
import type { EscalationPolicy, JobManifest, TaskManifest } from "../../model/work/job.ts";
import type { KeptJobRun } from "../../model/work/job-run.ts";

/** The failure with whom to tell and what to do; as it is where nobody has said that, or not for this one. */
export function withEscalation(error: PlaneError, policy: EscalationPolicy | undefined): PlaneError {
  if (policy === undefined || !isMeant(policy, error.code)) return error;
  const { triggers: _, auto_escalate: __, ...escalation } = policy;
  const words = wordsOf(policy);
  if (words === "") return error;
  return new PlaneError(error.code, `${sentence(error.message)} ${words}`, {
    data: { ...error.data, escalation },
    cause: error.cause,
  });
}

/** What is told by itself when a run has failed, where its task or its job says so. */
export function escalationOf(
  job: JobManifest,
  { id: runId, user, error, tasks }: Pick<KeptJobRun, "id" | "user" | "error" | "tasks">,
  known: readonly TaskManifest[],
): PlaneEvent | null {
  const failed = tasks.find((one) => one.error !== null)?.task ?? null;
  const policy = policyOf(
    job,
    known.find(({ name }) => name === failed),
  );
  const code = error?.code ?? "INTERNAL";
  if (policy?.auto_escalate !== true || !isMeant(policy, code)) return null;
  const { level = null, contact = null, timeframe = null, actions = [] } = policy;
  const whom = { level, contact, timeframe, actions };
  return { type: "job.escalated", runId, user, job: job.name, task: failed, code, ...whom };
}

/** A task's own before its job's. */
export function policyOf(
  job: Pick<JobManifest, "escalation_policy"> | undefined,
  task: Pick<TaskManifest, "escalation_policy"> | undefined,
): EscalationPolicy | undefined {
  return task?.escalation_policy ?? job?.escalation_policy;
}

/** Triggers that are codes of ours choose; whatever else they say is for people. */
function isMeant({ triggers = [] }: EscalationPolicy, code: ErrorCode): boolean {
  const codes = triggers.filter((one) => Object.hasOwn(errorTable, one));
  return codes.length === 0 || codes.includes(code);
}

function wordsOf({ contact, level, timeframe, actions = [], notes }: EscalationPolicy): string {
  const facts = [level && `level ${level}`, timeframe].filter(Boolean).join(", ");
  const whom = contact ? `Tell ${contact}` : facts === "" ? "" : "Escalate it";
  return [
    whom && sentence(facts === "" ? whom : `${whom} (${facts})`),
    actions.length === 0 ? "" : sentence(`To do: ${actions.join("; ")}`),
    notes ? sentence(notes) : "",
  ]
    .filter(Boolean)
    .join(" ");
}
