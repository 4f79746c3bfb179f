import type { HealthSample, NewSamples } from "../../model/health.ts";
import { healthWindow } from "../../model/health.ts";
import type { Prepare } from "./connection.ts";

type Row = Record<string, unknown>;

/** Adds samples at the end, and keeps the window that ends with the newest of each subject. */
export function insertSamples(prepare: Prepare, samples: readonly HealthSample[]): void {
  if (samples.length === 0) return;
  const bySubject = new Map<string, HealthSample[]>();
  for (const sample of samples) {
    const known = bySubject.get(sample.subject);
    if (known) known.push(sample);
    else bySubject.set(sample.subject, [sample]);
  }
  let sequence = selectNewest(prepare, "SELECT max(sequence) AS newest FROM samples");
  const insert = prepare(
    "INSERT INTO samples (subject, number, at, ok, latency_ms, sequence) VALUES (?, ?, ?, ?, ?, ?)",
  );
  for (const [subject, all] of bySubject) {
    let number = selectNewest(
      prepare,
      "SELECT max(number) AS newest FROM samples WHERE subject = ?",
      subject,
    );
    // Under load more come at once than the window holds.
    for (const { at, ok, latencyMs } of all.slice(-healthWindow)) {
      sequence += 1;
      number += 1;
      insert.run(subject, number, at, ok ? 1 : 0, latencyMs, sequence);
    }
    // One short range at the start of its key.
    if (number > healthWindow)
      prepare("DELETE FROM samples WHERE subject = ? AND number <= ?").run(subject, number - healthWindow);
  }
}

function selectNewest(prepare: Prepare, sql: string, ...of: string[]): number {
  return Number(prepare(sql).get(...of)?.newest ?? 0);
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
