/** Counts what each owner holds at a time. */
export type Quota = {
  /** What gives it back, once; null where the owner holds as many as allowed. */
  take(owner: string): (() => void) | null;
};

export function createQuota(limitNow: () => number): Quota {
  const heldCounts = new Map<string, number>();
  return {
    take(owner) {
      const heldCount = heldCounts.get(owner) ?? 0;
      if (heldCount >= limitNow()) return null;
      heldCounts.set(owner, heldCount + 1);
      let isHeld = true;
      return () => {
        if (!isHeld) return;
        isHeld = false;
        const remaining = (heldCounts.get(owner) ?? 1) - 1;
        if (remaining > 0) heldCounts.set(owner, remaining);
        else heldCounts.delete(owner);
      };
    },
  };
}
