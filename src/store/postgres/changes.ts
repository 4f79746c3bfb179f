import { type Change, changesKept, type NewChange } from "../../model/change.ts";
import type { ChangeQuery } from "../../model/store.ts";
import { parseRecord, type Query, same, where } from "./query.ts";

export async function insertChanges(query: Query, changes: readonly NewChange[]): Promise<void> {
  if (changes.length === 0) return;
  await query(
    `INSERT INTO changes (kind, what, name, persona, audience, record)
     SELECT kind, what, name, persona, audience, record
     FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[])
       WITH ORDINALITY AS given (kind, what, name, persona, audience, record, place)
     ORDER BY place`,
    [
      changes.map(({ kind }) => kind),
      changes.map(({ what }) => what),
      changes.map(({ name }) => name),
      changes.map(({ persona }) => persona),
      changes.map(({ audience }) => JSON.stringify(audience)),
      changes.map(({ audience: _, ...change }) => JSON.stringify(change)),
    ],
  );
  // By their number in the row: a transaction that failed leaves a gap in the ids.
  await query("DELETE FROM changes WHERE id <= (SELECT id FROM changes ORDER BY id DESC OFFSET $1 LIMIT 1)", [
    changesKept,
  ]);
}

/** The different audiences that changes have. */
export async function selectAudiences(query: Query): Promise<string[]> {
  const { rows } = await query("SELECT DISTINCT audience FROM changes");
  return rows.map(({ audience }) => String(audience));
}

/** Newest first, with how many there are in all. */
export async function selectChanges(
  query: Query,
  { filter = {}, audiences = null, limit, offset = 0 }: ChangeQuery,
): Promise<{ changes: Change[]; total: number }> {
  const { name, persona, kind, what } = filter;
  const { sql, values } = where(
    ["name = ?", name],
    [same("persona"), persona],
    ["kind = ?", kind],
    [what === "tool" ? "what IN (?, 'server', 'files')" : "what = ?", what],
    ["audience = ANY (?)", audiences ?? undefined],
  );
  const counted = await query(`SELECT count(*) AS total FROM changes ${sql}`, values);
  const [size, start] = [values.length + 1, values.length + 2];
  const { rows } = await query(
    `SELECT id, record FROM changes ${sql} ORDER BY id DESC LIMIT $${size} OFFSET $${start}`,
    [...values, limit, offset],
  );
  return {
    total: Number(counted.rows[0]?.total),
    changes: rows.map((row) => ({ id: Number(row.id), ...parseRecord<Omit<Change, "id">>(row) })),
  };
}
