import type { EntryKey, StoredEntry } from "../../model/change.ts";
import type { Prepare } from "./connection.ts";

export function upsertEntry(prepare: Prepare, entry: StoredEntry): void {
  prepare(
    `INSERT INTO entries (kind, persona, name, body) VALUES (?, ?, ?, ?)
     ON CONFLICT (kind, persona, name) DO UPDATE SET body = excluded.body`,
  ).run(entry.kind, entry.persona ?? "", entry.name, JSON.stringify(entry));
}

export function deleteEntry(prepare: Prepare, { kind, persona, name }: EntryKey): void {
  prepare("DELETE FROM entries WHERE kind = ? AND persona = ? AND name = ?").run(kind, persona ?? "", name);
}

export function selectEntries(prepare: Prepare): StoredEntry[] {
  return prepare("SELECT body FROM entries ORDER BY kind, persona, name")
    .all()
    .map((row) => JSON.parse(String(row.body)) as StoredEntry);
}
