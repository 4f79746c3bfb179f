import { abortable } from "../../lib/async/signals.ts";
import { type ChannelHandlers, TransportError } from "../../protocol/message.ts";
import { noiseText, parseMessage } from "./parse-message.ts";

/** A channel's stream or socket. Messages may wait for it while it opens. */
export function createOpening<T>({ onClose, onMessage, onNoise }: ChannelHandlers) {
  const waiting = Promise.withResolvers<T>();
  waiting.promise.catch(() => undefined);
  let value: T | undefined;
  let over: { reason: unknown } | undefined;

  const finish = (reason: unknown) => {
    over = { reason };
    waiting.reject(reason);
  };

  return {
    /** Waits for the opening. Throws or rejects when it failed or is over. */
    use(signal: AbortSignal | undefined): T | Promise<T> {
      if (over) throw unsent(over.reason);
      return value ?? abortable(waiting.promise, signal);
    },
    opened(given: T): void {
      value = given;
      waiting.resolve(given);
    },
    failed(reason: unknown): void {
      if (over) return;
      finish(reason);
      const tell = () => onClose(asTransportError(reason));
      // Pending senders get the reason first.
      if (value === undefined) setImmediate(tell);
      else tell();
    },
    take(text: string): void {
      if (over) return;
      const message = parseMessage(text);
      if (message === undefined) onNoise?.(noiseText(text));
      else onMessage(message);
    },
    /** We closed it; `onClose` is not called. */
    ended(): void {
      if (!over) finish(new TransportError("the connection was closed", { sent: false }));
    },
    isOver: () => over !== undefined,
  };
}

function asTransportError(reason: unknown): TransportError {
  if (reason instanceof TransportError) return reason;
  const message = reason instanceof Error ? reason.message : String(reason);
  return new TransportError(message, { sent: false, cause: reason });
}

function unsent(reason: unknown): unknown {
  if (!(reason instanceof TransportError)) return reason;
  const { message, permanent, status } = reason;
  return new TransportError(message, { sent: false, permanent, status });
}
