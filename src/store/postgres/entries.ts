import type { StoredEntry } from "../../model/change.ts";
import type { EntryEdits } from "../../model/store.ts";
import { insertChanges } from "./changes.ts";
import { parseRecord, type Query } from "./query.ts";

export async function editEntries(query: Query, { put, remove, changes }: EntryEdits): Promise<void> {
  for (const { kind, persona, name } of remove) {
    const sql = "DELETE FROM entries WHERE kind = $1 AND persona = $2 AND name = $3";
    await query(sql, [kind, persona ?? "", name]);
  }
  for (const entry of put) {
    await query(
      `INSERT INTO entries (kind, persona, name, record) VALUES ($1, $2, $3, $4)
       ON CONFLICT (kind, persona, name) DO UPDATE SET record = excluded.record`,
      [entry.kind, entry.persona ?? "", entry.name, JSON.stringify(entry)],
    );
  }
  await insertChanges(query, changes);
}

export async function selectEntries(query: Query): Promise<StoredEntry[]> {
  const { rows } = await query("SELECT record FROM entries ORDER BY kind, persona, name");
  return rows.map((row) => parseRecord(row));
}
