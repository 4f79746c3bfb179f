import type { KeptResult, ResultFilter, StoredResult } from "../../model/stored-result.ts";
import { parseRecord, type Query, same, where } from "./query.ts";

/** False when it alone is larger than all may be. Of the others the oldest go, and whatever is over. */
export async function insertResult(
  query: Query,
  { body, isCompressed, ...record }: KeptResult,
  most: number,
): Promise<boolean> {
  if (record.bytes > most) return false;
  await deleteExpiredResults(query, record.at);
  // What comes again is the newest again.
  await query("DELETE FROM results WHERE id = $1", [record.id]);
  await query(
    `INSERT INTO results (id, user_name, expires_at, bytes, is_compressed, record, body)
     VALUES ($1, $2, $3, $4, $5, $6, $7)`,
    [
      ...[record.id, record.user, record.expiresAt, record.bytes, isCompressed],
      ...[JSON.stringify(record), body],
    ],
  );
  // Counted from the newest on, those that no longer fit are the oldest.
  await query(
    `DELETE FROM results WHERE sequence IN (
       SELECT sequence FROM (
         SELECT sequence, sum(bytes) OVER (ORDER BY sequence DESC) AS total FROM results
       ) AS counted WHERE total > $1)`,
    [most],
  );
  return true;
}

export async function selectResult(query: Query, id: string): Promise<KeptResult | null> {
  const { rows } = await query("SELECT record, is_compressed, body FROM results WHERE id = $1", [id]);
  const row = rows[0];
  if (!row) return null;
  return {
    ...parseRecord<StoredResult>(row),
    isCompressed: row.is_compressed === true,
    body: row.body as Uint8Array,
  };
}

/** Newest first. */
export async function selectResults(
  query: Query,
  { user, before, limit }: ResultFilter,
): Promise<StoredResult[]> {
  const { sql, values } = where(
    [same("user_name"), user],
    ["sequence < (SELECT sequence FROM results WHERE id = ?)", before],
  );
  const { rows } = await query(
    `SELECT record FROM results ${sql} ORDER BY sequence DESC LIMIT $${values.length + 1}`,
    [...values, limit ?? null],
  );
  return rows.map((row) => parseRecord(row));
}

export async function deleteExpiredResults(query: Query, now: string): Promise<number> {
  return (await query("DELETE FROM results WHERE expires_at <= $1", [now])).count;
}
