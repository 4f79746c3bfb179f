import { PerformanceObserver } from "node:perf_hooks";
import { getHeapSpaceStatistics, setFlagsFromString } from "node:v8";

/** Both halves of what is young together; more of it saves little work and costs as much memory as all the rest. */
const maxYoungBytes = 32 * 1024 * 1024;
/** By how much the old part may grow before it is looked through again. */
const growthPercent = 100;

/**
 * Keeps the engine from taking a hundred megabytes for what lives a millisecond. Its own limits can only be set before
 * it starts; how much it grows at a time can be said at any time.
 */
export function limitHeap(): Disposable {
  setFlagsFromString(`--heap-growing-percent=${growthPercent}`);
  let mayGrow = true;
  const observer = new PerformanceObserver(() => {
    // What was given back in a quiet time may grow again.
    const isSmall = youngBytes() < maxYoungBytes;
    if (isSmall === mayGrow) return;
    mayGrow = isSmall;
    setFlagsFromString(`--semi-space-growth-factor=${mayGrow ? 2 : 1}`);
  });
  observer.observe({ entryTypes: ["gc"] });
  return { [Symbol.dispose]: () => observer.disconnect() };
}

function youngBytes(): number {
  return getHeapSpaceStatistics().find((space) => space.space_name === "new_space")?.space_size ?? 0;
}
