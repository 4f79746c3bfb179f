import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

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
