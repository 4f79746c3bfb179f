import type { SharedBudgets } from "./shared-budgets.ts";

/** So often unused time is given back, and time is told that runs beyond a share. */
const lookMs = 2_000;

/** A conversation as far as its time is counted together with other planes. */
export type Timed = {
  key: string;
  /** Taken from what all planes have, used here or not. */
  heldMs: number;
  asking?: Promise<number | null> | undefined;
  /** Used here, with what still runs. */
  usedMs(): number;
  isRunning(): boolean;
};

export type TimeShares = {
  /** Undefined while there is time in hand. Resolves with null when more was got, otherwise with what all have taken. */
  take(timed: Timed, limitMs: number): Promise<number | null> | undefined;
  /** Something has ended: what it took beyond our share is told soon. */
  settle(timed: Timed): void;
  /** Gives back what was not used. */
  release(): Promise<void>;
};

/** Takes time of conversations in shares, so that a call seldom waits for the store. */
export function createTimeShares(shared: SharedBudgets): TimeShares {
  const holding = new Set<Timed>();
  let clock: NodeJS.Timeout | undefined;

  async function ask(timed: Timed, limitMs: number): Promise<number | null> {
    const overMs = Math.max(0, timed.usedMs() - timed.heldMs);
    timed.heldMs += overMs;
    try {
      const { gotMs, takenMs } = await shared.takeTime(timed.key, overMs, limitMs);
      timed.heldMs += gotMs;
      hold(timed);
      return gotMs > 0 ? null : takenMs;
    } catch (thrown) {
      timed.heldMs -= overMs;
      throw thrown;
    } finally {
      timed.asking = undefined;
    }
  }

  function hold(timed: Timed): void {
    holding.add(timed);
    clock ??= setInterval(look, lookMs).unref();
  }

  /** What was used beyond our share is told; what is not used is given back, unless something runs. */
  function settle(timed: Timed): Promise<void> | undefined {
    const differenceMs = timed.usedMs() - timed.heldMs;
    if (differenceMs === 0 || (differenceMs < 0 && timed.isRunning())) return undefined;
    timed.heldMs += differenceMs;
    return shared.addTime(timed.key, differenceMs).then(
      () => undefined,
      () => {
        timed.heldMs -= differenceMs;
      },
    );
  }

  function look(): void {
    for (const timed of holding) {
      if (!timed.asking) void settle(timed);
      if (!timed.isRunning()) holding.delete(timed);
    }
    if (holding.size > 0) return;
    clearInterval(clock);
    clock = undefined;
  }

  return {
    take(timed, limitMs) {
      if (timed.usedMs() < timed.heldMs) return undefined;
      // Calls that come together take one share together.
      timed.asking ??= ask(timed, limitMs);
      return timed.asking;
    },
    // Not at once: where nothing is taken, each call would write to the store by itself.
    settle: (timed) => void (timed.usedMs() > timed.heldMs && hold(timed)),
    async release() {
      clearInterval(clock);
      const left = [...holding];
      holding.clear();
      await Promise.all(left.map(settle));
    },
  };
}
