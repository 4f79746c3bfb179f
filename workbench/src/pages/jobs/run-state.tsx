import type { Recurrence } from "../../../../src/model/job.ts";
import type { JobRunState, TaskState } from "../../../../src/model/job-run.ts";
import type { StepState } from "../../../../src/model/skill-run.ts";
import { Badge, type Tone } from "../../parts/badge.tsx";

const tones: Record<JobRunState | TaskState | StepState, Tone> = {
  draft: "neutral",
  scheduled: "neutral",
  planned: "neutral",
  ready: "neutral",
  running: "accent",
  in_progress: "accent",
  review: "warn",
  succeeded: "good",
  done: "good",
  failed: "bad",
  cancelled: "neutral",
  skipped: "neutral",
};

/** The state of a run, a task or a step. */
export function RunState({ state }: { state: keyof typeof tones }) {
  return (
    <Badge dot tone={tones[state]}>
      {state.replaceAll("_", " ")}
    </Badge>
  );
}

const units = { hourly: "hour", daily: "day", weekly: "week", monthly: "month" };

export function renderRecurrence(recurrence: Recurrence | undefined): string {
  if (recurrence === undefined) return "on request";
  const { cron, frequency, interval = 1, timezone } = recurrence;
  if (cron !== undefined) return `${cron} (${timezone})`;
  if (frequency === undefined) return "on request";
  return interval === 1 ? `every ${units[frequency]}` : `every ${interval} ${units[frequency]}s`;
}
