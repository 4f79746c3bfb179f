import { isObject, type UnknownObject } from "../../model/json.ts";
import type { RequestId } from "../message.ts";
import { taskIn } from "./task.ts";

const relatedKey = "io.modelcontextprotocol/related-task";

export type TaskListener = {
  /** The other side tells by itself how its task is doing. */
  onStatus(given: UnknownObject): void;
  /** Nobody listens any more. */
  over: AbortSignal;
};

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
