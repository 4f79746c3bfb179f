type Reason = unknown;
type Listener = (event: { type: "abort"; target: object }) => void;
type State = { aborted: boolean; reason: Reason; listeners: Set<Listener> };
type SetTimeout = (act: () => void, ms: number) => unknown;

/** What programs give up waiting with. A call that is given up goes on, and its answer is dropped. */
export function createAbort(setTimeout: SetTimeout) {
  const { Error, Set, Object, Promise, TypeError, WeakMap } = globalThis;
  const states = new WeakMap<object, State>();

  function named(name: string, message: string): Error {
    return Object.assign(new Error(message), { name });
  }

  function stateOf(signal: object): State {
    const state = states.get(signal);
    if (state === undefined) throw new TypeError("This is no AbortSignal");
    return state;
  }

  function end(signal: AbortSignal, reason: Reason): void {
    const state = stateOf(signal);
    if (state.aborted) return;
    state.aborted = true;
    state.reason =
      reason === undefined ? named("AbortError", "This operation was aborted") : reason;
    const event = { type: "abort", target: signal } as const;
    signal.onabort?.(event);
    for (const act of state.listeners) act(event);
    state.listeners.clear();
  }

  function create(): AbortSignal {
    const signal = new AbortSignal();
    states.set(signal, { aborted: false, reason: undefined, listeners: new Set() });
    return signal;
  }

  class AbortSignal {
    onabort: Listener | null = null;

    get aborted(): boolean {
      return stateOf(this).aborted;
    }

    get reason(): Reason {
      return stateOf(this).reason;
    }

    throwIfAborted(): void {
      if (this.aborted) throw this.reason;
    }

    addEventListener(type: string, act: Listener): void {
      if (type === "abort" && !this.aborted) stateOf(this).listeners.add(act);
    }

    removeEventListener(_type: string, act: Listener): void {
      stateOf(this).listeners.delete(act);
    }

    static abort(reason?: Reason): AbortSignal {
      const signal = create();
      end(signal, reason);
      return signal;
    }

    static timeout(ms: number): AbortSignal {
      const signal = create();
      const reason = () => named("TimeoutError", "The operation was aborted due to timeout");
      setTimeout(() => end(signal, reason()), ms);
      return signal;
    }

    static any(signals: Iterable<AbortSignal>): AbortSignal {
      const signal = create();
      for (const source of signals) {
        if (source.aborted) end(signal, source.reason);
        else source.addEventListener("abort", () => end(signal, source.reason));
      }
      return signal;
    }
  }

  class AbortController {
    signal = create();

    abort(reason?: Reason): void {
      end(this.signal, reason);
    }
  }

  /** The answer of a call, or the reason to wait no longer. */
  function orAborted<T>(begin: () => Promise<T>, signal: unknown): Promise<T> {
    if (!(signal instanceof AbortSignal) || !states.has(signal)) return begin();
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason);
      signal.addEventListener("abort", () => reject(signal.reason));
      begin().then(resolve, reject);
    });
  }

  return { globals: { AbortController, AbortSignal }, orAborted };
}
