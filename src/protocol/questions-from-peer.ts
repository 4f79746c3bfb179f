import { isObject, type UnknownObject } from "../model/json.ts";
import { type OutgoingMessage, type RequestId, RpcError } from "./message.ts";

/** Answers what the other side asks of us; an RpcError is passed on as it is. */
export type AnswerRequest = (method: string, params: UnknownObject, signal: AbortSignal) => Promise<UnknownObject>;

const failed = new RpcError(-32603, "it could not be answered");

export type PeerQuestions = {
  take(id: RequestId, method: string, params: unknown, relatesTo: RequestId | undefined): Promise<void>;
  /** The other side does not want to know any more. */
  cancel(id: RequestId): void;
  cancelAll(): void;
};

/** What the other side asks of us, answered by whoever made it ask. */
export function createPeerQuestions(options: {
  answererOf(params: UnknownObject, relatesTo: RequestId | undefined): AnswerRequest;
  /** Never rejects. */
  send(message: OutgoingMessage): Promise<void>;
}): PeerQuestions {
  const asked = new Map<RequestId, AbortController>();
  return {
    async take(id, method, given, relatesTo) {
      if (method === "ping") return options.send({ jsonrpc: "2.0", id, result: {} });
      const params = isObject(given) ? given : {};
      const controller = new AbortController();
      asked.set(id, controller);
      try {
        const result = await options.answererOf(params, relatesTo)(method, params, controller.signal);
        // Nobody waits for the answer to what was cancelled.
        if (!controller.signal.aborted) await options.send({ jsonrpc: "2.0", id, result });
      } catch (thrown) {
        if (controller.signal.aborted) return;
        const { code, message } = thrown instanceof RpcError ? thrown : failed;
        await options.send({ jsonrpc: "2.0", id, error: { code, message } });
      } finally {
        asked.delete(id);
      }
    },
    cancel: (id) => asked.get(id)?.abort(),
    cancelAll() {
      for (const controller of asked.values()) controller.abort();
    },
  };
}
