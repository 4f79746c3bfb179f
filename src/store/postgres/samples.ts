import type { HealthSample, NewSamples } from "../../model/health.ts";
import type { Query, Row } from "./query.ts";

const columns = "SELECT subject, at, ok, latency_ms, sequence FROM samples";

export async function selectSamples(query: Query): Promise<HealthSample[]> {
  const { rows } = await query(`${columns} ORDER BY subject, sequence`);
  return rows.map(toSample);
}

/** What was added after `after`, and where to go on the next time. */
export async function selectNewSamples(query: Query, after: number): Promise<NewSamples> {
  const { rows } = await query(`${columns} WHERE sequence > $1 ORDER BY sequence`, [after]);
  return { samples: rows.map(toSample), newest: Number(rows.at(-1)?.sequence ?? after) };
}

function toSample({ subject, at, ok, latency_ms }: Row): HealthSample {
  return { subject: String(subject), at: String(at), ok: ok === true, latencyMs: Number(latency_ms) };
}
