import { isObject, type UnknownObject } from "../model/json.ts";
import { RpcError } from "./message.ts";
import type { RequestOptions } from "./request-options.ts";

type Send = (method: string, params: UnknownObject, options?: RequestOptions) => Promise<unknown>;

/** Only these may be answered with questions, and so often at most. */
const mayAsk = new Set(["tools/call", "prompts/get", "resources/read"]);
const roundLimit = 10;

/** Sends a request and answers what the server asks back, until the result is complete. */
export async function completeResult(
  send: Send,
  method: string,
  params: UnknownObject,
  options: RequestOptions,
): Promise<unknown> {
  let more: UnknownObject = {};
  for (let round = 0; round <= roundLimit; round++) {
    const result = await send(method, { ...params, ...more }, options);
    const type = isObject(result) ? (result.resultType ?? "complete") : "complete";
    if (type === "complete" || !isObject(result)) return result;
    if (type === "task" && options.task) return result;
    if (type !== "input_required" || !mayAsk.has(method)) {
      throw new RpcError(-32603, `its result is of a kind we do not know: ${JSON.stringify(type)}`);
    }
    more = await answerQuestions(result, options);
  }
  throw new RpcError(-32603, `it still asked back after ${roundLimit} rounds`);
}

/** The state goes back exactly as it came. */
async function answerQuestions(
  { inputRequests, requestState }: UnknownObject,
  { onRequest, signal = new AbortController().signal }: RequestOptions,
): Promise<UnknownObject> {
  const questions = isObject(inputRequests) ? Object.entries(inputRequests) : [];
  const answers = await Promise.all(
    questions.map(async ([key, question]): Promise<[string, UnknownObject]> => {
      const { method, params } = isObject(question) ? question : {};
      if (!onRequest || typeof method !== "string") {
        throw new RpcError(-32603, `it asked for '${method}', which nobody here can answer`);
      }
      return [key, await onRequest(method, isObject(params) ? params : {}, signal)];
    }),
  );
  return {
    ...(answers.length === 0 ? {} : { inputResponses: Object.fromEntries(answers) }),
    ...(requestState === undefined ? {} : { requestState }),
  };
}
