import { isObject, objectOrEmpty, stringOrNull, type UnknownObject } from "../../model/json.ts";
import type { RequestId } from "../message.ts";
import type { RequestOptions, Session, TaskListener } from "../session.ts";

export const tasksExtension = "io.modelcontextprotocol/tasks";

/** Limits of the server's poll interval. */
const pollLimits = { shortestMs: 100, usualMs: 1_000, maxMs: 10_000 } as const;

/** A server's background work, in either era. */
export type Task = {
  taskId: string;
  status: string;
  message: string | null;
  pollMs: number;
  /** The whole message; the modern revision puts questions, result and error in here. */
  fields: UnknownObject;
};

/** From a status or a notification. */
export function readTask(fields: unknown): Task | undefined {
  if (!isObject(fields) || typeof fields.taskId !== "string" || typeof fields.status !== "string")
    return undefined;
  const { taskId, status, statusMessage } = fields;
  return {
    taskId,
    status,
    message: stringOrNull(statusMessage),
    pollMs: pollMs(fields.pollIntervalMs ?? fields.pollInterval),
    fields,
  };
}

/** Undefined when the answer is a result. */
export function taskIn(result: unknown): Task | undefined {
  if (!isObject(result) || result.content !== undefined) return undefined;
  return result.resultType === "task" ? readTask(result) : readTask(result.task);
}

function pollMs(suggested: unknown): number {
  const { shortestMs, usualMs, maxMs } = pollLimits;
  const intervalMs =
    typeof suggested === "number" && Number.isFinite(suggested) ? suggested : usualMs;
  return Math.min(maxMs, Math.max(shortestMs, intervalMs));
}

export function isTaskOver({ status }: Pick<Task, "status">): boolean {
  return status === "completed" || status === "failed" || status === "cancelled";
}

/** A tool call that may become a task. */
export type TaskCall = {
  session: Session;
  params: UnknownObject;
  /** `execution.taskSupport` of the tool. */
  support: unknown;
  options: RequestOptions;
  /** A new session after a loss; undefined where the task is lost too. */
  reopen: (() => Promise<Session>) | undefined;
};

/** For legacy servers. */
export function offersTasks({ era, capabilities }: Pick<Session, "era" | "capabilities">): boolean {
  const { tasks } = capabilities;
  const requests = objectOrEmpty(objectOrEmpty(tasks).requests);
  return era === "legacy" && objectOrEmpty(requests.tools).call !== undefined;
}

/** For modern servers. */
export function extendsToTasks({ capabilities }: Pick<Session, "capabilities">): boolean {
  return isObject(capabilities.extensions) && capabilities.extensions[tasksExtension] !== undefined;
}

/** Modern tasks can always be cancelled. */
export function cancelsTasks({
  era,
  capabilities,
}: Pick<Session, "era" | "capabilities">): boolean {
  return (
    era === "modern" || (isObject(capabilities.tasks) && capabilities.tasks.cancel !== undefined)
  );
}

const relatedKey = "io.modelcontextprotocol/related-task";

/** Requests answered with a task: messages about the task still go to them. */
export function createOpenTasks<Options extends { task?: TaskListener | undefined }>() {
  const openTasks = new Map<unknown, { token: RequestId; options: Options }>();
  return {
    /** At once: the next message may be about the task already. */
    keep(result: unknown, token: RequestId, options: Options): void {
      const task = taskIn(result);
      // A listener may be made only now.
      const callEnded = task && options.task?.over;
      if (!callEnded || callEnded.aborted) return;
      openTasks.set(task.taskId, { token, options });
      callEnded.addEventListener("abort", () => openTasks.delete(task.taskId), { once: true });
    },
    byToken: (token: unknown) =>
      [...openTasks.values()].find((openTask) => openTask.token === token)?.options,
    /** Of the task that the metadata of a message name. */
    namedIn(meta: UnknownObject): Options | undefined {
      const related = meta[relatedKey];
      if (!isObject(related)) return undefined;
      return openTasks.get(related.taskId)?.options;
    },
    all: () => [...openTasks.values()].map(({ options }) => options),
    takeStatus: (statusParams: UnknownObject) =>
      openTasks.get(statusParams.taskId)?.options.task?.onStatus(statusParams),
  };
}
