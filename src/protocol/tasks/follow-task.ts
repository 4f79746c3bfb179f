import { backoffMs } from "../../lib/backoff.ts";
import { PlaneError } from "../../model/errors.ts";
import type { UnknownObject } from "../../model/json.ts";
import { RpcError, TransportError } from "../message.ts";
import type { RequestOptions } from "../request-options.ts";
import { isOver, readTask, type Task } from "./task.ts";

/** So often in a row a remote server may be out of reach before its task is given up. */
const lossLimit = 5;
const maxWaitMs = 30_000;

/** What is needed to speak about one task. */
export type TaskLine = {
  /** Asks in the session there is; over the network it may be another one than the task was begun in. */
  ask(method: string, params: UnknownObject, options?: RequestOptions): Promise<unknown>;
  /** Can its server still have the task when the connection was lost? */
  outlives: boolean;
  /** Waits until it is time to ask again; with what the server has told by itself meanwhile. */
  wait(limitMs: number): Promise<Task | undefined>;
  /** Ends the wait. */
  ring(): void;
  see(task: Task): void;
  /** The caller's; nobody waits for the task when it is aborted. */
  signal: AbortSignal;
  /** Aborted when the call has ended, in whatever way. */
  over: AbortSignal;
};

/** Asks for the task until it is over. */
export async function followTask(
  first: Task,
  line: TaskLine,
  onTask: (task: Task) => void = () => undefined,
): Promise<Task> {
  let task = first;
  let losses = 0;
  for (;;) {
    line.see(task);
    if (isOver(task)) return task;
    onTask(task);
    const told = await line.wait(backoffMs({ firstMs: task.pollMs, maxMs: maxWaitMs }, losses + 1));
    if (line.over.aborted) throw line.over.reason;
    try {
      task = told ?? (await ask(task, line));
      losses = 0;
    } catch (thrown) {
      losses += 1;
      if (line.signal.aborted || !isPassing(thrown, line) || losses >= lossLimit) throw lost(thrown);
    }
  }
}

async function ask({ taskId, pollMs }: Task, line: TaskLine): Promise<Task> {
  const answer = await line.ask("tasks/get", { taskId }, { signal: line.signal }).catch((thrown) => {
    throw thrown instanceof RpcError ? forgotten(thrown) : thrown;
  });
  const task = readTask(answer);
  if (task?.taskId !== taskId) throw new RpcError(-32603, "its answer about its task is no task");
  // A server that names its interval only once means it for good.
  const { pollIntervalMs, pollInterval } = task.given;
  return pollIntervalMs === undefined && pollInterval === undefined ? { ...task, pollMs } : task;
}

function forgotten({ code, message, data }: RpcError): RpcError {
  const isUnknown = code === -32602 || code === -32601;
  const text = isUnknown
    ? `it does not know the task any more that it began (${message}); it may have run`
    : `it could not tell about its task: ${message}`;
  return new RpcError(code, text, data);
}

function isPassing(thrown: unknown, { outlives }: TaskLine): boolean {
  if (!outlives) return false;
  if (thrown instanceof TransportError) return !thrown.permanent;
  // Without a time to come back it is not to be used any more.
  return isUnavailable(thrown) && thrown.data.retryAt !== null;
}

function isUnavailable(thrown: unknown): thrown is PlaneError {
  return thrown instanceof PlaneError && thrown.code === "SERVER_UNAVAILABLE";
}

/** The call went out long ago, whatever became of the question about its task. */
export function lost(thrown: unknown): unknown {
  if (!(thrown instanceof TransportError) && !isUnavailable(thrown)) return thrown;
  const message = thrown.message.replace(/\.$/, "");
  return new TransportError(`${message}; its task may go on`, { sent: true, cause: thrown });
}
