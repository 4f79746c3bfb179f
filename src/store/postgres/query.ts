import type { Row } from "../rows.ts";

export type SqlValue = string | number | boolean | null | Uint8Array | readonly (string | number | null)[];
type Answer = { rows: Row[]; count: number };

/** One statement; places for values are `$1`, `$2`… */
export type Query = (sql: string, values?: readonly SqlValue[]) => Promise<Answer>;

/** Postgres stores neither lone surrogates nor U+0000. */
export function asText(text: string): string {
  const isPlain = text.isWellFormed() && !text.includes("\0");
  return isPlain ? text : text.toWellFormed().replaceAll("\0", "\ufffd");
}

export function asValue(value: SqlValue): unknown {
  if (typeof value === "string") return asText(value);
  // pg would send a plain view of bytes as an array of numbers.
  if (value instanceof Uint8Array) return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  if (Array.isArray(value)) return value.map((one) => (typeof one === "string" ? asText(one) : one));
  return value;
}

/** A condition with one `?`; skipped when its value is undefined. */
export type Condition = readonly [sql: string, value: SqlValue | undefined];

/** Further values are numbered from `values.length + 1`. */
export function where(...conditions: readonly Condition[]): { sql: string; values: SqlValue[] } {
  const values: SqlValue[] = [];
  const asked = conditions.flatMap(([sql, value]) => {
    if (value === undefined) return [];
    if (value === null && sql.includes(isSame)) return [sql.replaceAll(isSame, "IS NULL")];
    values.push(value);
    return [sql.replaceAll(isSame, "= ?").replaceAll("?", `$${values.length}`)];
  });
  return { sql: asked.length === 0 ? "" : `WHERE ${asked.join(" AND ")}`, values };
}

/** Replaced by `= ?` or `IS NULL`, for which Postgres can use an index. */
const isSame = "IS NOT DISTINCT FROM ?";

/** Equal, or both NULL. */
export function same(column: string): string {
  return `${column} ${isSame}`;
}
