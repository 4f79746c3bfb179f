import { z } from "zod";
import { largestPage, takePage as takeFrom } from "../model/page.ts";

/** How many of a list are given where the caller does not say. */
export const defaultPage = 100;

/** A number from one on, written as digits or as a number. */
export function count(max: number, about: { default?: number; description?: string } = {}) {
  const message = `give an integer from 1 to ${max}`;
  return z
    .union([z.number(), z.string().regex(/^\d{1,9}$/, message)], message)
    .transform(Number)
    .refine((amount) => Number.isInteger(amount) && amount >= 1 && amount <= max, message)
    .optional()
    .meta({ type: "integer", minimum: 1, maximum: max, ...about });
}

export const Limit = count(largestPage, {
  default: defaultPage,
  description: `Maximum number of entries, 1 to ${largestPage}.`,
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

export const page = { limit: Limit, cursor: Cursor };

export const Done = z.object({ ok: z.boolean() });

export const text = (description: string) => z.string().meta({ description });

export const oneOf = <const T extends readonly string[]>(values: T, description?: string) =>
  z
    .enum(values, `give one of ${values.join(", ")}`)
    .meta(description === undefined ? {} : { description });

/** True or false; on a command line a flag, in a query `true` or `false`. */
export const flag = (description: string) =>
  z
    .union(
      [z.boolean(), z.stringbool({ truthy: ["true", "1", ""], falsy: ["false", "0"] })],
      "give true or false",
    )
    .optional()
    .meta({ type: "boolean", description });

/** Inputs that have one value, because the path of the operation says it: `/skills/changes`. */
export function fixedInputs({ shape }: z.ZodObject): Record<string, unknown> {
  const fixed = Object.entries(shape).flatMap(([name, schema]) =>
    schema instanceof z.ZodLiteral ? [[name, schema.value]] : [],
  );
  return Object.fromEntries(fixed);
}

/** The inputs that a path names: `{name}`. */
export const inputsInPath = (path: string): string[] =>
  [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name as string);

/** One page of a list that is there whole, in the order of its keys, so that what comes and goes moves no page. */
export function pageAfterCursor<T>(
  all: readonly T[],
  keyOf: (item: T) => string,
  { limit = defaultPage, cursor }: { limit?: number | undefined; cursor?: string | undefined },
) {
  const sorted = [...all].sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
  return takeFrom(sorted, keyOf, { limit, cursor: cursor ?? null });
}

export const byCreation = ({ createdAt, id }: { createdAt: string; id: string }) =>
  `${createdAt} ${id}`;

/** A number in a query or on a command line, where it is text, too. */
export function wholeNumber(min: number, description: string) {
  const message = `give an integer >= ${min}`;
  return z
    .union([z.number().int(), z.string().regex(/^\d{1,15}$/, message)], message)
    .transform(Number)
    .refine((amount) => amount >= min, message)
    .optional()
    .meta({ type: "integer", minimum: min, description });
}
