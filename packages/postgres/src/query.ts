import type { QueryResult, SqlValue, Work } from "@toolplane/core/store";

/** One statement; places for values are `$1`, `$2`… */
export type Query = (sql: string, values?: readonly SqlValue[]) => Promise<QueryResult>;

/** Postgres stores neither lone surrogates nor U+0000. */
export function storableText(text: string): string {
  const isPlain = text.isWellFormed() && !text.includes("\0");
  return isPlain ? text : text.toWellFormed().replaceAll("\0", "\ufffd");
}

export function asValue(value: SqlValue): unknown {
  if (typeof value === "string") return storableText(value);
  // pg would send a plain view of bytes as an array of numbers.
  if (value instanceof Uint8Array)
    return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  if (Array.isArray(value))
    return value.map((element) => (typeof element === "string" ? storableText(element) : element));
  return value;
}

/** A step of what both stores do with the same queries. Its values stand where the text has `?`. */
export function* query(sql: string, values: readonly SqlValue[] = []): Work<QueryResult> {
  return yield { sql, values };
}

export async function follow<T>(work: Work<T>, query: Query): Promise<T> {
  for (let step = work.next(); ; ) {
    if (step.done) return step.value;
    const { sql, values } = step.value;
    let position = 0;
    step = work.next(
      await query(
        sql.replace(/\?/g, () => `$${++position}`),
        values,
      ),
    );
  }
}

/** One statement for all rows: their types are those of the table. */
export function insertJson(table: string, names: readonly string[], suffix = ""): string {
  const quoted = names.map((name) => `"${name}"`).join(", ");
  return `INSERT INTO ${table} (${quoted}) OVERRIDING SYSTEM VALUE
    SELECT ${quoted} FROM json_populate_recordset(NULL::${table}, $1) WITH ORDINALITY ORDER BY ordinality ${suffix}`;
}
