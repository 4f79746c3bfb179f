import { withoutUndefined } from "../../../../src/lib/json/plain-data.ts";
import type { CallSearch } from "../../app/call-search.ts";

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** Spans that move on with the clock. Days begin at midnight here. */
const spans = {
  hour: { title: "Last hour", from: (now: number) => now - hourMs },
  day: { title: "Last 24 hours", from: (now: number) => now - dayMs },
  today: { title: "Today", from: midnight },
  yesterday: {
    title: "Yesterday",
    from: (now: number) => midnight(midnight(now) - 1),
    to: midnight,
  },
  week: { title: "Last 7 days", from: (now: number) => now - 7 * dayMs },
} as const satisfies Record<
  string,
  { title: string; from(now: number): number; to?(now: number): number }
>;

export const spanTitles = Object.entries(spans).map(([value, { title }]) => ({
  value,
  text: title,
}));

function midnight(now: number): number {
  return new Date(now).setHours(0, 0, 0, 0);
}

/** The moments that an address means; a span that is not known is none. */
export function timesIn(
  { range, since, until }: CallSearch,
  now: number,
): { since?: string; until?: string } {
  const isoTime = (ms: number) => new Date(ms).toISOString();
  if (range !== undefined && Object.hasOwn(spans, range)) {
    const span: { from(now: number): number; to?(now: number): number } =
      spans[range as keyof typeof spans];
    return { since: isoTime(span.from(now)), ...(span.to && { until: isoTime(span.to(now)) }) };
  }
  return withoutUndefined({ since, until });
}
