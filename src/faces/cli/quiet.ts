import { giveMemoryBack, limitHeap } from "../../lib/heap.ts";
import type { Plane } from "../../model/plane.ts";

/** So few calls since it was asked last that a short pause disturbs nobody. */
const fewCalls = 100;
/** The share of the time that something was done. Somebody who types takes more, and notices a pause. */
const almostIdle = 0.005;

/** For faces that run for days: the memory that a storm of calls took does not stay taken. */
export function giveMemoryBackWhenQuiet(plane: Plane): Disposable {
  const limited = limitHeap();
  let calls = 0;
  const leave = plane.on("tool.call", () => {
    calls += 1;
  });
  let before = performance.eventLoopUtilization();
  const returning = giveMemoryBack(() => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, before);
    const isQuiet = calls < fewCalls && utilization < almostIdle;
    calls = 0;
    before = now;
    return isQuiet;
  });
  return {
    [Symbol.dispose]() {
      leave();
      limited[Symbol.dispose]();
      returning[Symbol.dispose]();
    },
  };
}
