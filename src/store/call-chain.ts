import type { Chain } from "../model/audit-schema.ts";
import type { Row } from "./tables/database.ts";

export type Broken = NonNullable<Chain["broken"]>;
/** How far a chain was followed; `hash` is empty before its first record. `hasHead`: was the hash asked for among them? */
export type ChainProgress = { sequence: number; hash: string; records: number; hasHead: boolean };
/** Do the columns, by which a row is found, fit its record? */
type ColumnsMatch = (row: Row) => boolean;

const dayMs = 24 * 3_600_000;

/** The hash of a record in the audit chain. */
export function hashAfter(previous: string, record: string): string {
  // Loaded here for the same reason as in lib/stable-json.ts.
  return process.getBuiltinModule("node:crypto").hash("sha256", `${previous}\n${record}`);
}

/** To the last row, or to the one where the chain is broken. */
export function followRows(
  rows: readonly Row[],
  from: ChainProgress,
  head: string | undefined,
  columnsMatch: ColumnsMatch,
): { progress: ChainProgress; broken: Broken | null } {
  let progress = from;
  for (const row of rows) {
    const reason = problemOf(row, progress.hash, columnsMatch);
    if (reason !== null) return { progress, broken: brokenAt(row, reason) };
    const hash = String(row.hash);
    const hasHead = progress.hasHead || hash === head;
    progress = { sequence: Number(row.sequence), hash, records: progress.records + 1, hasHead };
  }
  return { progress, broken: null };
}

function problemOf(row: Row, previous: string, columnsMatch: ColumnsMatch): string | null {
  if (row.hash === null) return "it has no hash: it was added or changed past the plane";
  if (row.hash !== hashAfter(previous, String(row.record)))
    return "it was changed, or one before it was changed or removed";
  return columnsMatch(row) ? null : "its indexed columns do not match its record";
}

/**
 * Removal leaves the newest record that was too old. Its time is covered by its hash, so that it proves the age of those
 * before it: an attacker who removes younger ones has none to leave.
 */
export function checkAge(oldest: Row | undefined, removedAt: string, keepDays: number | undefined): Broken | null {
  if (oldest === undefined)
    return { id: "none", at: removedAt, reason: "every record was removed, and the newest is always kept" };
  if (keepDays === undefined) return null;
  const ageMs = Math.min(Date.parse(removedAt), Date.now()) - Date.parse(String(oldest.at));
  if (keepDays > 0 && ageMs >= keepDays * dayMs) return null;
  const age = `${Math.max(0, Math.floor(ageMs / dayMs))} days old then, and 'calls.keepDays' is ${keepDays}`;
  return brokenAt(oldest, `those before it were removed on ${removedAt}: it was ${age}`);
}

function brokenAt({ id, at }: Row, reason: string): Broken {
  return { id: String(id), at: String(at), reason };
}
