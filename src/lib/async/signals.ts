import { createBriefMap } from "../brief-map.ts";

/** Stops waiting on abort; the promise itself continues. */
export function abortable<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return promise;
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason);
    if (signal.aborted) onAbort();
    signal.addEventListener("abort", onAbort, { once: true });
    promise.then(
      (value) => {
        signal.removeEventListener("abort", onAbort);
        resolve(value);
      },
      (reason) => {
        signal.removeEventListener("abort", onAbort);
        reject(reason);
      },
    );
  });
}

const nothing = () => undefined;

/** Joins many signals with one. `AbortSignal.any` costs several times as much for short lives. */
export function createJoinedSignals(shared: AbortSignal) {
  const open = createBriefMap<AbortController>();
  let last = 0;
  shared.addEventListener("abort", () => {
    for (const controller of open.values()) controller.abort(shared.reason);
  });
  return {
    /** Aborts with the first of the two. `leave` releases it. */
    join(signal: AbortSignal | undefined): { signal: AbortSignal; leave(): void } {
      if (signal === undefined || shared.aborted) return { signal: shared, leave: nothing };
      if (signal.aborted) return { signal, leave: nothing };
      const controller = new AbortController();
      const end = () => controller.abort(signal.reason);
      signal.addEventListener("abort", end, { once: true });
      const key = ++last;
      open.set(key, controller);
      return {
        signal: controller.signal,
        leave() {
          signal.removeEventListener("abort", end);
          open.delete(key);
        },
      };
    },
  };
}
