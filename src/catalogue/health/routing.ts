import { backoffMs } from "../../lib/async/pause.ts";
import type { ProviderState } from "../../model/catalogue/health.ts";
import type { ProviderSpec } from "../../model/catalogue/tool.ts";

/** One second, doubled with every failure in a row, a minute at most. */
const backoff = { firstMs: 1_000, maxMs: 60_000, jitter: 0.2 };

const maxRestMs = 3_600_000;

/** Tools go by their `healthKey`, providers by their label. */
export type Routing = {
  /** Why this provider is not asked right now, or null. */
  resting(tool: string, provider: string): string | null;
  /** `restMs` is how long it asks to be left alone itself; never more than an hour is believed. */
  failed(tool: string, provider: string, reason: string, restMs?: number): void;
  worked(tool: string, provider: string): void;
  /** Is it time to ask whether it is there? Whoever is told so does the asking. */
  takeCheck(tool: string, provider: string, spec: ProviderSpec): boolean;
  state(tool: string, provider: string): ProviderState;
};

type Entry = { failures: number; until: number; reason: string | null; checkedAt: number };

/** Remembers which ways of executing a tool failed, and leaves them alone for a while. */
export function createRouting(random: () => number = Math.random): Routing {
  const entries = new Map<string, Entry>();
  const keyOf = (tool: string, provider: string) => JSON.stringify([tool, provider]);
  const entryOf = (tool: string, provider: string): Entry => {
    const key = keyOf(tool, provider);
    const found = entries.get(key) ?? { failures: 0, until: 0, reason: null, checkedAt: 0 };
    entries.set(key, found);
    return found;
  };

  return {
    resting(tool, provider) {
      const entry = entries.get(keyOf(tool, provider));
      if (!entry || entry.until <= Date.now()) return null;
      return `next try in ${Math.ceil((entry.until - Date.now()) / 1_000)} s, after ${entry.reason}`;
    },
    failed(tool, provider, reason, restMs = 0) {
      const entry = entryOf(tool, provider);
      entry.failures += 1;
      const ownMs = backoffMs(backoff, entry.failures, random);
      entry.until = Date.now() + Math.max(ownMs, Math.min(restMs, maxRestMs));
      entry.reason = reason;
    },
    worked(tool, provider) {
      const entry = entries.get(keyOf(tool, provider));
      if (entry) Object.assign(entry, { failures: 0, until: 0, reason: null });
    },
    takeCheck(tool, provider, { health_check_interval: seconds }) {
      if (seconds === 0) return false;
      const entry = entryOf(tool, provider);
      if (Date.now() - entry.checkedAt < seconds * 1_000) return false;
      entry.checkedAt = Date.now();
      return true;
    },
    state(tool, provider) {
      const { failures, until, reason } = entries.get(keyOf(tool, provider)) ?? {
        failures: 0,
        until: 0,
        reason: null,
      };
      const rests = until > Date.now();
      return {
        healthy: !rests,
        failures,
        backoff_until: rests ? new Date(until).toISOString() : null,
        last_error: reason,
      };
    },
  };
}
