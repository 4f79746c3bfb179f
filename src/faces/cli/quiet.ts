import { giveMemoryBack } from "../../lib/give-memory-back.ts";
import { limitHeap } from "../../lib/limit-heap.ts";
import type { Plane } from "../../model/plane.ts";

/** So few calls since it was asked last that a short pause disturbs nobody. */
const fewCalls = 100;

/** For faces that run for days: the memory that a storm of calls took does not stay taken. */
export function giveMemoryBackWhenQuiet(plane: Plane): Disposable {
  const limited = limitHeap();
  let calls = 0;
  const leave = plane.on("tool.call", () => {
    calls += 1;
  });
  const returning = giveMemoryBack(() => {
    const few = calls < fewCalls;
    calls = 0;
    return few;
  });
  return {
    [Symbol.dispose]() {
      leave();
      limited[Symbol.dispose]();
      returning[Symbol.dispose]();
    },
  };
}
