import type { Cancellable } from "../../lib/async/cancellation.ts";
import {
  exactText,
  isTooDeep,
  noteExactNumbers,
  parseExactly,
  tooManyNumbers,
} from "../../lib/json/exact-numbers.ts";
import { memberPlace } from "../../lib/json/json-members.ts";
import { noteAmbiguity, rememberText } from "../../lib/json/json-text.ts";
import {
  ambiguityIn,
  isAsWritten,
  maxClientValues,
  measureJson,
} from "../../lib/json/measure-json.ts";
import type { AsClient } from "../../model/calls/provider.ts";
import { errorTable, publicMessage, toPlaneError } from "../../model/errors.ts";
import { isObject, listOrEmpty, objectOrEmpty, type UnknownObject } from "../../model/json.ts";
import type { Principal } from "../../model/principal.ts";
import type { LogLevel } from "../../model/servers/server.ts";
import { RpcError } from "../../protocol/message.ts";
import type { Era } from "../../protocol/session.ts";
import type { ClientTools } from "./lazy/client-tools.ts";
import type { View } from "./view.ts";
import type { Wire, WireParts } from "./wire.ts";

/** Who asks, how, and how to reach them meanwhile. */
export type RequestContext = {
  principal: Principal;
  view: View;
  era: Era;
  client: AsClient;
  tools: ClientTools;
  /** The least serious level; null for none. */
  logLevel: LogLevel | null;
  /** What the caller calls it, else the session of the client, else a connection that the client has to itself. */
  conversation: string | null;
  /** Set from the metadata of the request. */
  namedConversation: string | null;
  /** Whether the store knows that session as long as it lives. */
  isKeptSession?: boolean;
  /** Set where the answer is the outcome of a call that waited for a person. */
  receipt?: Receipt | null;
  signal: AbortSignal;
  /** Where a signal is made only when it is asked for. */
  cancellation?: Cancellable;
  /** On the stream of this request. */
  notify(method: string, params: UnknownObject): void;
  /** Rejects with an RpcError when the client answers with an error. */
  ask(method: string, params: UnknownObject, signal: AbortSignal): Promise<UnknownObject>;
  /** The client did not declare this capability; may end the request. */
  lacks(required: UnknownObject): void;
};

/** Tells that the answer was not written. Resolves with what takes that back: true where it may be written after all. */
export type Receipt = () => Promise<() => Promise<boolean>>;

export type RpcFailure = { code: number; message: string; data?: unknown };

/** `text` and `parts` are JSON already. */
export type RpcAnswer =
  | { result: UnknownObject }
  | { text: string }
  | { parts: WireParts }
  | { error: RpcFailure };

export function failure(code: number, message: string, data?: unknown): RpcAnswer {
  return { error: data === undefined ? { code, message } : { code, message, data } };
}

/** Rendered once. */
export function renderAnswer(id: string | number | bigint | null, answer: RpcAnswer): Wire {
  const head = `{"jsonrpc":"2.0","id":${typeof id === "bigint" ? id : JSON.stringify(id)}`;
  if ("parts" in answer) return [`${head},"result":`, ...answer.parts, "}"];
  if ("error" in answer) return `${head},"error":${JSON.stringify(answer.error)}}`;
  return `${head},"result":${"text" in answer ? answer.text : JSON.stringify(answer.result)}}`;
}

export function renderNotification(method: string, params: UnknownObject): string {
  if (Object.keys(params).length === 0) return JSON.stringify({ jsonrpc: "2.0", method });
  return JSON.stringify({ jsonrpc: "2.0", method, params });
}

export type Request = { method: string; params: UnknownObject };
export type Responder = (request: Request, context: RequestContext) => Promise<RpcAnswer>;
/** Numbers beyond our precision are kept digit by digit. */
export type Id = string | number | bigint;

export function isId(id: unknown): id is Id {
  return (
    typeof id === "string" ||
    typeof id === "bigint" ||
    (typeof id === "number" && Number.isFinite(id))
  );
}

/** Written as it came. */
export function exactId(id: Id): unknown {
  return typeof id === "bigint" ? parseExactly(String(id)) : id;
}

/** Null for a valid message. */
export function faultIn(message: UnknownObject): string | null {
  const { id, method } = message;
  const isAnswer = id !== undefined && ("result" in message || "error" in message);
  if (method === undefined) return isAnswer ? null : "'method' is missing.";
  if (typeof method !== "string") return "'method' must be a string.";
  if (id === undefined || isId(id)) return null;
  return "'id' must be a string or a number.";
}

/** For a batch. */
export function faultInAny(messages: readonly unknown[]): string | null {
  if (messages.length === 0) return "it is empty.";
  for (const message of messages) {
    if (!isObject(message) || message.jsonrpc !== "2.0") return "'jsonrpc' must be '2.0'.";
    const fault = faultIn(message);
    if (fault !== null) return fault;
  }
  return null;
}

export function textParam(params: UnknownObject, key: string): string | null {
  return typeof params[key] === "string" ? params[key] : null;
}

export function objectParam(params: UnknownObject, key: string): UnknownObject {
  return objectOrEmpty(params[key]);
}

export function listParam(params: UnknownObject, key: string): unknown[] {
  return listOrEmpty(params[key]);
}

/** As the client may read it. A server's error passes unchanged. */
export function renderFailure(thrown: unknown): RpcAnswer {
  if (thrown instanceof RpcError) return failure(thrown.code, thrown.message, thrown.data);
  const { code, message, data } = toPlaneError(thrown);
  const publicError = publicMessage(code, data);
  return failure(errorTable[code].rpc, publicError?.message ?? message, {
    code,
    ...publicError?.data,
  });
}

/** Shorter text cannot be nested too deeply. */
const shallowLength = 1_000;

/** `wrong` says why; null where it is not JSON at all. */
export type Parsed = { message: unknown } | { wrong: string | null };

/** All of them are answered in one turn. */
const maxBatch = 1_000;

/** Keeps the text of numbers that would change, and ids exactly. */
export function parseRequest(text: string): Parsed {
  const {
    tooMuch,
    members,
    inexact,
    arguments: longArguments,
  } = measureJson(text, maxClientValues);
  if (tooMuch !== null) return { wrong: tooMuch };
  let message: unknown;
  try {
    message = JSON.parse(text);
  } catch {
    return { wrong: null };
  }
  if (members < 0 && text.length > shallowLength && isTooDeep(message))
    return { wrong: "it is nested too deeply" };
  if (Array.isArray(message) && message.length > maxBatch)
    return { wrong: `a batch has ${maxBatch} messages at most, and this one ${message.length}` };
  if (isAsWritten(text, message)) return { message };
  if (!noteExactNumbers(message, text, inexact)) return { wrong: tooManyNumbers };
  const ambiguity = ambiguityIn(text, message, members);
  if (!noteArguments(message, text, ambiguity, longArguments?.[2]) && ambiguity !== null)
    return { wrong: ambiguity };
  const messages = [message].flat();
  for (const part of messages) if (isObject(part)) keepIds(part);
  return { message };
}

/** Arguments pass on as they are written. What is open in them is refused with the call; true where it is in them. */
function noteArguments(
  message: unknown,
  text: string,
  ambiguity: string | null,
  longArguments?: Buffer,
): boolean {
  if (!isObject(message) || message.method !== "tools/call" || !isObject(message.params))
    return false;
  const { arguments: args } = message.params;
  if (!isObject(args)) return false;
  const argumentText = longArguments ?? argumentsIn(text);
  if (argumentText === undefined) return false;
  if (ambiguity !== null) return noteAmbiguity(args, ambiguityIn(argumentText.toString(), args));
  rememberText(args, argumentText);
  return true;
}

function argumentsIn(text: string): string | undefined {
  const [params] = memberPlace(text, "params") ?? [text.length];
  const span = memberPlace(text, "arguments", params);
  return span && text.slice(...span);
}

/** Ids are echoed, so they must stay exact. */
function keepIds(message: Record<string, unknown>): void {
  keepId(message, "id");
  if (message.method === "notifications/cancelled" && isObject(message.params))
    keepId(message.params, "requestId");
}

function keepId(holder: Record<string, unknown>, key: string): void {
  const text = exactText(holder, key);
  if (text !== undefined && /^-?[1-9]\d*$/.test(text)) holder[key] = BigInt(text);
}
