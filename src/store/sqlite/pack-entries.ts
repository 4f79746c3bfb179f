import { type CallColumns, columnFields } from "../../model/calls/call-columns.ts";
import type { PlaneEvent } from "../../model/events.ts";
import type { CallEventCount, JournalEntry } from "../../model/store.ts";

/** For another thread: flat values are copied at a fraction of the price of objects. */
export type PackedEntries = (string | number | boolean | null | JournalEntry)[];

export function packEntries(entries: readonly JournalEntry[]): PackedEntries {
  const packed: PackedEntries = [];
  for (const entry of entries) {
    if (entry.kind === "call" && entry.text !== undefined) {
      const { id, at, durationMs, principal } = entry.call;
      packed.push("call", entry.text, entry.events ?? 0, id, at, durationMs, principal.user);
      for (const field of columnFields) packed.push(entry.call[field] ?? null);
    } else if (entry.kind === "event") {
      packed.push("event", entry.at, entry.event.type, JSON.stringify(entry.event));
    } else if (entry.kind === "sample") {
      const { subject, at, ok, latencyMs } = entry.sample;
      packed.push("sample", subject, at, ok, latencyMs);
    } else packed.push("other", entry);
  }
  return packed;
}

export function unpackEntries(packed: PackedEntries): JournalEntry[] {
  const entries: JournalEntry[] = [];
  let position = 0;
  const next = <T>(): T => packed[position++] as T;
  while (position < packed.length) {
    const kind = next<JournalEntry["kind"] | "other">();
    if (kind === "call") {
      const text = next<string>();
      const events = next<CallEventCount>();
      const call: Record<string, unknown> = {
        id: next(),
        at: next(),
        durationMs: next(),
        principal: { user: next() },
      };
      for (const field of columnFields) call[field] = next();
      entries.push({ kind, call: call as CallColumns, text, events });
    } else if (kind === "event") {
      const at = next<string>();
      const type = next<string>();
      const text = next<string>();
      entries.push({ kind, at, event: { type } as PlaneEvent, text });
    } else if (kind === "sample") {
      entries.push({
        kind,
        sample: { subject: next(), at: next(), ok: next(), latencyMs: next() },
      });
    } else entries.push(next());
  }
  return entries;
}
