import { uniqueId } from "../../lib/unique-id.ts";
import { isObject, type UnknownObject } from "../../model/json.ts";
import { RpcError } from "../../protocol/message.ts";

/** What the plane asks of the client on the other end. */
export function createClientRequests(send: (message: object) => void) {
  const waiting = new Map<string, (answer: UnknownObject | Error) => void>();
  // Another plane may ask the same client something, and the answer may come to either.
  const own = uniqueId().slice(0, 8);
  let asked = 0;
  return {
    /**
     * Rejects when the client answers with an error, or when nobody wants to know any more, which it is told. `via` is
     * where to ask, when that is not where everything goes.
     */
    request(
      method: string,
      params: UnknownObject,
      signal: AbortSignal,
      via: (message: object) => void = send,
    ): Promise<UnknownObject> {
      const id = `toolplane-${own}-${++asked}`;
      return new Promise((resolve, reject) => {
        const settle = (answer: UnknownObject | Error) => {
          waiting.delete(id);
          signal.removeEventListener("abort", onAbort);
          if (answer instanceof Error) reject(answer);
          else resolve(answer);
        };
        const onAbort = () => {
          const reason = "it was answered elsewhere, or its time is over";
          via({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: id, reason } });
          settle(new Error(reason));
        };
        if (signal.aborted) return reject(new Error("nobody waits for the answer any more"));
        waiting.set(id, settle);
        signal.addEventListener("abort", onAbort);
        via({ jsonrpc: "2.0", id, method, params });
      });
    },
    /** An answer to something that was asked. False for what nobody asked here, or asks no longer. */
    takeAnswer({ id, result, error }: UnknownObject): boolean {
      const settle = typeof id === "string" ? waiting.get(id) : undefined;
      settle?.(isObject(result) ? result : readError(error));
      return settle !== undefined;
    },
    close(): void {
      for (const settle of [...waiting.values()]) settle(new Error("the connection is closed"));
    },
  };
}

function readError(error: unknown): Error {
  const { code, message, data } = isObject(error) ? error : {};
  const text = typeof message === "string" ? message : "the client gave no result";
  return new RpcError(typeof code === "number" ? code : -32603, text, data);
}
