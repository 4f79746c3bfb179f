import { z } from "@hono/zod-openapi";
import { PlaneError } from "../../model/errors.ts";
import { largestPage } from "../../model/tool-query.ts";

/** How much of a list is told where nobody says how much. */
export const usualPage = 100;

const wholeNumber = `give a whole number from 1 to ${largestPage}`;

export const Limit = z
  .string()
  .regex(/^\d{1,4}$/, wholeNumber)
  .transform(Number)
  .refine((limit) => limit >= 1 && limit <= largestPage, wholeNumber)
  .optional()
  .openapi({
    type: "integer",
    minimum: 1,
    maximum: largestPage,
    default: usualPage,
    description: `At most so many, 1 to ${largestPage}.`,
  });

export const Cursor = z
  .string()
  .min(1, "take the 'nextCursor' of the page before")
  .optional()
  .openapi({ description: "`nextCursor` of the page before; left out for the first page." });

export const NextCursor = z
  .string()
  .nullable()
  .openapi({ description: "The `cursor` of the next page; null when this is the last." });

export const Page = z.object({ limit: Limit, cursor: Cursor });

export type PageAsked = { limit?: number | undefined; cursor?: string | undefined };

/** One page of what is all there already, in the order of its keys, so that what comes and goes moves no page. */
export function takePage<T>(
  all: readonly T[],
  keyOf: (item: T) => string,
  { limit = usualPage, cursor }: PageAsked,
) {
  const sorted = all.map((item) => ({ item, key: keyOf(item) })).sort((a, b) => (a.key < b.key ? -1 : 1));
  const after = cursor === undefined ? null : readCursor(cursor);
  const rest = after === null ? sorted : sorted.filter(({ key }) => key > after);
  const page = rest.slice(0, limit);
  const last = rest.length > limit ? page.at(-1) : undefined;
  return {
    items: page.map(({ item }) => item),
    total: all.length,
    nextCursor: last ? Buffer.from(last.key).toString("base64url") : null,
  };
}

function readCursor(cursor: string): string {
  const key = Buffer.from(cursor, "base64url").toString();
  if (key !== "" && Buffer.from(key).toString("base64url") === cursor) return key;
  throw new PlaneError(
    "USAGE",
    `'${cursor.slice(0, 60)}' is no cursor: take the 'nextCursor' of the page before, or leave it out for the first page.`,
    { data: { parameter: "cursor", value: cursor.slice(0, 60) } },
  );
}
