/** Counts what one call uses, attempt by attempt. Where several planes count together there is something to wait for. */
export type Meter = {
  /** Throws when the time is used up already. */
  check(): void | Promise<void>;
  /** Sets aside what an attempt costs, or throws. */
  reserve(): void | Promise<void>;
  /** The attempt begins. */
  start(): void;
  /** Somebody is asked, which is not the time of the tool. */
  pause(): () => void;
  /** The attempt has ended, or never began; what nobody received costs nothing. */
  settle(wasReceived: boolean): void;
  elapsedMs(): number;
};

export type MeterParts = {
  check(): void | Promise<void>;
  pay(): void | Promise<void>;
  payBack(): void;
  started(): void;
  ended(ms: number): void;
};

export function createMeter(now: () => number, parts: MeterParts): Meter {
  let startedAt: number | null = null;
  let pausedAt: number | null = null;
  let pauses = 0;
  let pausedMs = 0;
  const elapsedMs = () => (startedAt === null ? 0 : (pausedAt ?? now()) - startedAt - pausedMs);

  return {
    check: parts.check,
    reserve() {
      const checked = parts.check();
      return checked ? checked.then(parts.pay) : parts.pay();
    },
    start() {
      startedAt = now();
      pausedAt = null;
      pausedMs = 0;
      parts.started();
    },
    pause() {
      pauses += 1;
      pausedAt ??= now();
      let isOver = false;
      return () => {
        if (isOver) return;
        isOver = true;
        pauses -= 1;
        if (pauses > 0 || pausedAt === null) return;
        pausedMs += now() - pausedAt;
        pausedAt = null;
      };
    },
    settle(wasReceived) {
      if (startedAt !== null) parts.ended(elapsedMs());
      startedAt = null;
      if (!wasReceived) parts.payBack();
    },
    elapsedMs,
  };
}
