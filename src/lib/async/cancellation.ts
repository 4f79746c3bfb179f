import type { CancelListener, CancellableWith } from "./cancellable.ts";

export type { CancelListener } from "./cancellable.ts";

export type Cancellable = CancellableWith<AbortSignal>;

/** Cancels from outside, with a signal or without one. */
export type CancelledBy = Cancellable | AbortSignal | undefined;

export function signalOf(by: CancelledBy): AbortSignal | undefined {
  return by instanceof AbortSignal ? by : by?.signal;
}

/** As an `AbortController`; its signal is made only where one is asked for. */
export class Cancellation implements Cancellable, CancelListener {
  #cancelled: { reason: unknown } | null = null;
  #controller: AbortController | undefined;
  #by: CancelledBy;
  /** One or two for most. */
  #listeners: CancelListener[] | null = null;

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
    for (const listener of [...(this.#listeners ?? [])]) listener.cancel(reason);
    this.#controller?.abort(reason);
  }

  /** At once where it is cancelled already. */
  listen(listener: CancelListener): void {
    if (this.#cancelled) listener.cancel(this.#cancelled.reason);
    else if (this.#listeners === null) this.#listeners = [listener];
    else this.#listeners.push(listener);
  }

  leave(listener: CancelListener): void {
    const listenerIndex = this.#listeners?.indexOf(listener) ?? -1;
    if (listenerIndex >= 0) this.#listeners?.splice(listenerIndex, 1);
  }

  /** Is cancelled together with another, until `unfollow`. */
  follow(by: CancelledBy): void {
    this.#by = by;
    if (!(by instanceof AbortSignal)) by?.listen(this);
    else if (by.aborted) this.cancel(by.reason);
    else by.addEventListener("abort", this, { once: true });
  }

  unfollow(): void {
    if (this.#by instanceof AbortSignal) this.#by.removeEventListener("abort", this);
    else this.#by?.leave(this);
  }

  /** Of the signal that is followed. */
  handleEvent(): void {
    this.cancel(this.#by?.reason);
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
