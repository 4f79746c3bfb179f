import type { CallStatus } from "../../model/calls/call-schema.ts";
import type { PlaneEvent } from "../../model/events.ts";
import type { CallEventCount, JournalEntry } from "../../model/store.ts";

/** For another thread: flat values are copied at a fraction of the price of objects. */
export type PackedEntries = (string | number | boolean | null | JournalEntry)[];

export function packEntries(entries: readonly JournalEntry[]): PackedEntries {
  const packed: PackedEntries = [];
  for (const entry of entries) {
    if (entry.kind === "call" && entry.text !== undefined) {
      const {
        id,
        at,
        tool,
        status,
        server,
        run = null,
        conversation = null,
        durationMs,
        principal,
      } = entry.call;
      packed.push(
        "call",
        entry.text,
        entry.events ?? 0,
        id,
        at,
        tool,
        status,
        server,
        run,
        conversation,
      );
      packed.push(durationMs, principal.user);
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
      const identity = {
        id: next<string>(),
        at: next<string>(),
        tool: next<string>(),
        status: next<CallStatus>(),
      };
      const server = next<string | null>();
      const run = next<string | null>();
      const conversation = next<string | null>();
      const durationMs = next<number>();
      const user = next<string | null>();
      const membership = {
        ...(run !== null && { run }),
        ...(conversation !== null && { conversation }),
      };
      const call = { ...identity, server, durationMs, principal: { user }, ...membership };
      entries.push({ kind, call, text, events });
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
