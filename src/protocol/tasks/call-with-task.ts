import { isObject } from "../../model/json.ts";
import { RpcError } from "../message.ts";
import { runAsTask, TaskRefusal } from "./run-as-task.ts";
import { extendsToTasks, offersTasks, type TaskCall } from "./task.ts";

/** How long a server should keep a task; many default to for ever. */
const taskLifetimeMs = 3_600_000;

export type CallWithTask = (call: TaskCall) => Promise<unknown>;

/** Calls tools as tasks where tool and server allow; remembers servers that only claim to. */
export function createTaskCalls(quietMs: number): CallWithTask {
  const refused = new WeakMap<TaskCall["session"], Set<unknown>>();
  return (call) => {
    const { session, params, support } = call;
    // The server decides, and says so in its answer.
    if (session.era === "modern")
      return extendsToTasks(session) ? runAsTask(call, params, quietMs) : callPlainly(call);
    const isWanted = support === "required" || support === "optional";
    if (!isWanted || !offersTasks(session) || refused.get(session)?.has(params.name))
      return callPlainly(call);
    return asTask(call);
  };

  async function asTask(call: TaskCall): Promise<unknown> {
    const { session, params, support, options } = call;
    const answer = await orRefusal(
      runAsTask(call, { ...params, task: { ttl: taskLifetimeMs } }, quietMs),
    );
    if (!("refusal" in answer)) return answer.result;
    if (support === "required") throw refusedAsTask(answer.refusal);
    const remember = () =>
      refused.set(session, (refused.get(session) ?? new Set()).add(params.name));
    if (!options.mayRepeat) {
      if (!isAboutTasks(answer.refusal)) throw answer.refusal;
      remember();
      throw mayHaveRun(answer.refusal);
    }
    const result = await callPlainly(call);
    remember();
    return result;
  }
}

function callPlainly({ session, params, options }: TaskCall): Promise<unknown> {
  return session.request("tools/call", params, options);
}

type Answer = { result: unknown } | { refusal: RpcError };

async function orRefusal(running: Promise<unknown>): Promise<Answer> {
  try {
    const result = await running;
    if (!refusesTasks(result)) return { result };
    return { refusal: new RpcError(-32601, "it does not support that") };
  } catch (thrown) {
    if (thrown instanceof TaskRefusal) return { refusal: thrown.answer };
    throw thrown;
  }
}

/** Some servers say it in a result. */
function refusesTasks(result: unknown): boolean {
  const content = isObject(result) && result.isError === true ? result.content : undefined;
  return JSON.stringify(content ?? "").includes("does not support task-augmented execution");
}

/** It has had the request, and what it did before it refused is not known. */
function mayHaveRun({ code, message, data }: RpcError): RpcError {
  const text = `${message} (It was asked to run this in the background, and refused. A call that may change something is not sent twice; the next one is sent without that.)`;
  return new RpcError(code, text, data);
}

/** Bad arguments have the same code, and do not concern tasks. */
function isAboutTasks({ code, message }: RpcError): boolean {
  return code !== -32602 || /task/i.test(message);
}

function refusedAsTask(refusal: RpcError): RpcError {
  const { code, message, data } = refusal;
  if (!isAboutTasks(refusal)) return refusal;
  const text =
    "it lists this tool as one that only runs as a background task, and refused to run it as one";
  return new RpcError(code, `${text}: ${message}`, data);
}
