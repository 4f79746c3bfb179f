import { isObject, type UnknownObject } from "../../model/json.ts";
import type { RequestId } from "../../protocol/message.ts";

/**
 * The answer to a request in what came for it, or undefined. With `unnamed`, an error that names no request counts
 * too, and is given the name: nothing else can be meant.
 */
export function answerIn(message: unknown, id: RequestId | undefined, unnamed: boolean): unknown {
  if (id === undefined) return undefined;
  if (Array.isArray(message)) return message.some((one) => answerIn(one, id, false)) ? message : undefined;
  if (!isAnswer(message)) return undefined;
  if (message.id === id) return message;
  return unnamed && message.id == null && isObject(message.error) ? { ...message, id } : undefined;
}

function isAnswer(message: unknown): message is UnknownObject {
  return isObject(message) && message.jsonrpc === "2.0" && message.method === undefined;
}
