import { PlaneError, reportError, toPlaneError } from "../../model/errors.ts";
import type { PlaneEvent } from "../../model/events.ts";
import { type JobManifest, usualRetries } from "../../model/job.ts";
import type { KeptJobRun } from "../../model/job-run.ts";
import type { HeldRun } from "./hold-run.ts";
import { runGraph } from "./run-graph.ts";
import { runTask, type TaskParts } from "./run-task.ts";
import { isOver, moveRun } from "./states.ts";

export type ExecuteParts = {
  emit(event: PlaneEvent): void;
  /** What can be said before anything is begun: throws everything that is missing. */
  check(job: JobManifest, run: KeptJobRun): Promise<void>;
  work(run: KeptJobRun): TaskParts["work"];
  /** Told once, when it is over. */
  onEnded(job: JobManifest, run: KeptJobRun): Promise<void>;
};

/** A run from where it stands to its end. `stopping` leaves it to whoever goes on with it, `cancelled` ends it. */
export async function executeRun(
  held: HeldRun,
  job: JobManifest,
  parts: ExecuteParts,
  { stopping, cancelled }: { stopping: AbortSignal; cancelled: AbortSignal },
): Promise<void> {
  const { id: runId, user, starts } = held.current();
  parts.emit({ type: "job.started", ...{ runId, user, job: job.name }, start: starts });
  const signal = AbortSignal.any([stopping, cancelled, held.lost]);
  const error = await runTasks(held, job, parts, signal).catch(toPlaneError);
  if (held.lost.aborted) return held.end();
  if (stopping.aborted && !cancelled.aborted && !isFinished(held.current())) return held.release();
  const end = (run: KeptJobRun) => {
    const now = Date.now();
    if (cancelled.aborted) return moveRun(run, "cancelled", now);
    return error === null ? moveRun(run, "succeeded", now) : moveRun(run, "failed", now, reportError(error));
  };
  try {
    await parts.onEnded(job, await held.write(end));
  } finally {
    held.end();
  }
}

async function runTasks(
  held: HeldRun,
  job: JobManifest,
  parts: ExecuteParts,
  signal: AbortSignal,
): Promise<PlaneError | null> {
  // A plane may have gone before it could say that the run has failed.
  const broken = held.current().tasks.find(({ state }) => state === "cancelled");
  if (broken)
    return new PlaneError(broken.error?.code ?? "CANCELLED", broken.error?.message ?? "It was cancelled.");
  await parts.check(job, held.current());
  const taskParts: TaskParts = {
    held,
    retry: job.retry ?? usualRetries,
    work: parts.work(held.current()),
    onMoved: (run, name) => {
      const task = run.tasks.find((one) => one.task === name);
      if (task)
        parts.emit({
          type: "job.task",
          ...{ runId: run.id, user: run.user, job: run.job, task: name, state: task.state },
          code: task.error?.code ?? null,
        });
    },
  };
  const open = held.current().tasks.filter(({ state }) => state !== "done");
  const isOpen = (name: string) => open.some(({ task }) => task === name);
  const nodes = open.map(({ task, dependsOn }) => ({ id: task, dependsOn: dependsOn.filter(isOpen) }));
  const end = await runGraph(nodes, {
    signal,
    work: async (name, either) => {
      await runTask(name, taskParts, either);
      return true;
    },
    leaveOut: async () => undefined,
  });
  return end.error;
}

function isFinished(run: KeptJobRun): boolean {
  return (
    isOver(run.state) ||
    run.tasks.every(({ state }) => state === "done") ||
    run.tasks.some(({ state }) => state === "cancelled")
  );
}
