import { backoffMs } from "../../lib/async/pause.ts";
import { steadyNow, wallTime } from "../../lib/async/steady-time.ts";
import type { ProviderState } from "../../model/catalogue/health-schema.ts";
import type { ProviderSpec } from "../../model/catalogue/tool.ts";

/** One second, doubled with every failure in a row, a minute at most. */
const backoff = { firstMs: 1_000, maxMs: 60_000, jitter: 0.2 };

const maxCooldownMs = 3_600_000;

type Entry = {
  failures: number;
  failedAt: number;
  until: number;
  reason: string | null;
  checkedAt: number;
};

const never = Number.NEGATIVE_INFINITY;
const fresh: Readonly<Entry> = {
  failures: 0,
  failedAt: never,
  until: 0,
  reason: null,
  checkedAt: 0,
};

/** Remembers which providers failed and gives them a cooldown. Tools go by their `healthKey`, providers by their label. */
export function createRouting(random: () => number = Math.random) {
  const entries = new Map<string, Entry>();
  const keyOf = (tool: string, provider: string) => JSON.stringify([tool, provider]);
  const entryFor = (tool: string, provider: string): Entry => {
    const key = keyOf(tool, provider);
    const entry = entries.get(key) ?? { ...fresh };
    entries.set(key, entry);
    return entry;
  };

  return {
    cooldown(tool: string, provider: string): string | null {
      const entry = entries.get(keyOf(tool, provider));
      if (!entry || entry.until <= steadyNow()) return null;
      return `next try in ${Math.ceil((entry.until - steadyNow()) / 1_000)} s, after ${entry.reason}`;
    },
    /** `cooldownMs` is what the provider itself asks for, `startedAt` when it was asked. */
    failed(
      tool: string,
      provider: string,
      reason: string,
      cooldownMs = 0,
      startedAt = performance.now(),
    ): void {
      const entry = entryFor(tool, provider);
      // Calls that ran together fail together: they are one failure.
      if (startedAt < entry.failedAt && cooldownMs === 0) return;
      if (startedAt >= entry.failedAt) entry.failures += 1;
      entry.failedAt = performance.now();
      const ownMs = backoffMs(backoff, entry.failures, random);
      entry.until = steadyNow() + Math.max(ownMs, Math.min(cooldownMs, maxCooldownMs));
      entry.reason = reason;
    },
    worked(tool: string, provider: string): void {
      const entry = entries.get(keyOf(tool, provider));
      if (entry) Object.assign(entry, { failures: 0, until: 0, reason: null });
    },
    /** Is a health check due? The caller that gets true runs it. */
    takeCheck(
      tool: string,
      provider: string,
      { health_check_interval: seconds }: ProviderSpec,
    ): boolean {
      if (seconds === 0) return false;
      const entry = entryFor(tool, provider);
      if (steadyNow() - entry.checkedAt < seconds * 1_000) return false;
      entry.checkedAt = steadyNow();
      return true;
    },
    state(tool: string, provider: string): ProviderState {
      const { failures, until, reason } = entries.get(keyOf(tool, provider)) ?? fresh;
      const isCooling = until > steadyNow();
      return {
        healthy: !isCooling,
        failures,
        backoff_until: isCooling ? wallTime(until) : null,
        last_error: reason,
      };
    },
  };
}
