import type { AsClient } from "../../model/calls/provider.ts";
import type { UnknownObject } from "../../model/json.ts";
import type { Principal } from "../../model/principal.ts";
import type { LogLevel } from "../../model/servers/server.ts";
import type { Era } from "../../protocol/session.ts";
import type { ClientTools } from "./lazy/client-tools.ts";
import type { View } from "./view.ts";
import type { Parts, Wire } from "./wire.ts";

/** Everything that has to be known to answer one request: who asks, how, and how to speak with them meanwhile. */
export type RequestContext = {
  principal: Principal;
  view: View;
  era: Era;
  client: AsClient;
  /** The tools that this client has. */
  tools: ClientTools;
  /** The least serious log messages that are wanted; null when none are. */
  logLevel: LogLevel | null;
  /** What belongs together, where the client keeps a session. */
  conversation: string | null;
  signal: AbortSignal;
  /** On the stream of this request. */
  notify(method: string, params: UnknownObject): void;
  /** Asks the client; rejects with an RpcError when it answers with an error. */
  ask(method: string, params: UnknownObject, signal: AbortSignal): Promise<UnknownObject>;
  /** The client has not said that it can do this; where that ends the request it does so. */
  lacks(required: UnknownObject): void;
};

export type RpcFailure = { code: number; message: string; data?: unknown };

/** `text` and `parts` are a result that is JSON already. */
export type Answer = { result: UnknownObject } | { text: string } | { parts: Parts } | { error: RpcFailure };

export function failure(code: number, message: string, data?: unknown): Answer {
  return { error: { code, message, ...(data === undefined ? {} : { data }) } };
}

/** An answer as it goes over the wire, made once. */
export function renderAnswer(id: string | number | bigint | null, answer: Answer): Wire {
  const head = `{"jsonrpc":"2.0","id":${typeof id === "bigint" ? id : JSON.stringify(id)}`;
  if ("parts" in answer) return [`${head},"result":`, ...answer.parts, "}"];
  if ("text" in answer) return `${head},"result":${answer.text}}`;
  return "result" in answer
    ? `${head},"result":${JSON.stringify(answer.result)}}`
    : `${head},"error":${JSON.stringify(answer.error)}}`;
}

export function renderNotification(method: string, params: UnknownObject): string {
  const hasParams = Object.keys(params).length > 0;
  return JSON.stringify({ jsonrpc: "2.0", method, ...(hasParams ? { params } : {}) });
}
