import { PerformanceObserver } from "node:perf_hooks";
import { getHeapSpaceStatistics, setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

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

const everyMs = 5_000;
/** Less than this is not worth the pause. */
const slackBytes = 32 * 1024 * 1024;

type Collect = (options: { type: "major"; flavor: "last-resort" }) => void;

/**
 * After a storm of work the engine keeps the memory it took, for the next one. A program that mostly waits
 * gives it back when it is quiet: one pause of well under a tenth of a second for what may be a hundred megabytes.
 */
export function giveMemoryBack(isQuiet: () => boolean): Disposable {
  let floor = process.memoryUsage.rss();
  let collect: Collect | undefined;
  const timer = setInterval(() => {
    if (!isQuiet() || process.memoryUsage.rss() < floor + slackBytes) return;
    collect ??= findCollector();
    collect({ type: "major", flavor: "last-resort" });
    // What is really needed by now is not given back, so it is not asked for again.
    floor = Math.max(floor, process.memoryUsage.rss());
  }, everyMs);
  timer.unref();
  return { [Symbol.dispose]: () => clearInterval(timer) };
}

function findCollector(): Collect {
  setFlagsFromString("--expose-gc");
  return runInNewContext("gc") as Collect;
}
