import type { KeptResult, ResultFilter, StoredResult } from "../../model/stored-result.ts";
import type { Prepare } from "./connection.ts";
import { where } from "./where.ts";

/** False when it alone is larger than all may be. Of the others the oldest go, and whatever is over. */
export function insertResult(
  prepare: Prepare,
  { body, isCompressed, ...record }: KeptResult,
  most: number,
): boolean {
  if (record.bytes > most) return false;
  deleteExpiredResults(prepare, record.at);
  // What comes again is the newest again.
  prepare("DELETE FROM results WHERE id = ?").run(record.id);
  prepare(
    "INSERT INTO results (id, user, expires_at, bytes, is_compressed, record, body) VALUES (?, ?, ?, ?, ?, ?, ?)",
  ).run(
    record.id,
    record.user,
    record.expiresAt,
    record.bytes,
    isCompressed ? 1 : 0,
    JSON.stringify(record),
    body,
  );
  makeRoom(prepare, most);
  return true;
}

function makeRoom(prepare: Prepare, most: number): void {
  let total = Number(prepare("SELECT coalesce(sum(bytes), 0) AS total FROM results").get()?.total);
  while (total > most) {
    const oldest = prepare("SELECT sequence, bytes FROM results ORDER BY sequence LIMIT 1").get();
    if (!oldest) return;
    prepare("DELETE FROM results WHERE sequence = ?").run(Number(oldest.sequence));
    total -= Number(oldest.bytes);
  }
}

export function selectResult(prepare: Prepare, id: string): KeptResult | null {
  const row = prepare("SELECT record, is_compressed, body FROM results WHERE id = ?").get(id);
  if (!row) return null;
  return { ...parseRecord(row), isCompressed: row.is_compressed === 1, body: row.body as Uint8Array };
}

/** Newest first. */
export function selectResults(prepare: Prepare, { user, before, limit = -1 }: ResultFilter): StoredResult[] {
  const { sql, values } = where(
    ["user IS ?", user],
    ["sequence < (SELECT sequence FROM results WHERE id = ?)", before],
  );
  return prepare(`SELECT record FROM results ${sql} ORDER BY sequence DESC LIMIT ?`)
    .all(...values, limit)
    .map(parseRecord);
}

export function deleteExpiredResults(prepare: Prepare, now: string): number {
  return Number(prepare("DELETE FROM results WHERE expires_at <= ?").run(now).changes);
}

function parseRecord(row: { [column: string]: unknown }): StoredResult {
  return JSON.parse(String(row.record)) as StoredResult;
}
