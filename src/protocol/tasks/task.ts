import { isObject, type UnknownObject } from "../../model/json.ts";

export const tasksExtension = "io.modelcontextprotocol/tasks";

/** How often a task is asked for, whatever its server suggests. */
const pollLimits = { shortestMs: 100, usualMs: 1_000, maxMs: 10_000 } as const;

/** Work that a server does in the background, in the words of either era. */
export type Task = {
  taskId: string;
  status: string;
  message: string | null;
  pollMs: number;
  /** Everything the server said; the later revision puts questions, result and error in here. */
  given: UnknownObject;
};

/** What a caller is told about the task that a call has become. */
export type TaskUpdate = Pick<Task, "taskId" | "status" | "message">;

/** The task that stands in a status or a notification. */
export function readTask(given: unknown): Task | undefined {
  if (!isObject(given) || typeof given.taskId !== "string" || typeof given.status !== "string") return undefined;
  const { taskId, status, statusMessage } = given;
  const message = typeof statusMessage === "string" ? statusMessage : null;
  return { taskId, status, message, pollMs: pollMs(given.pollIntervalMs ?? given.pollInterval), given };
}

/** The task that a call was answered with; undefined when the answer is a result. */
export function taskIn(result: unknown): Task | undefined {
  if (!isObject(result) || result.content !== undefined) return undefined;
  return result.resultType === "task" ? readTask(result) : readTask(result.task);
}

function pollMs(suggested: unknown): number {
  const { shortestMs, usualMs, maxMs } = pollLimits;
  const wanted = typeof suggested === "number" && Number.isFinite(suggested) ? suggested : usualMs;
  return Math.min(maxMs, Math.max(shortestMs, wanted));
}

export function isOver({ status }: Pick<Task, "status">): boolean {
  return status === "completed" || status === "failed" || status === "cancelled";
}
