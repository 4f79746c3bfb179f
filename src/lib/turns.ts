/** Nobody who waits for an answer notices that something else had its turn. */
const usualMs = 4;

export type Turns = { isOver(): boolean; next(): Promise<void> };

/** For long work that nobody waits for: it goes on in turns, and between them others have theirs. */
export function createTurns(ms = usualMs): Turns {
  let begunAt = performance.now();
  return {
    isOver: () => performance.now() - begunAt >= ms,
    async next() {
      await new Promise(setImmediate);
      begunAt = performance.now();
    },
  };
}
