import type { HealthSample, NewSamples } from "../../model/health.ts";
import { healthWindow } from "../../model/health.ts";
import type { Prepare } from "./connection.ts";

type Row = Record<string, unknown>;

/** Gives back the sample's number within its subject. */
export function insertSample(prepare: Prepare, sample: HealthSample): number {
  const row = prepare(
    `INSERT INTO samples (subject, number, at, ok, latency_ms, sequence)
     VALUES (?, (SELECT coalesce(max(number), 0) + 1 FROM samples WHERE subject = ?), ?, ?, ?,
             (SELECT coalesce(max(sequence), 0) + 1 FROM samples))
     RETURNING number`,
  ).get(sample.subject, sample.subject, sample.at, sample.ok ? 1 : 0, sample.latencyMs);
  return Number(row?.number);
}

/** Keeps the window that ends with `newest`: one short range at the start of the subject's key. */
export function pruneSamples(prepare: Prepare, subject: string, newest: number): void {
  if (newest <= healthWindow) return;
  prepare("DELETE FROM samples WHERE subject = ? AND number <= ?").run(subject, newest - healthWindow);
}

export function selectSamples(prepare: Prepare): HealthSample[] {
  return prepare("SELECT subject, at, ok, latency_ms FROM samples ORDER BY subject, number")
    .all()
    .map(toSample);
}

/** What was added after `after`, and where to go on the next time. */
export function selectNewSamples(prepare: Prepare, after: number): NewSamples {
  const rows = prepare(
    "SELECT subject, at, ok, latency_ms, sequence FROM samples WHERE sequence > ? ORDER BY sequence, subject",
  ).all(after);
  return { samples: rows.map(toSample), newest: Number(rows.at(-1)?.sequence ?? after) };
}

function toSample(row: Row): HealthSample {
  return {
    subject: String(row.subject),
    at: String(row.at),
    ok: row.ok === 1,
    latencyMs: Number(row.latency_ms),
  };
}
