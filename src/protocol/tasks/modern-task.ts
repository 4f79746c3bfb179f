import { isObject, type UnknownObject } from "../../model/json.ts";
import { RpcError } from "../message.ts";
import type { AnswerRequest } from "../questions-from-peer.ts";
import { followTask, type TaskLine } from "./follow-task.ts";
import type { Task } from "./task.ts";

/** Whoever may be asked more often than this need not tell by itself. */
const longPollMs = 1_000;

/** The result of a task of the extension: it stands in the task, and so do the questions on the way to it. */
export async function finishModernTask(
  first: Task,
  line: TaskLine,
  onRequest: AnswerRequest | undefined,
): Promise<unknown> {
  const { promise: failed, reject } = Promise.withResolvers<never>();
  const answers = createTaskAnswers(first.taskId, line, onRequest, reject);
  if (first.pollMs >= longPollMs) listen(first.taskId, line);
  const ended = followTask(first, line, ({ status, given }) => {
    if (status === "input_required") answers.take(given.inputRequests);
  });
  return outcome(await Promise.race([ended, failed]));
}

/** A server may refuse to tell by itself; it is asked anyway, and once at the beginning for what came before. */
function listen(taskId: string, line: TaskLine): void {
  const params = { notifications: { taskIds: [taskId] } };
  line.ask("subscriptions/listen", params, { signal: line.over }).catch(() => undefined);
  line.ring();
}

/** Each question is answered once, however often the server shows it; an answer that was lost is sent again. */
function createTaskAnswers(
  taskId: string,
  line: TaskLine,
  onRequest: AnswerRequest | undefined,
  fail: (reason: unknown) => void,
) {
  const answers = new Map<string, Promise<UnknownObject>>();
  const delivered = new Set<string>();

  async function answer(question: unknown): Promise<UnknownObject> {
    const { method, params } = isObject(question) ? question : {};
    if (!onRequest || typeof method !== "string") {
      throw new RpcError(-32603, `its task asked for '${method}', which nobody here can answer`);
    }
    return onRequest(method, isObject(params) ? params : {}, line.signal);
  }

  async function deliver(key: string, given: Promise<UnknownObject>): Promise<void> {
    const inputResponses = { [key]: await given };
    try {
      await line.ask("tasks/update", { taskId, inputResponses }, { signal: line.signal });
    } catch (thrown) {
      if (thrown instanceof RpcError) throw thrown;
      delivered.delete(key);
    }
    line.ring();
  }

  return {
    take(questions: unknown): void {
      for (const [key, question] of isObject(questions) ? Object.entries(questions) : []) {
        if (delivered.has(key)) continue;
        delivered.add(key);
        const given = answers.get(key) ?? answer(question);
        answers.set(key, given);
        deliver(key, given).catch(fail);
      }
    },
  };
}

function outcome({ status, message, given }: Task): unknown {
  if (status === "completed") return given.result;
  const { code, message: text, data } = isObject(given.error) ? given.error : {};
  const why = [...new Set([message, text])].filter((reason) => typeof reason === "string").join(": ");
  const ending = status === "failed" ? "failed" : "was cancelled";
  const known = typeof code === "number" ? code : -32603;
  throw new RpcError(known, `its task ${ending}${why === "" ? "" : `: ${why}`}`, data);
}
