import type { PlaneEvent, StoredEvent } from "../../model/events.ts";
import type { Prepare } from "./connection.ts";

export function createEventAppender(prepare: Prepare): (at: string, event: PlaneEvent) => void {
  const insert = prepare("INSERT INTO events (at, type, event) VALUES (?, ?, ?)");
  return (at, event) => void insert.run(at, event.type, JSON.stringify(event));
}

export function selectEvents(prepare: Prepare, after = 0, limit = -1): StoredEvent[] {
  return prepare("SELECT id, at, event FROM events WHERE id > ? ORDER BY id LIMIT ?")
    .all(after, limit)
    .map((row) => ({
      id: Number(row.id),
      at: String(row.at),
      event: JSON.parse(String(row.event)) as PlaneEvent,
    }));
}

export function selectLastEventId(prepare: Prepare): number {
  return Number(prepare("SELECT coalesce(max(id), 0) AS last FROM events").get()?.last);
}
