/** Aborts with either; a caller may bring none. */
export function eitherSignal(signal: AbortSignal | undefined, own: AbortSignal): AbortSignal {
  if (signal === undefined) return own;
  return AbortSignal.any([signal, own]);
}

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
