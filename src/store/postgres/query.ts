export type SqlValue = string | number | boolean | null | Uint8Array | readonly (string | number | null)[];
export type Row = { [column: string]: unknown };
export type Answer = { rows: Row[]; count: number };

/** One statement; places for values are `$1`, `$2`… */
export type Query = (sql: string, values?: readonly SqlValue[]) => Promise<Answer>;

/** What Postgres can keep of a text: it knows neither half characters nor the character 0. */
export function asText(text: string): string {
  const isPlain = text.isWellFormed() && !text.includes("\0");
  return isPlain ? text : text.toWellFormed().replaceAll("\0", "\ufffd");
}

/** The same for whatever is given to a statement. */
export function asValue(value: SqlValue): unknown {
  if (typeof value === "string") return asText(value);
  // A view of bytes would be taken for an array of numbers.
  if (value instanceof Uint8Array) return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  if (Array.isArray(value)) return value.map((one) => (typeof one === "string" ? asText(one) : one));
  return value;
}

/** A condition with `?` for its value; without a value it is not asked for. */
export type Condition = readonly [sql: string, value: SqlValue | undefined];

/** The conditions that are asked for, all of them. More values go on counting from `values.length`. */
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

/** Never asked as it stands here: Postgres uses no index for it, and does for each of the two that it can mean. */
const isSame = "IS NOT DISTINCT FROM ?";

/** `same("plan")` is also true where both are nothing. */
export function same(column: string): string {
  return `${column} ${isSame}`;
}

export function textOrNull(value: unknown): string | null {
  return value === null || value === undefined ? null : String(value);
}

/** A column that holds a record as it was written. Text, since `jsonb` refuses what models come up with. */
export function parseRecord<T>({ record }: Row): T {
  return JSON.parse(String(record)) as T;
}
