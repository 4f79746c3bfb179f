/** Is cancelled once. */
export type CancelListener = { cancel(reason: unknown): void };

/** What can be cancelled by another, and tells those who listen. */
export type Cancellable = {
  readonly isCancelled: boolean;
  readonly reason: unknown;
  readonly signal: AbortSignal;
  listen(listener: CancelListener): void;
  leave(listener: CancelListener): void;
};

/** As an `AbortController`; its signal is made only where one is asked for. */
export class Cancellation implements Cancellable, CancelListener {
  #cancelled: { reason: unknown } | null = null;
  #controller: AbortController | undefined;
  /** Most have one. */
  #first: CancelListener | null = null;
  #others: Set<CancelListener> | undefined;

  get isCancelled(): boolean {
    return this.#cancelled !== null;
  }

  get reason(): unknown {
    return this.#cancelled?.reason;
  }

  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.#cancelled) this.#controller.abort(this.#cancelled.reason);
    return this.#controller.signal;
  }

  cancel(reason: unknown = new DOMException("The request was cancelled.", "AbortError")): void {
    if (this.#cancelled) return;
    this.#cancelled = { reason };
    const others = [...(this.#others ?? [])];
    this.#first?.cancel(reason);
    for (const listener of others) listener.cancel(reason);
    this.#controller?.abort(reason);
  }

  /** At once where it is cancelled already. */
  listen(listener: CancelListener): void {
    if (this.#cancelled) listener.cancel(this.#cancelled.reason);
    else if (this.#first === null) this.#first = listener;
    else {
      this.#others ??= new Set();
      this.#others.add(listener);
    }
  }

  leave(listener: CancelListener): void {
    if (this.#first === listener) this.#first = null;
    else this.#others?.delete(listener);
  }
}

/** What another cancels, by a signal or without one, and `cancelAll` with everything else that was opened here. */
export function createCancellations() {
  const open = new Set<OpenCancellation>();
  let stopped: { reason: unknown } | null = null;
  return {
    open(by: Cancellable | AbortSignal | undefined): OpenCancellation {
      const one = new OpenCancellation(by, open);
      if (stopped) one.cancel(stopped.reason);
      return one;
    },
    cancelAll(reason: unknown): void {
      stopped ??= { reason };
      for (const one of [...open]) one.cancel(reason);
    },
  };
}

export class OpenCancellation extends Cancellation {
  readonly #by: Cancellable | AbortSignal | undefined;
  readonly #all: Set<OpenCancellation>;

  constructor(by: Cancellable | AbortSignal | undefined, all: Set<OpenCancellation>) {
    super();
    this.#by = by;
    this.#all = all;
    all.add(this);
    if (by === undefined) return;
    if (!(by instanceof AbortSignal)) by.listen(this);
    else if (by.aborted) this.cancel(by.reason);
    else by.addEventListener("abort", this, { once: true });
  }

  /** Of the signal. */
  handleEvent(): void {
    this.cancel(this.#by?.reason);
  }

  /** Is over. */
  close(): void {
    this.#all.delete(this);
    if (this.#by instanceof AbortSignal) this.#by.removeEventListener("abort", this);
    else this.#by?.leave(this);
  }
}

/** Stops waiting when it is cancelled; the promise itself goes on. */
export function orCancelled<T>(promise: Promise<T>, by: Cancellable): Promise<T> {
  if (by.isCancelled) {
    promise.catch(() => undefined);
    return Promise.reject(by.reason);
  }
  return new Promise((resolve, reject) => {
    const listener = { cancel: reject };
    by.listen(listener);
    promise.then(
      (value) => {
        by.leave(listener);
        resolve(value);
      },
      (reason) => {
        by.leave(listener);
        reject(reason);
      },
    );
  });
}
