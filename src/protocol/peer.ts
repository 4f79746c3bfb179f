import type { UnknownObject } from "../model/json.ts";
import { isObject } from "../model/json.ts";
import type { Channel, OutgoingMessage, RequestId } from "./message.ts";
import { RpcError, type TransportError } from "./message.ts";

export type Progress = { progress: number; total: number | null; message: string | null };

export type RequestOptions = { signal?: AbortSignal; onProgress?: (progress: Progress) => void };

type Pending = {
  resolve(result: unknown): void;
  reject(reason: unknown): void;
  onProgress: ((progress: Progress) => void) | undefined;
};

export type Peer = {
  request(method: string, params?: UnknownObject, options?: RequestOptions): Promise<unknown>;
  notify(method: string, params?: UnknownObject): void;
  receive(message: unknown): void;
  /** Ends every waiting request with this reason. */
  fail(reason: TransportError): void;
};

/** One side of a JSON-RPC connection: our requests, their answers, and what the other side asks of us. */
export function createPeer(channel: () => Channel, onNotification: (method: string) => void): Peer {
  const pending = new Map<RequestId, Pending>();
  let lastId = 0;

  const send = async (message: OutgoingMessage, signal?: AbortSignal) => channel().send(message, { signal });
  const sendQuietly = (message: OutgoingMessage) => void send(message).catch(() => undefined);

  function request(
    method: string,
    params: UnknownObject = {},
    options: RequestOptions = {},
  ): Promise<unknown> {
    const { signal, onProgress } = options;
    if (signal?.aborted) return Promise.reject(signal.reason);
    const id = ++lastId;
    const sent = onProgress
      ? { ...params, _meta: { ...(params._meta as object), progressToken: id } }
      : params;
    return new Promise((resolve, reject) => {
      const settle = () => {
        signal?.removeEventListener("abort", onAbort);
        return pending.delete(id);
      };
      const onAbort = () => {
        if (!settle()) return;
        // The handshake is the one request that must not be cancelled.
        if (method !== "initialize") {
          sendQuietly({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: id } });
        }
        reject(signal?.reason);
      };
      const fail = (reason: unknown) => settle() && reject(reason);
      pending.set(id, { resolve: (result) => settle() && resolve(result), reject: fail, onProgress });
      signal?.addEventListener("abort", onAbort, { once: true });
      send({ jsonrpc: "2.0", id, method, params: sent }, signal).catch(fail);
    });
  }

  function takeAnswer(message: UnknownObject, waiting: Pending): void {
    if (isObject(message.error)) {
      const { code, message: text, data } = message.error;
      waiting.reject(new RpcError(Number(code), typeof text === "string" ? text : "unknown error", data));
    } else if ("result" in message) {
      waiting.resolve(message.result);
    } else {
      waiting.reject(new RpcError(-32603, "its answer has neither a result nor an error"));
    }
  }

  function takeNotification(message: UnknownObject): void {
    const params = isObject(message.params) ? message.params : {};
    if (message.method === "notifications/progress") {
      const progress = typeof params.progress === "number" ? params.progress : 0;
      pending.get(params.progressToken as RequestId)?.onProgress?.({
        progress,
        total: typeof params.total === "number" ? params.total : null,
        message: typeof params.message === "string" ? params.message : null,
      });
    } else {
      onNotification(String(message.method));
    }
  }

  function receive(message: unknown): void {
    if (Array.isArray(message)) return message.forEach(receive);
    // Programs print JSON of their own; only this is addressed to us.
    if (!isObject(message) || message.jsonrpc !== "2.0") return;
    const id = message.id as RequestId | undefined;
    if (typeof message.method === "string") {
      if (id === undefined) takeNotification(message);
      else sendQuietly({ jsonrpc: "2.0", id, ...answerTo(message.method) });
      return;
    }
    const waiting = id === undefined ? undefined : pending.get(id);
    if (waiting) takeAnswer(message, waiting);
  }

  return {
    request,
    notify: (method, params = {}) => sendQuietly({ jsonrpc: "2.0", method, params }),
    receive,
    fail(reason) {
      for (const waiting of [...pending.values()]) waiting.reject(reason);
    },
  };
}

function answerTo(method: string): { result: UnknownObject } | { error: { code: number; message: string } } {
  if (method === "ping") return { result: {} };
  return { error: { code: -32601, message: `Method not found: ${method}` } };
}
