import { parseExactly } from "../../lib/json/exact-numbers.ts";
import { isObject, type UnknownObject } from "../../model/json.ts";
import { type Answer, failure, type RequestContext } from "./visit.ts";

export type Request = { method: string; params: UnknownObject };
export type Responder = (request: Request, visit: RequestContext) => Promise<Answer>;
/** A number that no number of ours can hold is kept digit by digit. */
export type Id = string | number | bigint;

export function isId(id: unknown): id is Id {
  return typeof id === "string" || typeof id === "bigint" || (typeof id === "number" && Number.isFinite(id));
}

/** An id as a value that is written as it came. */
export function exactId(id: Id): unknown {
  return typeof id === "bigint" ? parseExactly(String(id)) : id;
}

/** What is wrong with something that should be a message; null when nothing is. */
export function faultIn(message: UnknownObject): string | null {
  const { id, method } = message;
  if (method === undefined) {
    const isAnswer = id !== undefined && ("result" in message || "error" in message);
    return isAnswer ? null : "'method' is missing.";
  }
  if (typeof method !== "string") return "'method' must be a text.";
  return id === undefined || isId(id) ? null : "'id' must be a text or a number.";
}

/** The same for all that came together. */
export function faultInAny(messages: readonly unknown[]): string | null {
  if (messages.length === 0) return "it is empty.";
  for (const message of messages) {
    const fault = isObject(message) && message.jsonrpc === "2.0" ? faultIn(message) : "'jsonrpc' must be '2.0'.";
    if (fault !== null) return fault;
  }
  return null;
}

/** Our lists have one page. */
export function refuseCursor({ cursor }: UnknownObject): Answer | null {
  return cursor === undefined || cursor === null ? null : failure(-32602, "'cursor' is none of ours.");
}

export function textIn(params: UnknownObject, key: string): string | null {
  return typeof params[key] === "string" ? params[key] : null;
}

export function objectIn(params: UnknownObject, key: string): UnknownObject {
  return isObject(params[key]) ? params[key] : {};
}
