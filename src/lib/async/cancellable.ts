/** Is cancelled once. */
export type CancelListener = { cancel(reason: unknown): void };

/** Can be cancelled, and calls its listeners then. Its signal is made only where it is read. */
export type CancellableWith<Signal> = {
  readonly isCancelled: boolean;
  readonly reason: unknown;
  readonly signal: Signal;
  listen(listener: CancelListener): void;
  leave(listener: CancelListener): void;
};
