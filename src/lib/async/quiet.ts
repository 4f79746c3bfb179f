/** However much stirs, nothing waits longer than so many times the quiet. */
const maxQuietPeriods = 20;

/** Lets work wait that no caller waits for, until nothing has stirred for a while, or it is wanted now. */
export function createQuiet(quietMs: number) {
  let stirredAt = Number.NEGATIVE_INFINITY;
  let hurried = Promise.withResolvers<void>();
  return {
    stir(): void {
      stirredAt = performance.now();
    },
    async wait(): Promise<void> {
      const until = performance.now() + maxQuietPeriods * quietMs;
      const whenHurried = hurried.promise.then(() => true);
      for (;;) {
        const ms = Math.min(until, stirredAt + quietMs) - performance.now();
        if (ms <= 0) return;
        let timer: NodeJS.Timeout | undefined;
        const whenQuiet = new Promise<boolean>((resolve) => {
          timer = setTimeout(resolve, ms, false).unref();
        });
        const isHurried = await Promise.race([whenQuiet, whenHurried]);
        clearTimeout(timer);
        if (isHurried) return;
      }
    },
    /** What waits goes on, and what comes next does not wait, until something stirs again. */
    hurry(): void {
      stirredAt = Number.NEGATIVE_INFINITY;
      hurried.resolve();
      hurried = Promise.withResolvers<void>();
    },
  };
}
