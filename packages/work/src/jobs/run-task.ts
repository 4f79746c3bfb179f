import { backoffMs, pause } from "@toolplane/core/lib/async/pause";
import { fillReferences, valueAtPath } from "@toolplane/core/lib/text/fill-references";
import { errorTable, PlaneError, reportError, toPlaneError } from "@toolplane/core/model/errors";
import type { Json, JsonObject } from "@toolplane/core/model/json";
import type { RetryPolicy } from "@toolplane/core/model/work/job";
import type { KeptJobRun, KeptTask, TaskState } from "@toolplane/core/model/work/job-run";
import type { NotReady } from "@toolplane/core/model/work/skill-run";
import { createStepMemory, type StepMemory } from "../skills/run-skill.ts";
import type { HeldRun } from "./hold-run.ts";
import { changeTask, moveTask } from "./states.ts";

/** Larger results are not kept: their step runs again where that does no harm. */
const maxResultBytes = 64 * 1024;

export type TaskParts = {
  held: HeldRun;
  retry: RetryPolicy;
  /** One attempt. */
  work(task: KeptTask, input: JsonObject, memory: StepMemory, signal: AbortSignal): Promise<Json>;
  onMoved(run: KeptJobRun, task: string): void;
  random?: () => number;
};

/** One task from where it stands to its end, retried where that does no harm. Throws its failure. */
export async function runTask(name: string, parts: TaskParts, signal: AbortSignal): Promise<void> {
  const { held, onMoved } = parts;
  const move = async (change: (run: KeptJobRun) => KeptJobRun) =>
    onMoved(await held.write(change), name);
  const { state } = taskOf(held, name);
  if (state === "draft") await move((run) => moveThrough(run, name, ["ready", "in_progress"]));
  try {
    const result = await tryUntilDone(name, parts, signal);
    await move((run) =>
      moveThrough(run, name, ["review", "done"], { error: null, ...keptResult(result) }),
    );
  } catch (thrown) {
    // What is only interrupted is still in progress.
    if (!signal.aborted) {
      const error = reportError(toPlaneError(thrown));
      await move((run) => moveTask(run, name, "cancelled", Date.now(), { error }));
    }
    throw thrown;
  }
}

/** Several changes, written at once. */
function moveThrough(
  run: KeptJobRun,
  name: string,
  states: readonly TaskState[],
  changes: Partial<KeptTask> = {},
) {
  return states.reduce(
    (movedRun, state) => moveTask(movedRun, name, state, Date.now(), changes),
    run,
  );
}

async function tryUntilDone(
  name: string,
  { held, retry, work, random }: TaskParts,
  signal: AbortSignal,
): Promise<Json> {
  const write = async (changes: (task: KeptTask) => Partial<KeptTask>) =>
    void (await held.write((run) =>
      changeTask(run, name, (task) => ({ ...task, ...changes(task) })),
    ));
  for (;;) {
    const { nextAttemptAt } = taskOf(held, name);
    if (nextAttemptAt !== null)
      await pause(Math.max(0, Date.parse(nextAttemptAt) - Date.now()), { signal });
    signal.throwIfAborted();
    if (taskOf(held, name).attempts >= retry.attempts) throw tooManyStarts(taskOf(held, name));
    await write(({ attempts }) => ({ attempts: attempts + 1, nextAttemptAt: null }));
    try {
      const task = taskOf(held, name);
      const { memory } = createStepMemory(
        (steps) => write(() => ({ steps: steps.map(withoutLarge) })),
        task.steps,
      );
      return await work(task, inputOf(held.current(), task), memory, signal);
    } catch (thrown) {
      const error = toPlaneError(thrown);
      const task = taskOf(held, name);
      if (signal.aborted || !mayTryAgain(error, task, retry)) throw error;
      const next = new Date(Date.now() + taskDelayMs(task.attempts, retry, random)).toISOString();
      await write(() => ({ error: reportError(error), nextAttemptAt: next }));
    }
  }
}

/** Only failures that may pass, and only where no step can have done what must not happen twice. */
export function mayTryAgain(
  error: PlaneError,
  { attempts, steps }: KeptTask,
  retry: RetryPolicy,
): boolean {
  const isHarmless = steps.every(
    ({ state, repeatable, at }) => state === "succeeded" || repeatable || at === null,
  );
  const { reasons = [] } = error.data;
  // A server may come back; anything else that is missing does not.
  const mayPass =
    errorTable[error.code].retryable &&
    (reasons as NotReady[]).every(({ kind }) => kind === "server");
  return mayPass && attempts < retry.attempts && isHarmless;
}

const maxRestMs = 24 * 3_600_000;

export function taskDelayMs(
  attempts: number,
  retry: RetryPolicy,
  random: () => number = Math.random,
): number {
  const { delay, jitter, multiplier } = retry;
  const plainMs = backoffMs({ firstMs: delay * 1_000, factor: multiplier }, attempts);
  return Math.min(maxRestMs, Math.round(plainMs + jitter * 1_000 * random()));
}

/** The input of the run, with what the job sets for this task. */
function inputOf(run: KeptJobRun, { task, input = {} }: KeptTask): JsonObject {
  const filled = fillReferences(input, ([root, name = "", ...path]) => {
    const earlierTask = run.tasks.find((earlier) => earlier.task === name);
    const referencedValue =
      root === "input"
        ? valueAtPath(run.input, [name, ...path])
        : valueAtPath({ result: earlierTask?.result }, path);
    if (referencedValue !== undefined) return referencedValue;
    const reference = [root, name, ...path].join(".");
    throw new PlaneError(
      "INVALID_ARGUMENTS",
      `The input of task '${task}' refers to '${reference}', which does not exist.`,
    );
  });
  return { ...run.input, ...(filled as JsonObject) };
}

function taskOf(held: HeldRun, name: string): KeptTask {
  return held.current().tasks.find(({ task }) => task === name) as KeptTask;
}

function keptResult(result: Json): { result?: Json } {
  return Buffer.byteLength(JSON.stringify(result)) > maxResultBytes ? {} : { result };
}

function withoutLarge({ result, ...step }: KeptTask["steps"][number]): KeptTask["steps"][number] {
  if (result === undefined) return step;
  return { ...step, ...keptResult(result) };
}

function tooManyStarts({ task, attempts, error }: KeptTask): PlaneError {
  const why = error === null ? "its plane was ended each time" : error.message;
  return new PlaneError(
    "OUTCOME_UNKNOWN",
    `Task '${task}' was begun ${attempts} times and not finished: ${why}`,
  );
}
