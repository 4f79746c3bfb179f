const minuteMs = 60_000;

/** What may be taken at once; below zero are turns that were promised to those who wait. */
export type Bucket = { tokens: number; at: number; perMinute: number };

/** So many turns after so long a wait, or none: the next would come too late. */
export type Drawn = { turns: number; waitMs: number };

/** Of so many in a minute a sixth may come at once. */
export function burstOf(perMinute: number): number {
  return Math.max(1, Math.ceil(perMinute / 6));
}

/** Another limit counts from now on, also where it came with a new configuration. */
export function fillBucket(bucket: Bucket | null, perMinute: number, now: number): Bucket {
  const { tokens, at } = bucket ?? { tokens: burstOf(perMinute), at: now };
  const grown = tokens + (Math.max(0, now - at) * perMinute) / minuteMs;
  return { tokens: Math.min(burstOf(perMinute), grown), at: now, perMinute };
}

/** Takes as many of `most` turns as there are, or promises one. */
export function drawTurns(bucket: Bucket, most: number, limitMs: number): Drawn {
  const there = Math.min(most, Math.floor(bucket.tokens));
  if (there >= 1) {
    bucket.tokens -= there;
    return { turns: there, waitMs: 0 };
  }
  const waitMs = Math.ceil(((1 - bucket.tokens) * minuteMs) / bucket.perMinute);
  if (waitMs > limitMs) return { turns: 0, waitMs };
  bucket.tokens -= 1;
  return { turns: 1, waitMs };
}
