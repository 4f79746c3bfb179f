import { type HealthSample, healthWindow } from "../model/catalogue/health.ts";
import type { JournalEntry } from "../model/store.ts";

const intervalMs = 1_000;
/** So many are stored with the next commit. */
const fewSamples = 20;

/** Health samples until they are stored: of each subject as many as its window holds. Under load that is once a second. */
export function createSampleRings(store: (entries: JournalEntry[]) => void) {
  let rings = new Map<string, HealthSample[]>();
  let count = 0;
  let timer: NodeJS.Timeout | undefined;

  function take(): JournalEntry[] {
    clearTimeout(timer);
    timer = undefined;
    const fullRings = rings;
    if (fullRings.size === 0) return [];
    count = 0;
    rings = new Map();
    return [...fullRings.values()].flatMap((ring) =>
      ring.slice(-healthWindow).map((sample): JournalEntry => ({ kind: "sample", sample })),
    );
  }

  return {
    add(samples: readonly HealthSample[]): void {
      for (const sample of samples) {
        const ring = rings.get(sample.subject);
        if (ring === undefined) rings.set(sample.subject, [sample]);
        else if (ring.push(sample) >= healthWindow * 2) ring.splice(0, healthWindow);
      }
      count += samples.length;
      if (samples.length > 0) timer ??= setTimeout(() => store(take()), intervalMs).unref();
    },
    take,
    takeFew: () => (count > fewSamples ? [] : take()),
  };
}
