import { PerformanceObserver } from "node:perf_hooks";
import { getHeapSpaceStatistics, setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** Both halves of the young generation; more saves little work. */
const maxYoungBytes = 8 * 1024 * 1024;
/** How far the old generation grows between collections. */
const growthPercent = 30;

/** Limits the heap of short-lived objects. The engine's own limits can only be set at start, its growth at any time. */
export function limitHeap(): Disposable {
  setFlagsFromString(`--heap-growing-percent=${growthPercent}`);
  // The middle tier of the compiler keeps about 25 MB for code and work; the last one comes earlier instead.
  setFlagsFromString("--no-maglev");
  setFlagsFromString("--invocation-count-for-turbofan=400");
  let mayGrow = true;
  const observer = new PerformanceObserver(() => {
    // What was given back may grow again.
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
/** Less is not worth the pause. */
const slackBytes = 32 * 1024 * 1024;

type Collect = (options: { type: "major"; flavor: "last-resort" }) => void;

/** The engine keeps memory after a storm of work. An idle program gives it back, in one pause well under 0.1 s. */
export function giveMemoryBack(isQuiet: () => boolean): Disposable {
  let floor = process.memoryUsage.rss();
  let collect: Collect | undefined;
  const timer = setInterval(() => {
    if (!isQuiet() || process.memoryUsage.rss() < floor + slackBytes) return;
    collect ??= findCollector();
    collect({ type: "major", flavor: "last-resort" });
    // What is still needed is not asked for again.
    floor = Math.max(floor, process.memoryUsage.rss());
  }, everyMs);
  timer.unref();
  return { [Symbol.dispose]: () => clearInterval(timer) };
}

function findCollector(): Collect {
  setFlagsFromString("--expose-gc");
  return runInNewContext("gc") as Collect;
}
