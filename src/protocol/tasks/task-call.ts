import { isObject, type UnknownObject } from "../../model/json.ts";
import type { RequestOptions } from "../request-options.ts";
import type { Session } from "../session.ts";
import { tasksExtension } from "./task.ts";

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
