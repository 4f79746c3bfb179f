import type { CallStatus } from "../../model/calls/call.ts";
import type { PlaneEvent } from "../../model/events.ts";
import type { JournalEntry } from "../../model/store.ts";

type Flat = (string | number | boolean | null)[];

/** For another thread: flat values are copied at a fraction of the price of objects. */
export type PackedEntries = { calls: Flat; events: Flat; samples: Flat; others: JournalEntry[] };

/** In the order of their kinds, which is the order they are stored in. */
export function packEntries(entries: readonly JournalEntry[]): PackedEntries {
  const packed: PackedEntries = { calls: [], events: [], samples: [], others: [] };
  for (const entry of entries) {
    if (entry.kind === "call" && entry.text !== undefined) {
      const { id, at, tool, status, server, run = null, durationMs, principal } = entry.call;
      packed.calls.push(id, at, tool, status, server, run, durationMs, principal.user, entry.text);
    } else if (entry.kind === "event") {
      packed.events.push(entry.at, entry.event.type, JSON.stringify(entry.event));
    } else if (entry.kind === "sample") {
      const { subject, at, ok, latencyMs } = entry.sample;
      packed.samples.push(subject, at, ok, latencyMs);
    } else packed.others.push(entry);
  }
  return packed;
}

export function unpackEntries({ calls, events, samples, others }: PackedEntries): JournalEntry[] {
  return [
    ...others,
    ...rows(calls, 9).map(([id, at, tool, status, server, run, durationMs, user, text]): JournalEntry => {
      const named = { id: String(id), at: String(at), tool: String(tool), server: server as string | null };
      const principal = { user: user as string | null };
      const columns = { ...named, status: status as CallStatus, durationMs: Number(durationMs), principal };
      return { kind: "call", call: run === null ? columns : { ...columns, run: String(run) }, text: String(text) };
    }),
    ...rows(events, 3).map(([at, type, text]): JournalEntry => {
      return { kind: "event", at: String(at), event: { type } as PlaneEvent, text: String(text) };
    }),
    ...rows(samples, 4).map(([subject, at, ok, latencyMs]): JournalEntry => {
      const sample = { subject: String(subject), at: String(at), ok: ok === true, latencyMs: Number(latencyMs) };
      return { kind: "sample", sample };
    }),
  ];
}

function rows(flat: Flat, width: number): Flat[] {
  return Array.from({ length: flat.length / width }, (_, at) => flat.slice(at * width, (at + 1) * width));
}
