import type { JobRunState, TaskState } from "../../../../src/model/work/job-run.ts";
import type { StepState } from "../../../../src/model/work/skill-run.ts";
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
