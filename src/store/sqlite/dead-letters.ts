import {
  type DeadLetterFilter,
  type DeadLetterPage,
  type DeadLetterStatus,
  type DueDeadLetter,
  deadLetterDueAt,
  deadLetterStatuses,
  type KeptDeadLetter,
} from "../../model/dead-letter.ts";
import type { Prepare } from "./connection.ts";
import { type Condition, where } from "./where.ts";

/** Beyond `most` the oldest go: those that are over first, and never one that is being retried. */
export function insertDeadLetter(prepare: Prepare, letter: KeptDeadLetter, most: number): void {
  prepare(
    `INSERT INTO dead_letters (id, tool, server, user, status, updated_at, due_at, revision, record)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  ).run(
    letter.id,
    letter.tool,
    letter.server,
    letter.principal.user,
    letter.status,
    letter.updatedAt,
    deadLetterDueAt(letter),
    letter.revision,
    JSON.stringify(letter),
  );
  const tooMany = countOf(prepare("SELECT count(*) AS count FROM dead_letters").get()) - most;
  if (tooMany <= 0) return;
  prepare(
    `DELETE FROM dead_letters WHERE sequence IN (
       SELECT sequence FROM dead_letters WHERE status <> 'retrying' AND id <> ?
       ORDER BY status IN ('resolved', 'abandoned') DESC, sequence LIMIT ?)`,
  ).run(letter.id, tooMany);
}

export function selectDeadLetter(prepare: Prepare, id: string): KeptDeadLetter | null {
  const row = prepare("SELECT record, revision FROM dead_letters WHERE id = ?").get(id);
  return row ? parseLetter(row) : null;
}

/** Only what is still as it was read: of several who change one entry, one does. */
export function updateDeadLetter(prepare: Prepare, letter: KeptDeadLetter): boolean {
  const { changes } = prepare(
    `UPDATE dead_letters SET status = ?, updated_at = ?, due_at = ?, record = ?, revision = revision + 1
     WHERE id = ? AND revision = ?`,
  ).run(
    letter.status,
    letter.updatedAt,
    deadLetterDueAt(letter),
    JSON.stringify(letter),
    letter.id,
    letter.revision,
  );
  return Number(changes) === 1;
}

export function deleteDeadLetter(prepare: Prepare, id: string, revision: number): boolean {
  const { changes } = prepare("DELETE FROM dead_letters WHERE id = ? AND revision = ?").run(id, revision);
  return Number(changes) === 1;
}

/** Newest first. */
export function selectDeadLetters(
  prepare: Prepare,
  { status, cursor, limit, ...filter }: DeadLetterFilter,
): DeadLetterPage<KeptDeadLetter> {
  const matching = conditionsOf(filter);
  const byStatus = countByStatus(prepare, matching);
  const total = status === undefined ? Object.values(byStatus).reduce((a, b) => a + b) : byStatus[status];
  const { sql, values } = where(
    ...matching,
    ["status = ?", status],
    ["sequence < ?", cursor === undefined ? undefined : Number(cursor)],
  );
  const rows = prepare(
    `SELECT sequence, record, revision FROM dead_letters ${sql} ORDER BY sequence DESC LIMIT ?`,
  ).all(...values, limit === undefined ? -1 : limit + 1);
  const page = limit === undefined ? rows : rows.slice(0, limit);
  const nextCursor = rows.length > page.length ? String(page.at(-1)?.sequence) : null;
  return { total, byStatus, deadLetters: page.map(parseLetter), nextCursor };
}

export function selectDueDeadLetters(prepare: Prepare, now: string): DueDeadLetter[] {
  return prepare("SELECT id, status, tool, server FROM dead_letters WHERE due_at <= ? ORDER BY due_at")
    .all(now)
    .map((row) => ({ ...row }) as DueDeadLetter);
}

export function deleteEndedDeadLetters(prepare: Prepare, before: string): number {
  const { changes } = prepare(
    "DELETE FROM dead_letters WHERE status IN ('resolved', 'abandoned') AND updated_at < ?",
  ).run(before);
  return Number(changes);
}

function conditionsOf({ tool, server, id, owner }: DeadLetterFilter): Condition[] {
  return [
    ["tool = ?", tool],
    ["server = ?", server],
    ["instr(id, ?) = 1", id],
    ["user = ?", owner],
  ];
}

function countByStatus(prepare: Prepare, conditions: readonly Condition[]): Record<DeadLetterStatus, number> {
  const counts = Object.fromEntries(deadLetterStatuses.map((status) => [status, 0]));
  const { sql, values } = where(...conditions);
  const rows = prepare(`SELECT status, count(*) AS count FROM dead_letters ${sql} GROUP BY status`).all(
    ...values,
  );
  for (const row of rows) counts[String(row.status)] = countOf(row);
  return counts as Record<DeadLetterStatus, number>;
}

function countOf(row: { [column: string]: unknown } | undefined): number {
  return Number(row?.count ?? 0);
}

/** The column knows how often it was changed; the text was written before that. */
function parseLetter(row: { [column: string]: unknown }): KeptDeadLetter {
  return { ...(JSON.parse(String(row.record)) as KeptDeadLetter), revision: Number(row.revision) };
}
