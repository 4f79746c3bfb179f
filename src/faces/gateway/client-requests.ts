import { uniqueId } from "../../lib/ids-and-time.ts";
import { isObject, objectOrEmpty, type UnknownObject } from "../../model/json.ts";
import { RpcError } from "../../protocol/message.ts";
import type { Out } from "./exchange.ts";

/** Requests of the plane to the client. */
export function createClientRequests() {
  const waiting = new Map<string, (answer: UnknownObject | Error) => void>();
  // Another plane may ask the same client, and the answer may come to either.
  const planeMark = uniqueId().slice(0, 8);
  let requestCount = 0;
  return {
    /** Rejects on an error, and on abort, which cancels the request. */
    request(
      method: string,
      params: UnknownObject,
      signal: AbortSignal,
      say: Out["say"],
    ): Promise<UnknownObject> {
      const id = `toolplane-${planeMark}-${++requestCount}`;
      const send = (message: object) => say(JSON.stringify({ jsonrpc: "2.0", ...message }));
      return new Promise((resolve, reject) => {
        const settle = (answer: UnknownObject | Error) => {
          waiting.delete(id);
          signal.removeEventListener("abort", onAbort);
          if (answer instanceof Error) reject(answer);
          else resolve(answer);
        };
        const onAbort = () => {
          const reason = "it was answered elsewhere, or its time is over";
          send({ method: "notifications/cancelled", params: { requestId: id, reason } });
          settle(new Error(reason));
        };
        if (signal.aborted) return reject(new Error("the request was cancelled"));
        waiting.set(id, settle);
        signal.addEventListener("abort", onAbort);
        send({ id, method, params });
      });
    },
    /** False for an answer to no open request of ours. */
    takeAnswer({ id, result, error }: UnknownObject): boolean {
      const settle = waiting.get(id as string);
      settle?.(isObject(result) ? result : readError(error));
      return settle !== undefined;
    },
    close(): void {
      for (const settle of [...waiting.values()]) settle(new Error("the connection is closed"));
    },
  };
}

function readError(error: unknown): Error {
  const { code, message, data } = objectOrEmpty(error);
  const text = typeof message === "string" ? message : "the client gave no result";
  return new RpcError(typeof code === "number" ? code : -32603, text, data);
}
