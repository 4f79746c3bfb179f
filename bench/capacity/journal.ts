import type { Clock } from "./engine.ts";

type Rule = { delayMs: number; most: number };

/** Records that wait for their batch, by the rule of `src/store/journal.ts`: one batch at a time, and a while between their beginnings. */
export function createJournal(
  clock: Clock,
  rule: Rule,
  write: (records: number, stored: () => void) => void,
) {
  let waiting = 0;
  let inBatch = 0;
  let isFlushing = false;
  let nextAt = 0;
  /** The batch that waits for more; another number when it has begun. */
  let turn = 0;

  function begin(): void {
    turn += 1;
    inBatch = waiting;
    waiting = 0;
    nextAt = clock.now() + rule.delayMs;
    write(inBatch, () => {
      inBatch = 0;
      if (waiting > 0) waitForMore();
      else isFlushing = false;
    });
  }
  function waitForMore(): void {
    isFlushing = true;
    if (waiting >= rule.most || clock.now() >= nextAt) return begin();
    const mine = turn;
    clock.after(nextAt - clock.now(), () => {
      if (mine === turn) begin();
    });
  }
  return {
    record(): void {
      waiting += 1;
      if (!isFlushing) waitForMore();
      else if (waiting === rule.most && inBatch === 0) begin();
    },
    waiting: () => waiting + inBatch,
  };
}
