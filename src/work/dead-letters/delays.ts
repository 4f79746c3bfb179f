import { spreadMs } from "../../lib/async/pause.ts";

/** After the first failed try, the second, and so on; the last one goes on. */
const delaysMs = [60_000, 300_000, 900_000, 1_800_000, 3_600_000] as const;
const maxDelayMs = 3_600_000;
const jitter = 0.1;

/** How long an entry rests after so many failed tries; a little apart, so that those of one moment do not return in one. */
export function restMs(attempts: number, random: () => number = Math.random): number {
  const plain = delaysMs[Math.max(1, attempts) - 1] ?? maxDelayMs;
  return spreadMs(plain, jitter, random);
}
