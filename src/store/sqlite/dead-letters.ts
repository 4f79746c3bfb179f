import type { Store } from "../../model/store.ts";
import {
  type DeadLetterFilter,
  type DueDeadLetter,
  deadLetterDueAt,
  type KeptDeadLetter,
} from "../../model/work/dead-letter.ts";
import { parseRevised, toDeadLetterPage } from "../rows.ts";
import { type Condition, type Connection, didChange, type Prepare, where } from "./connection.ts";

export function createDeadLetterTable({ read, write }: Connection) {
  return {
    addDeadLetter: (letter, max) => write((prepare) => insertDeadLetter(prepare, letter, max)),
    deadLetter: (id) =>
      read((prepare) => {
        const row = prepare("SELECT record, revision FROM dead_letters WHERE id = ?").get(id);
        return row ? parseRevised<KeptDeadLetter>(row) : null;
      }),
    deadLetters: (filter) => read((prepare) => selectDeadLetters(prepare, filter)),
    replaceDeadLetter: (letter) =>
      write((prepare) => {
        const { status, updatedAt, id, revision } = letter;
        const update = prepare(
          `UPDATE dead_letters SET status = ?, updated_at = ?, due_at = ?, record = ?, revision = revision + 1
           WHERE id = ? AND revision = ?`,
        );
        const record = JSON.stringify(letter);
        return didChange(update.run(status, updatedAt, deadLetterDueAt(letter), record, id, revision));
      }),
    deleteDeadLetter: (id, revision) =>
      write((prepare) =>
        didChange(prepare("DELETE FROM dead_letters WHERE id = ? AND revision = ?").run(id, revision)),
      ),
    dueDeadLetters: (now) => read((prepare) => selectDueDeadLetters(prepare, now)),
    forgetEndedDeadLetters: (before) =>
      write((prepare) => {
        const sql = "DELETE FROM dead_letters WHERE status IN ('resolved', 'abandoned') AND updated_at < ?";
        return Number(prepare(sql).run(before).changes);
      }),
  } satisfies Partial<Store>;
}

/** Beyond `max` the oldest go: ended ones first, and never one that is being retried. */
function insertDeadLetter(prepare: Prepare, letter: KeptDeadLetter, max: number): void {
  prepare(
    `INSERT INTO dead_letters (id, tool, server, user, status, updated_at, due_at, revision, record)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  ).run(
    ...[letter.id, letter.tool, letter.server, letter.principal.user, letter.status, letter.updatedAt],
    ...[deadLetterDueAt(letter), letter.revision, JSON.stringify(letter)],
  );
  const row = prepare("SELECT count(*) AS count FROM dead_letters").get();
  const tooMany = Number(row?.count) - max;
  if (tooMany <= 0) return;
  prepare(
    `DELETE FROM dead_letters WHERE sequence IN (
       SELECT sequence FROM dead_letters WHERE status <> 'retrying' AND id <> ?
       ORDER BY status IN ('resolved', 'abandoned') DESC, sequence LIMIT ?)`,
  ).run(letter.id, tooMany);
}

function selectDeadLetters(prepare: Prepare, filter: DeadLetterFilter) {
  const { status, cursor, limit } = filter;
  const matching = conditionsOf(filter);
  const all = where(...matching);
  const counts = prepare(`SELECT status, count(*) AS count FROM dead_letters ${all.sql} GROUP BY status`);
  const { sql, values } = where(
    ...matching,
    ["status = ?", status],
    ["sequence < ?", cursor === undefined ? undefined : Number(cursor)],
  );
  const rows = prepare(`SELECT sequence, record, revision FROM dead_letters ${sql} ORDER BY sequence DESC LIMIT ?`).all(
    ...values,
    limit === undefined ? -1 : limit + 1,
  );
  return toDeadLetterPage(rows, counts.all(...all.values), filter);
}

export function selectDueDeadLetters(prepare: Prepare, now: string): DueDeadLetter[] {
  return prepare("SELECT id, status, tool, server FROM dead_letters WHERE due_at <= ? ORDER BY due_at")
    .all(now)
    .map((row) => ({ ...row }) as DueDeadLetter);
}

function conditionsOf({ tool, server, id, owner }: DeadLetterFilter): Condition[] {
  return [
    ["tool = ?", tool],
    ["server = ?", server],
    ["instr(id, ?) = 1", id],
    ["user = ?", owner],
  ];
}
