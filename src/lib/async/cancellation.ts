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

/** Cancels from outside: a caller's own signal, or one that is made only where it is asked for. */
export type CancelledBy = Cancellable | AbortSignal | undefined;

export function signalOf(by: CancelledBy): AbortSignal | undefined {
  return by instanceof AbortSignal ? by : by?.signal;
}

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

/** Those that are open, in a chain of their own: what was deleted from a `Set` lives on in it until a large collection. */
export class OpenCancellations<T extends OpenCancellation> {
  #first: OpenCancellation | null = null;

  add(one: OpenCancellation): void {
    one.after = this.#first;
    if (this.#first) this.#first.before = one;
    this.#first = one;
  }

  delete(one: OpenCancellation): void {
    const { before, after } = one;
    if (before) before.after = after;
    else if (this.#first === one) this.#first = after;
    if (after) after.before = before;
    one.before = null;
    one.after = null;
  }

  all(): T[] {
    const found: OpenCancellation[] = [];
    for (let one = this.#first; one !== null; one = one.after) found.push(one);
    return found as T[];
  }
}

/** Is cancelled by another, by a signal or without one, and stands among others until it is closed. */
export class OpenCancellation extends Cancellation {
  before: OpenCancellation | null = null;
  after: OpenCancellation | null = null;
  readonly #by: CancelledBy;
  readonly #among: OpenCancellations<OpenCancellation>;

  constructor(by: CancelledBy, among: OpenCancellations<never>) {
    super();
    this.#by = by;
    this.#among = among;
    among.add(this);
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
    this.#among.delete(this);
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
