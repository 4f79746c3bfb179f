import { type Change, changesKept, type NewChange } from "../../model/change.ts";
import type { ChangeQuery } from "../../model/store.ts";
import type { Prepare } from "./connection.ts";
import { where } from "./where.ts";

export function insertChanges(prepare: Prepare, changes: readonly NewChange[]): void {
  if (changes.length === 0) return;
  const insert = prepare(
    "INSERT INTO changes (kind, what, name, persona, audience, body) VALUES (?, ?, ?, ?, ?, ?)",
  );
  for (const { audience, ...change } of changes) {
    const { kind, what, name, persona } = change;
    insert.run(kind, what, name, persona, JSON.stringify(audience), JSON.stringify(change));
  }
  prepare("DELETE FROM changes WHERE id <= (SELECT max(id) FROM changes) - ?").run(changesKept);
}

/** The different audiences that changes have. */
export function selectAudiences(prepare: Prepare): string[] {
  return prepare("SELECT DISTINCT audience FROM changes")
    .all()
    .map((row) => String(row.audience));
}

/** Newest first, with how many there are in all. */
export function selectChanges(
  prepare: Prepare,
  { filter = {}, audiences = null, limit, offset = 0 }: ChangeQuery,
): { changes: Change[]; total: number } {
  const { name, persona, kind, what } = filter;
  const { sql, values } = where(
    ["name = ?", name],
    ["persona IS ?", persona],
    ["kind = ?", kind],
    [what === "tool" ? "what IN (?, 'server', 'files')" : "what = ?", what],
    ["audience IN (SELECT value FROM json_each(?))", audiences ? JSON.stringify(audiences) : undefined],
  );
  const { total } = prepare(`SELECT count(*) AS total FROM changes ${sql}`).get(...values) ?? {};
  const rows = prepare(`SELECT id, body FROM changes ${sql} ORDER BY id DESC LIMIT ? OFFSET ?`).all(
    ...values,
    limit,
    offset,
  );
  return { total: Number(total), changes: rows.map(parseChange) };
}

function parseChange(row: { [column: string]: unknown }): Change {
  return { id: Number(row.id), ...(JSON.parse(String(row.body)) as Omit<Change, "id">) };
}
