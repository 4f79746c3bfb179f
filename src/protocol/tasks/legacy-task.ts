import { RpcError } from "../message.ts";
import type { AnswerRequest } from "../questions-from-peer.ts";
import { followTask, lost, type TaskLine } from "./follow-task.ts";
import type { Task } from "./task.ts";

type Answer = { result: unknown } | { failure: unknown };

/**
 * The result of a task of 2025-11-25. It is asked for at once, because a server answers that when the task is over
 * and asks its questions meanwhile; what the task is doing is asked beside it.
 */
export async function finishLegacyTask(
  first: Task,
  line: TaskLine,
  onRequest: AnswerRequest | undefined,
): Promise<unknown> {
  const { taskId } = first;
  const { promise: done, resolve, reject } = Promise.withResolvers<unknown>();
  let asked: Promise<Answer> | undefined;

  function askResult(): Promise<Answer> {
    asked ??= line.ask("tasks/result", { taskId }, { signal: line.over, onRequest }).then(
      (result) => {
        resolve(result);
        return { result };
      },
      (failure) => {
        asked = undefined;
        // Either it is over, or this server answers only when it is.
        line.ring();
        return { failure };
      },
    );
    return asked;
  }

  /** The request that waited all the time may have been lost on the way. */
  async function fetchResult(ended: Task): Promise<void> {
    const waiting = asked;
    if (waiting && "result" in (await waiting)) return;
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
  if (!(failure instanceof RpcError)) return lost(failure);
  const { code, data } = failure;
  const why = [...new Set([message, failure.message])].filter(Boolean).join(": ");
  const ending = status === "completed" ? "gave no result" : status === "failed" ? "failed" : "was cancelled";
  return new RpcError(code, `its task ${ending}: ${why}`, data);
}
