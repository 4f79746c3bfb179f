import type { Store } from "../../model/store.ts";
import {
  type DeadLetterFilter,
  type DeadLetterPage,
  type DueDeadLetter,
  deadLetterDueAt,
  type KeptDeadLetter,
} from "../../model/work/dead-letter.ts";
import { parseRevised, toDeadLetterPage } from "../rows.ts";
import type { Connection } from "./connection.ts";
import type { Messages } from "./pg-boss.ts";
import { type Condition, type Query, where } from "./query.ts";

export function createDeadLetterTable({ read, write }: Connection, messages: Messages) {
  return {
    addDeadLetter: (letter, max) =>
      write(
        async (query) => {
          await insertDeadLetter(query, letter, max);
          await messages.putDeadLetters(query, [letter]);
        },
        { lock: "dead letters", notify: { what: "deadLetters" } },
      ),
    deadLetter: (id) =>
      read(async (query) => {
        const { rows } = await query("SELECT record, revision FROM dead_letters WHERE id = $1", [id]);
        return rows[0] ? parseRevised<KeptDeadLetter>(rows[0]) : null;
      }),
    deadLetters: (filter) => read((query) => selectDeadLetters(query, filter)),
    replaceDeadLetter: (letter) =>
      write(async (query) => {
        const isReplaced = await updateDeadLetter(query, letter);
        if (isReplaced) await messages.putDeadLetters(query, [letter]);
        return isReplaced;
      }),
    deleteDeadLetter: (id, revision) =>
      write(async (query) => {
        const sql = "DELETE FROM dead_letters WHERE id = $1 AND revision = $2";
        return (await query(sql, [id, revision])).count === 1;
      }),
    dueDeadLetters: (now) =>
      read(async (query) => {
        const sql = "SELECT id, status, tool, server FROM dead_letters WHERE due_at <= $1 ORDER BY due_at";
        return (await query(sql, [now])).rows as DueDeadLetter[];
      }),
    forgetEndedDeadLetters: (before) =>
      write(async (query) => {
        const sql = "DELETE FROM dead_letters WHERE status IN ('resolved', 'abandoned') AND updated_at < $1";
        return (await query(sql, [before])).count;
      }),
  } satisfies Partial<Store>;
}

/** Beyond `max` the oldest go: ended ones first, and never one that is being retried. */
async function insertDeadLetter(query: Query, letter: KeptDeadLetter, max: number): Promise<void> {
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
    [letter.id, max],
  );
}

/** Optimistic: false when the row changed since it was read. */
async function updateDeadLetter(query: Query, letter: KeptDeadLetter): Promise<boolean> {
  const { status, updatedAt, id, revision } = letter;
  const { count } = await query(
    `UPDATE dead_letters SET status = $1, updated_at = $2, due_at = $3, record = $4, revision = revision + 1
     WHERE id = $5 AND revision = $6`,
    [status, updatedAt, deadLetterDueAt(letter), JSON.stringify(letter), id, revision],
  );
  return count === 1;
}

async function selectDeadLetters(query: Query, filter: DeadLetterFilter): Promise<DeadLetterPage<KeptDeadLetter>> {
  const { status, cursor, limit } = filter;
  const matching = conditionsOf(filter);
  const all = where(...matching);
  const counts = await query(
    `SELECT status, count(*) AS count FROM dead_letters ${all.sql} GROUP BY status`,
    all.values,
  );
  const { sql, values } = where(
    ...matching,
    ["status = ?", status],
    ["sequence < ?::bigint", cursor === undefined ? undefined : Number(cursor)],
  );
  const { rows } = await query(
    `SELECT sequence, record, revision FROM dead_letters ${sql} ORDER BY sequence DESC LIMIT $${values.length + 1}`,
    [...values, limit === undefined ? null : limit + 1],
  );
  return toDeadLetterPage(rows, counts.rows, filter);
}

function conditionsOf({ tool, server, id, owner }: DeadLetterFilter): Condition[] {
  return [
    ["tool = ?", tool],
    ["server = ?", server],
    ["starts_with(id, ?)", id],
    ["user_name = ?", owner],
  ];
}
