import type { NewSamples } from "../../model/catalogue/health.ts";
import { createHealth, type Health } from "./health.ts";

/** What other processes add to the same store is known after this time at the latest. */
const freshMs = 2_000;

export type HealthFeed = {
  /** As far as it was read, which may be not at all. */
  known: Health;
  /** Reads what is new where something can be. */
  read(): Promise<Health>;
  /** The same, and content with what was so a moment ago. */
  recent(): Promise<Health>;
  /** Something was added. */
  changed(): void;
};

/** Health as the store has it, whoever put it there. Read when somebody looks, not with every call. */
export function createHealthFeed(newSamples: (after: number) => Promise<NewSamples>): HealthFeed {
  const known = createHealth([]);
  let newest = 0;
  let readAt = Number.NEGATIVE_INFINITY;
  let hasNews = true;
  let reading: Promise<Health> | null = null;
  const readNews = async () => {
    // Before it is asked: what is added meanwhile is for the next time.
    readAt = Date.now();
    hasNews = false;
    try {
      const news = await newSamples(newest);
      news.samples.forEach(known.observe);
      newest = news.newest;
      return known;
    } catch (thrown) {
      hasNews = true;
      readAt = Number.NEGATIVE_INFINITY;
      throw thrown;
    } finally {
      reading = null;
    }
  };
  const isOld = () => Math.abs(Date.now() - readAt) >= freshMs;
  const unless = async (isEnough: boolean) => {
    if (reading === null && isEnough) return known;
    reading ??= readNews();
    return reading;
  };
  return {
    known,
    read: () => unless(!hasNews && !isOld()),
    recent: () => unless(!isOld()),
    changed() {
      hasNews = true;
    },
  };
}
