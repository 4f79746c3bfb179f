import { isObject, type UnknownObject } from "../../model/json.ts";
import type { RequestId } from "../message.ts";
import type { RequestOptions, Session, TaskListener } from "../session.ts";

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

/** A call of a tool that may become a task. */
export type TaskCall = {
  session: Session;
  /** Of `tools/call`. */
  params: UnknownObject;
  /** What the tool says about tasks: `execution.taskSupport`. */
  support: unknown;
  options: RequestOptions;
  /** The session to go on in when this one was lost; undefined where the server is lost with it. */
  reopen: (() => Promise<Session>) | undefined;
};

/** Does a server of the older revisions run tools as tasks when it is asked to? */
export function offersTasks({ era, capabilities }: Pick<Session, "era" | "capabilities">): boolean {
  const { tasks } = capabilities;
  const requests = isObject(tasks) && isObject(tasks.requests) ? tasks.requests : {};
  return era === "legacy" && isObject(requests.tools) && requests.tools.call !== undefined;
}

/** May a server of the later revision answer with a task? */
export function extendsToTasks({ capabilities }: Pick<Session, "capabilities">): boolean {
  return isObject(capabilities.extensions) && capabilities.extensions[tasksExtension] !== undefined;
}

/** The later revision always lets tasks be cancelled. */
export function cancelsTasks({ era, capabilities }: Pick<Session, "era" | "capabilities">): boolean {
  return era === "modern" || (isObject(capabilities.tasks) && capabilities.tasks.cancel !== undefined);
}

const relatedKey = "io.modelcontextprotocol/related-task";

/** Requests that were answered with a task: what the other side says about the task is still meant for them. */
export function createOpenTasks<Options extends { task?: TaskListener | undefined }>() {
  const open = new Map<unknown, { token: RequestId; options: Options }>();
  return {
    /** Before anything else is read: the next message may be about the task already. */
    keep(result: unknown, token: RequestId, options: Options): void {
      const task = options.task && taskIn(result);
      if (!options.task || !task || options.task.over.aborted) return;
      open.set(task.taskId, { token, options });
      options.task.over.addEventListener("abort", () => open.delete(task.taskId), { once: true });
    },
    /** Whose progress this is. */
    ofToken: (token: unknown) => [...open.values()].find((kept) => kept.token === token)?.options,
    /** Whose task a message names. */
    named(meta: UnknownObject): Options | undefined {
      const related = meta[relatedKey];
      return isObject(related) ? open.get(related.taskId)?.options : undefined;
    },
    all: () => [...open.values()].map(({ options }) => options),
    takeStatus: (given: UnknownObject) => open.get(given.taskId)?.options.task?.onStatus(given),
  };
}
