import { backoffMs } from "../../lib/async/pause.ts";
import { abortable } from "../../lib/async/signals.ts";
import { PlaneError } from "../../model/errors.ts";
import { isObject, objectOrEmpty, type UnknownObject } from "../../model/json.ts";
import { type AnswerRequest, invalidAnswer, RpcError, TransportError } from "../message.ts";
import type { OnTask, RequestOptions, Session, TaskListener } from "../session.ts";
import { cancelsTasks, isTaskOver, readTask, type Task, type TaskCall, taskIn } from "./task.ts";
import { createTaskPoll, createTaskReporter } from "./task-updates.ts";

/** Lost connections in a row before a remote task is given up. */
const maxLosses = 5;
const maxWaitMs = 30_000;

type TaskLine = {
  /** In the current session; over the network it may be a new one. */
  ask(method: string, params: UnknownObject, options?: RequestOptions): Promise<unknown>;
  /** Can the server still have the task after a lost connection? */
  outlives: boolean;
  /** Returns a status that the server sent meanwhile. */
  wait(limitMs: number): Promise<Task | undefined>;
  ring(): void;
  see(task: Task): void;
  signal: AbortSignal;
  /** Aborted when the call has ended. */
  over: AbortSignal;
};

async function followTask(
  first: Task,
  line: TaskLine,
  onTask: (task: Task) => void,
): Promise<Task> {
  let task = first;
  let losses = 0;
  for (;;) {
    line.see(task);
    if (isTaskOver(task)) return task;
    onTask(task);
    const notified = await line.wait(
      backoffMs({ firstMs: task.pollMs, maxMs: maxWaitMs }, losses + 1),
    );
    if (line.over.aborted) throw line.over.reason;
    try {
      task = notified ?? (await ask(task, line));
      losses = 0;
    } catch (thrown) {
      losses += 1;
      if (line.signal.aborted || !isPassing(thrown, line) || losses >= maxLosses)
        throw lostTaskError(thrown);
    }
  }
}

async function ask({ taskId, pollMs }: Task, line: TaskLine): Promise<Task> {
  const answer = await line
    .ask("tasks/get", { taskId }, { signal: line.signal })
    .catch((thrown) => {
      if (thrown instanceof RpcError) throw forgottenTaskError(thrown);
      throw thrown;
    });
  const task = readTask(answer);
  if (task?.taskId !== taskId) throw invalidAnswer("its answer about its task is no task");
  // An interval named once holds until the end.
  const { pollIntervalMs, pollInterval } = task.fields;
  if (pollIntervalMs !== undefined || pollInterval !== undefined) return task;
  return { ...task, pollMs };
}

function forgottenTaskError({ code, message, data }: RpcError): RpcError {
  const isUnknown = code === -32602 || code === -32601;
  if (!isUnknown) return new RpcError(code, `it could not tell about its task: ${message}`, data);
  const text = `it does not know the task any more that it began (${message}); it may have run`;
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

/** The call itself was sent long ago. */
function lostTaskError(thrown: unknown): unknown {
  if (!(thrown instanceof TransportError) && !isUnavailable(thrown)) return thrown;
  const message = thrown.message.replace(/\.$/, "");
  return new TransportError(`${message}; its task may go on`, { sent: true, cause: thrown });
}

/** Below this poll interval no notifications are needed. */
const longPollMs = 1_000;

/** Result and questions stand in the task itself. */
async function finishModernTask(
  first: Task,
  line: TaskLine,
  onRequest: AnswerRequest | undefined,
): Promise<unknown> {
  const { promise: failed, reject } = Promise.withResolvers<never>();
  const takeQuestions = createTaskAnswers(first.taskId, line, onRequest, reject);
  if (first.pollMs >= longPollMs) listen(first.taskId, line);
  const ended = followTask(first, line, ({ status, fields }) => {
    if (status === "input_required") takeQuestions(fields.inputRequests);
  });
  return resultOf(await Promise.race([ended, failed]));
}

/** A server may refuse notifications; it is polled anyway, and once at the start for what came before. */
function listen(taskId: string, line: TaskLine): void {
  const params = { notifications: { taskIds: [taskId] } };
  line.ask("subscriptions/listen", params, { signal: line.over }).catch(() => undefined);
  line.ring();
}

/** Answers each question once; a lost answer is sent again. */
function createTaskAnswers(
  taskId: string,
  line: TaskLine,
  onRequest: AnswerRequest | undefined,
  fail: (reason: unknown) => void,
): (questions: unknown) => void {
  const answers = new Map<string, Promise<UnknownObject>>();
  const delivered = new Set<string>();

  async function answerQuestion(question: unknown): Promise<UnknownObject> {
    const { method, params } = objectOrEmpty(question);
    if (!onRequest || typeof method !== "string") {
      throw invalidAnswer(`its task asked for '${method}', which cannot be answered here`);
    }
    return onRequest(method, objectOrEmpty(params), line.signal);
  }

  async function deliver(key: string, answer: Promise<UnknownObject>): Promise<void> {
    const inputResponses = { [key]: await answer };
    try {
      await line.ask("tasks/update", { taskId, inputResponses }, { signal: line.signal });
    } catch (thrown) {
      if (thrown instanceof RpcError) throw thrown;
      delivered.delete(key);
    }
    line.ring();
  }

  return (questions) => {
    for (const [key, question] of Object.entries(objectOrEmpty(questions))) {
      if (delivered.has(key)) continue;
      delivered.add(key);
      const answering = answers.get(key) ?? answerQuestion(question);
      answers.set(key, answering);
      deliver(key, answering).catch(fail);
    }
  };
}

function resultOf({ status, message, fields }: Task): unknown {
  if (status === "completed") return fields.result;
  const { code, message: text, data } = objectOrEmpty(fields.error);
  const reasons = [...new Set([message, text])]
    .filter((reason) => typeof reason === "string")
    .join(": ");
  const ending = endingOf(status);
  const rpcCode = typeof code === "number" ? code : -32603;
  throw invalidAnswer(`its task ${ending}${reasons === "" ? "" : `: ${reasons}`}`, data, rpcCode);
}

/** How long an abandoned call may take to name its task, so that it can be cancelled. */
export const nameMs = 1_000;
const cancelMs = 5_000;

/** Neither the task nor anything else was started. */
export class TaskRefusal extends Error {
  readonly answer: RpcError;

  constructor(answer: RpcError) {
    super(answer.message);
    this.answer = answer;
  }
}

/** What is heard of the task of one call, until the call ends. */
export type TaskWatch = ReturnType<typeof createTaskWatch>;

/** `startedAt` is that of the call. */
export function createTaskWatch(
  quietMs: number,
  onTask: OnTask | undefined,
  startedAt = performance.now(),
) {
  const ended = new AbortController();
  const news = createTaskPoll(ended.signal);
  const teller = createTaskReporter(Math.max(0, quietMs - (performance.now() - startedAt)), onTask);
  let lastStatus: Task | undefined;
  const onStatus = (rawTask: unknown) => {
    const status = readTask(rawTask);
    if (!status) return;
    lastStatus = status;
    news.tell(status);
  };
  const listener: TaskListener = { onStatus, over: ended.signal };
  return {
    listener,
    news,
    see: teller.see,
    /** Its last words may have come together with its result. */
    lastWords({ taskId }: Task): Task | undefined {
      if (lastStatus?.taskId !== taskId || !isTaskOver(lastStatus)) return undefined;
      return lastStatus;
    },
    end(): void {
      teller.stop();
      ended.abort();
    },
  };
}

/** With or without a task. */
export async function runAsTask(
  call: TaskCall,
  params: UnknownObject,
  quietMs: number,
): Promise<unknown> {
  const { options } = call;
  options.signal?.throwIfAborted();
  const watch = createTaskWatch(quietMs, options.onTask);
  try {
    const result = await abortable(beginCall(call, params, watch.listener), options.signal);
    const task = taskIn(result);
    return task ? await finishTask(call, task, watch) : result;
  } finally {
    watch.end();
  }
}

/** The result of a task that an answer has named. An abandoned task is cancelled. */
export async function finishTask(call: TaskCall, first: Task, watch: TaskWatch): Promise<unknown> {
  const { session, options, reopen } = call;
  const signal = options.signal ?? new AbortController().signal;
  let task = first;
  const line: TaskLine = {
    ...watch.news,
    outlives: reopen !== undefined,
    ask: async (method, taskParams, requestOptions) =>
      (reopen ? await reopen() : session).request(method, taskParams, requestOptions),
    see(update) {
      task = update;
      watch.see(update);
    },
    signal,
    over: watch.listener.over,
  };
  const finish = session.era === "modern" ? finishModernTask : finishLegacyTask;
  try {
    const finished = await abortable(finish(task, line, options.onRequest), signal);
    const status = isObject(finished) && finished.isError === true ? "failed" : "completed";
    if (!isTaskOver(task)) line.see(watch.lastWords(task) ?? { ...task, status, message: null });
    return finished;
  } catch (thrown) {
    if (!isTaskOver(task)) cancelTask(session, task);
    throw thrown;
  }
}

/** Only the answer names the task: given up earlier, it could never be cancelled. */
function beginCall(call: TaskCall, params: UnknownObject, task: TaskListener): Promise<unknown> {
  const { session, options } = call;
  const { signal } = options;
  const creating = new AbortController();
  const giveUp = () => void setTimeout(() => creating.abort(signal?.reason), nameMs).unref();
  signal?.addEventListener("abort", giveUp, { once: true });
  // It is still written for a moment after its call has ended.
  options.onWrite?.();
  const calling = session.request("tools/call", params, {
    ...options,
    signal: creating.signal,
    task,
  });
  return calling
    .then(
      (result) => {
        const abandonedTask = signal?.aborted ? taskIn(result) : undefined;
        if (abandonedTask) cancelTask(session, abandonedTask);
        return result;
      },
      (thrown) => {
        const isRefusal =
          thrown instanceof RpcError && (thrown.code === -32601 || thrown.code === -32602);
        if (isRefusal && "task" in params) throw new TaskRefusal(thrown);
        throw thrown;
      },
    )
    .finally(() => signal?.removeEventListener("abort", giveUp));
}

/** The server may be done, or gone; either is fine. */
export function cancelTask(session: Session, { taskId }: Task): void {
  if (!cancelsTasks(session)) return;
  const signal = AbortSignal.timeout(cancelMs);
  session.request("tasks/cancel", { taskId }, { signal }).catch(() => undefined);
}

type Answer = { result: unknown } | { failure: unknown };

/**
 * For 2025-11-25. The result is requested at once, since servers answer it at the end and ask questions meanwhile; the
 * status is polled beside it.
 */
async function finishLegacyTask(
  first: Task,
  line: TaskLine,
  onRequest: AnswerRequest | undefined,
): Promise<unknown> {
  const { taskId } = first;
  const { promise: done, resolve, reject } = Promise.withResolvers<unknown>();
  let resultRequest: Promise<Answer> | undefined;

  function askResult(): Promise<Answer> {
    resultRequest ??= line.ask("tasks/result", { taskId }, { signal: line.over, onRequest }).then(
      (result) => {
        resolve(result);
        return { result };
      },
      (failure) => {
        resultRequest = undefined;
        // It is over, or this server answers only at the end.
        line.ring();
        return { failure };
      },
    );
    return resultRequest;
  }

  /** The waiting request may have been lost. */
  async function fetchResult(ended: Task): Promise<void> {
    const pendingResult = resultRequest;
    if (pendingResult && "result" in (await pendingResult)) return;
    const answer = await askResult();
    if ("failure" in answer) reject(explain(ended, answer.failure));
  }

  void askResult();
  followTask(first, line, ({ status }) => {
    if (status === "input_required") void askResult();
  }).then(fetchResult, reject);
  return done;
}

function explain({ status, message }: Task, failure: unknown): unknown {
  if (!(failure instanceof RpcError)) return lostTaskError(failure);
  const { code, data } = failure;
  const reasons = [...new Set([message, failure.message])].filter(Boolean).join(": ");
  return invalidAnswer(`its task ${endingOf(status)}: ${reasons}`, data, code);
}

/** Of a task that has no result to give. */
function endingOf(status: string): string {
  if (status === "completed") return "gave no result";
  return status === "failed" ? "failed" : "was cancelled";
}
