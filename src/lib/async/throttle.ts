export type Throttle<T> = { push(value: T): void; flush(): void };

/** Passes on at most `most` values in each window; of more than that the newest, when the window is over. */
export function createThrottle<T>(
  maxPerWindow: number,
  windowMs: number,
  pass: (value: T) => void,
): Throttle<T> {
  let passed = 0;
  let waiting: { value: T } | undefined;
  let timer: NodeJS.Timeout | undefined;

  function takeWaiting(): void {
    const newest = waiting;
    waiting = undefined;
    if (newest) send(newest.value);
  }

  function send(value: T): void {
    passed += 1;
    timer ??= setTimeout(() => {
      timer = undefined;
      passed = 0;
      takeWaiting();
    }, windowMs).unref();
    pass(value);
  }

  return {
    push(value: T): void {
      if (passed < maxPerWindow) send(value);
      else waiting = { value };
    },
    /** Passes on what waits. */
    flush(): void {
      takeWaiting();
      clearTimeout(timer);
      timer = undefined;
      passed = 0;
    },
  };
}
