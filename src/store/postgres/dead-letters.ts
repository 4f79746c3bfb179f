import {
  type DeadLetterFilter,
  type DeadLetterPage,
  type DeadLetterStatus,
  type DueDeadLetter,
  deadLetterDueAt,
  deadLetterStatuses,
  type KeptDeadLetter,
} from "../../model/dead-letter.ts";
import { type Condition, parseRecord, type Query, type Row, where } from "./query.ts";

/** Beyond `most` the oldest go: those that are over first, and never one that is being retried. */
export async function insertDeadLetter(query: Query, letter: KeptDeadLetter, most: number): Promise<void> {
  await query(
    `INSERT INTO dead_letters (id, tool, server, user_name, status, updated_at, due_at, revision, record)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
    [
      ...[letter.id, letter.tool, letter.server, letter.principal.user, letter.status, letter.updatedAt],
      ...[deadLetterDueAt(letter), letter.revision, JSON.stringify(letter)],
    ],
  );
  await query(
    `DELETE FROM dead_letters WHERE sequence IN (
       SELECT sequence FROM dead_letters WHERE status <> 'retrying' AND id <> $1
       ORDER BY status IN ('resolved', 'abandoned') DESC, sequence
       LIMIT greatest((SELECT count(*) FROM dead_letters) - $2, 0))`,
    [letter.id, most],
  );
}

export async function selectDeadLetter(query: Query, id: string): Promise<KeptDeadLetter | null> {
  const { rows } = await query("SELECT record, revision FROM dead_letters WHERE id = $1", [id]);
  return rows[0] ? parseLetter(rows[0]) : null;
}

/** Only what is still as it was read: of several who change one entry, one does. */
export async function updateDeadLetter(query: Query, letter: KeptDeadLetter): Promise<boolean> {
  const { count } = await query(
    `UPDATE dead_letters SET status = $1, updated_at = $2, due_at = $3, record = $4, revision = revision + 1
     WHERE id = $5 AND revision = $6`,
    [
      letter.status,
      letter.updatedAt,
      deadLetterDueAt(letter),
      JSON.stringify(letter),
      ...[letter.id, letter.revision],
    ],
  );
  return count === 1;
}

export async function deleteDeadLetter(query: Query, id: string, revision: number): Promise<boolean> {
  const { count } = await query("DELETE FROM dead_letters WHERE id = $1 AND revision = $2", [id, revision]);
  return count === 1;
}

/** Newest first. */
export async function selectDeadLetters(
  query: Query,
  { status, cursor, limit, ...filter }: DeadLetterFilter,
): Promise<DeadLetterPage<KeptDeadLetter>> {
  const matching = conditionsOf(filter);
  const byStatus = await countByStatus(query, matching);
  const total = status === undefined ? Object.values(byStatus).reduce((a, b) => a + b) : byStatus[status];
  const { sql, values } = where(
    ...matching,
    ["status = ?", status],
    ["sequence < ?::bigint", cursor === undefined ? undefined : Number(cursor)],
  );
  const { rows } = await query(
    `SELECT sequence, record, revision FROM dead_letters ${sql} ORDER BY sequence DESC LIMIT $${values.length + 1}`,
    [...values, limit === undefined ? null : limit + 1],
  );
  const page = limit === undefined ? rows : rows.slice(0, limit);
  const nextCursor = rows.length > page.length ? String(page.at(-1)?.sequence) : null;
  return { total, byStatus, deadLetters: page.map(parseLetter), nextCursor };
}

export async function selectDueDeadLetters(query: Query, now: string): Promise<DueDeadLetter[]> {
  const { rows } = await query(
    "SELECT id, status, tool, server FROM dead_letters WHERE due_at <= $1 ORDER BY due_at",
    [now],
  );
  return rows as DueDeadLetter[];
}

export async function deleteEndedDeadLetters(query: Query, before: string): Promise<number> {
  const sql = "DELETE FROM dead_letters WHERE status IN ('resolved', 'abandoned') AND updated_at < $1";
  return (await query(sql, [before])).count;
}

function conditionsOf({ tool, server, id, owner }: DeadLetterFilter): Condition[] {
  return [
    ["tool = ?", tool],
    ["server = ?", server],
    ["starts_with(id, ?)", id],
    ["user_name = ?", owner],
  ];
}

async function countByStatus(
  query: Query,
  conditions: readonly Condition[],
): Promise<Record<DeadLetterStatus, number>> {
  const counts = Object.fromEntries(deadLetterStatuses.map((status) => [status, 0]));
  const { sql, values } = where(...conditions);
  const { rows } = await query(
    `SELECT status, count(*) AS count FROM dead_letters ${sql} GROUP BY status`,
    values,
  );
  for (const { status, count } of rows) counts[String(status)] = Number(count);
  return counts as Record<DeadLetterStatus, number>;
}

function parseLetter(row: Row): KeptDeadLetter {
  return { ...parseRecord<KeptDeadLetter>(row), revision: Number(row.revision) };
}
