import type { PlaneEvent, StoredEvent } from "../../model/events.ts";
import { parseRecord, type Query } from "./query.ts";

/** Oldest first. */
export async function selectEvents(query: Query, after = 0, limit?: number): Promise<StoredEvent[]> {
  const { rows } = await query("SELECT id, at, record FROM events WHERE id > $1 ORDER BY id LIMIT $2", [
    after,
    limit ?? null,
  ]);
  return rows.map((row) => ({
    id: Number(row.id),
    at: String(row.at),
    event: parseRecord<PlaneEvent>(row),
  }));
}

export async function selectLastEventId(query: Query): Promise<number> {
  const { rows } = await query("SELECT coalesce(max(id), 0) AS last FROM events");
  return Number(rows[0]?.last);
}
