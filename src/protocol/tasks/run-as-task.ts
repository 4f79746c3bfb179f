import { abortable } from "../../lib/abortable.ts";
import { isObject, type UnknownObject } from "../../model/json.ts";
import { RpcError } from "../message.ts";
import type { TaskLine } from "./follow-task.ts";
import { finishLegacyTask } from "./legacy-task.ts";
import { finishModernTask } from "./modern-task.ts";
import { createNews, createTaskTeller } from "./news.ts";
import type { TaskListener } from "./open-tasks.ts";
import { isOver, readTask, type Task, taskIn } from "./task.ts";
import { cancelsTasks, type TaskCall } from "./task-call.ts";

/** So long the name of a task is waited for that nobody wants any more. */
const nameMs = 1_000;
const cancelMs = 5_000;

/** The server began neither the task nor anything else. */
export class TaskRefusal extends Error {
  readonly answer: RpcError;

  constructor(answer: RpcError) {
    super(answer.message);
    this.answer = answer;
  }
}

/** Runs a call to its end, whether the server makes a task of it or not. */
export async function runAsTask(call: TaskCall, params: UnknownObject, quietMs: number): Promise<unknown> {
  const { session, options } = call;
  const signal = options.signal ?? new AbortController().signal;
  signal.throwIfAborted();
  const ended = new AbortController();
  const news = createNews(ended.signal);
  const teller = createTaskTeller(quietMs, options.onTask);
  let task: Task | undefined;
  const see = (seen: Task) => {
    task = seen;
    teller.see(seen);
  };
  try {
    const begun = begin(call, params, { onStatus: (given) => tell(given, news.tell), over: ended.signal });
    const result = await abortable(begun, signal);
    task = taskIn(result);
    if (!task) return result;
    const line: TaskLine = { ...news, ...ways(call), see, signal, over: ended.signal };
    const finish = session.era === "modern" ? finishModernTask : finishLegacyTask;
    const finished = await abortable(finish(task, line, options.onRequest), signal);
    if (!isOver(task)) see({ ...task, status: isFailure(finished) ? "failed" : "completed", message: null });
    return finished;
  } catch (thrown) {
    // What nobody waits for any more need not go on.
    if (task && !isOver(task)) cancel(call, task);
    throw thrown;
  } finally {
    teller.stop();
    ended.abort();
  }
}

function tell(given: unknown, take: (task: Task) => void): void {
  const told = readTask(given);
  if (told) take(told);
}

/** Only the answer names the task, so one that is given up too early could never be cancelled. */
function begin(call: TaskCall, params: UnknownObject, task: TaskListener): Promise<unknown> {
  const { session, options } = call;
  const { signal } = options;
  const creating = new AbortController();
  const giveUp = () => void setTimeout(() => creating.abort(signal?.reason), nameMs).unref();
  signal?.addEventListener("abort", giveUp, { once: true });
  const begun = session.request("tools/call", params, { ...options, signal: creating.signal, task });
  return begun
    .then(
      (result) => {
        const unwanted = signal?.aborted ? taskIn(result) : undefined;
        if (unwanted) cancel(call, unwanted);
        return result;
      },
      (thrown) => {
        throw isRefusal(thrown) && "task" in params ? new TaskRefusal(thrown) : thrown;
      },
    )
    .finally(() => signal?.removeEventListener("abort", giveUp));
}

function isRefusal(thrown: unknown): thrown is RpcError {
  return thrown instanceof RpcError && (thrown.code === -32601 || thrown.code === -32602);
}

function ways({ session, reopen }: TaskCall): Pick<TaskLine, "ask" | "outlives"> {
  return {
    outlives: reopen !== undefined,
    ask: async (method, params, options) =>
      (reopen ? await reopen() : session).request(method, params, options),
  };
}

function isFailure(result: unknown): boolean {
  return isObject(result) && result.isError === true;
}

/** A server may be done before, or gone; either way nobody waits. */
function cancel({ session }: TaskCall, { taskId }: Task): void {
  if (!cancelsTasks(session)) return;
  const signal = AbortSignal.timeout(cancelMs);
  session.request("tasks/cancel", { taskId }, { signal }).catch(() => undefined);
}
