/** Runs in the sandbox: what programs give up waiting with. A call that is given up goes on, and its answer is dropped. */
export const abort = `(function (setTimeout) {
  const { Error, Set, Object, Promise, TypeError } = globalThis;
  const named = (name, message) => Object.assign(new Error(message), { name });
  const states = new WeakMap();
  const of = (signal) => {
    const state = states.get(signal);
    if (state === undefined) throw new TypeError("This is no AbortSignal");
    return state;
  };
  const end = (signal, reason) => {
    const state = of(signal);
    if (state.aborted) return;
    state.aborted = true;
    state.reason = reason === undefined ? named("AbortError", "This operation was aborted") : reason;
    const event = { type: "abort", target: signal };
    signal.onabort?.(event);
    for (const act of state.listeners) act(event);
    state.listeners.clear();
  };
  class AbortSignal {
    onabort = null;
    get aborted() { return of(this).aborted; }
    get reason() { return of(this).reason; }
    throwIfAborted() { if (this.aborted) throw this.reason; }
    addEventListener(type, act) { if (type === "abort" && !this.aborted) of(this).listeners.add(act); }
    removeEventListener(type, act) { of(this).listeners.delete(act); }
    static abort(reason) { const signal = make(); end(signal, reason); return signal; }
    static timeout(ms) {
      const signal = make();
      setTimeout(() => end(signal, named("TimeoutError", "The operation was aborted due to timeout")), ms);
      return signal;
    }
    static any(signals) {
      const signal = make();
      for (const source of signals) {
        if (source.aborted) end(signal, source.reason);
        else source.addEventListener("abort", () => end(signal, source.reason));
      }
      return signal;
    }
  }
  const make = () => {
    const signal = new AbortSignal();
    states.set(signal, { aborted: false, reason: undefined, listeners: new Set() });
    return signal;
  };
  class AbortController {
    signal = make();
    abort(reason) { end(this.signal, reason); }
  }
  const globals = { AbortController, AbortSignal };
  for (const name of Object.keys(globals)) Object.defineProperty(globalThis, name, { value: globals[name], writable: true, configurable: true });
  // The answer of a call, or the reason to wait no longer.
  return (begin, signal) => {
    if (!states.has(signal)) return begin();
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason);
      signal.addEventListener("abort", () => reject(signal.reason));
      begin().then(resolve, reject);
    });
  };
})`;
