import type { AbortSignal } from "./platform.ts";

/** Can be cancelled by another. Its signal is made only where it is read. */
export type Cancellable = {
  readonly isCancelled: boolean;
  readonly reason: unknown;
  readonly signal: AbortSignal;
  listen(listener: { cancel(reason: unknown): void }): void;
  leave(listener: { cancel(reason: unknown): void }): void;
};
