import { abortable } from "../../lib/async/signals.ts";
import { errorText } from "../../lib/text/error-text.ts";
import { type ChannelHandlers, TransportError } from "../../protocol/message.ts";
import { noiseText, parseMessage } from "./parse-message.ts";

/** A channel's stream or socket. Messages may wait for it while it opens. */
export function createOpening<T>({ onClose, onMessage, onNoise }: ChannelHandlers) {
  const waiting = Promise.withResolvers<T>();
  waiting.promise.catch(() => undefined);
  let resource: T | undefined;
  let ending: { reason: unknown } | undefined;

  const finish = (reason: unknown) => {
    ending = { reason };
    waiting.reject(reason);
  };

  return {
    /** Waits for the opening. Throws or rejects when it failed or is over. */
    use(signal: AbortSignal | undefined): T | Promise<T> {
      if (ending) throw unsent(ending.reason);
      return resource ?? abortable(waiting.promise, signal);
    },
    opened(openedResource: T): void {
      resource = openedResource;
      waiting.resolve(openedResource);
    },
    failed(reason: unknown): void {
      if (ending) return;
      finish(reason);
      const notify = () => onClose(asTransportError(reason));
      // Pending senders get the reason first.
      if (resource === undefined) setImmediate(notify);
      else notify();
    },
    take(text: string): void {
      if (ending) return;
      const message = parseMessage(text);
      if (message === undefined) onNoise?.(noiseText(text));
      else onMessage(message);
    },
    /** We closed it; `onClose` is not called. */
    ended(): void {
      if (!ending) finish(new TransportError("the connection was closed", { sent: false }));
    },
    isOver: () => ending !== undefined,
  };
}

function asTransportError(reason: unknown): TransportError {
  if (reason instanceof TransportError) return reason;
  return new TransportError(errorText(reason), { sent: false, cause: reason });
}

function unsent(reason: unknown): unknown {
  if (!(reason instanceof TransportError)) return reason;
  const { message, permanent, status } = reason;
  return new TransportError(message, { sent: false, permanent, status });
}
