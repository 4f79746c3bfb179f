import { isObject, type UnknownObject } from "../../model/json.ts";
import { type Answer, failure, type Visit } from "./visit.ts";

export type Request = { method: string; params: UnknownObject };
export type Responder = (request: Request, visit: Visit) => Promise<Answer>;
export type Id = string | number;

export function isId(id: unknown): id is Id {
  return typeof id === "string" || (typeof id === "number" && Number.isFinite(id));
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
