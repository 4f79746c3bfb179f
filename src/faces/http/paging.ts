import { z } from "zod";
import { largestPage, takePage as takeFrom } from "../../model/page.ts";
import { countUpTo } from "./count-up-to.ts";

/** How much of a list is told where nobody says how much. */
export const usualPage = 100;

export const Limit = countUpTo(largestPage, {
  default: usualPage,
  description: `At most so many, 1 to ${largestPage}.`,
});

export const Cursor = z
  .string()
  .min(1, "take the 'nextCursor' of the page before")
  .optional()
  .meta({ description: "`nextCursor` of the page before; left out for the first page." });

export const NextCursor = z
  .string()
  .nullable()
  .meta({ description: "The `cursor` of the next page; null when this is the last." });

export const Page = z.object({ limit: Limit, cursor: Cursor });

export type PageAsked = { limit?: number | undefined; cursor?: string | undefined };

/** One page of what is all there already, in the order of its keys, so that what comes and goes moves no page. */
export function takePage<T>(all: readonly T[], keyOf: (item: T) => string, { limit = usualPage, cursor }: PageAsked) {
  const sorted = [...all].sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
  return takeFrom(sorted, keyOf, { limit, cursor: cursor ?? null });
}
