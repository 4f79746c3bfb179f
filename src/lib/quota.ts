/** Counts what each owner holds at a time. */
export type Quota = {
  /** What gives it back, once; null where the owner holds as many as allowed. */
  take(owner: string): (() => void) | null;
};

export function createQuota(limitNow: () => number): Quota {
  const held = new Map<string, number>();
  return {
    take(owner) {
      const before = held.get(owner) ?? 0;
      if (before >= limitNow()) return null;
      held.set(owner, before + 1);
      let isHeld = true;
      return () => {
        if (!isHeld) return;
        isHeld = false;
        const now = (held.get(owner) ?? 1) - 1;
        if (now > 0) held.set(owner, now);
        else held.delete(owner);
      };
    },
  };
}
