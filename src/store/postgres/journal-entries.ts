import { type HealthSample, healthWindow } from "../../model/health.ts";
import type { JournalEntry } from "../../model/store.ts";
import { linkOf } from "../follow-chain.ts";
import { addToMinutes } from "./call-minutes.ts";
import type { Query } from "./query.ts";
import { insertRun } from "./runs.ts";

type CallEntry = Extract<JournalEntry, { kind: "call" }>;
type EventEntry = Extract<JournalEntry, { kind: "event" }>;

/**
 * Adds calls, events and samples, each kind with one statement, and runs. Whoever adds holds the same lock until all is committed,
 * so that the chain has one end, and nobody who reads on from a number misses one that is committed later.
 */
export async function insertEntries(query: Query, entries: readonly JournalEntry[]): Promise<void> {
  const calls = entries.filter((entry): entry is CallEntry => entry.kind === "call");
  const events = entries.filter((entry): entry is EventEntry => entry.kind === "event");
  const samples = entries.flatMap((entry) => (entry.kind === "sample" ? [entry.sample] : []));
  if (calls.length > 0) await insertCalls(query, calls);
  if (events.length > 0) await insertEvents(query, events);
  if (samples.length > 0) await insertSamples(query, samples);
  for (const entry of entries) if (entry.kind === "run") await insertRun(query, entry.run);
}

async function insertCalls(query: Query, entries: readonly CallEntry[]): Promise<void> {
  let link = await selectLastLink(query);
  const calls = entries.map(({ call }) => call);
  const records = entries.map(({ call, text }) => text ?? JSON.stringify(call));
  const hashes = records.map((record) => {
    link = linkOf(link, record);
    return link;
  });
  await query(
    `INSERT INTO calls (id, at, tool, status, server, user_name, run, record, hash)
     SELECT id, at, tool, status, server, user_name, run, record, hash
     FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[])
       WITH ORDINALITY AS given (id, at, tool, status, server, user_name, run, record, hash, place)
     ORDER BY place`,
    [
      calls.map(({ id }) => id),
      calls.map(({ at }) => at),
      calls.map(({ tool }) => tool),
      calls.map(({ status }) => status),
      calls.map(({ server }) => server),
      calls.map(({ principal }) => principal.user),
      calls.map(({ run }) => run ?? null),
      records,
      hashes,
    ],
  );
  await addToMinutes(query, calls);
}

/** Of the newest call; the empty text where the chain begins. */
async function selectLastLink(query: Query): Promise<string> {
  const { rows } = await query("SELECT hash FROM calls ORDER BY sequence DESC LIMIT 1");
  return String(rows[0]?.hash ?? "");
}

async function insertEvents(query: Query, events: readonly EventEntry[]): Promise<void> {
  await query(
    `INSERT INTO events (at, type, record)
     SELECT at, type, record
     FROM unnest($1::text[], $2::text[], $3::text[]) WITH ORDINALITY AS given (at, type, record, place)
     ORDER BY place`,
    [
      events.map(({ at }) => at),
      events.map(({ event }) => event.type),
      events.map(({ event }) => JSON.stringify(event)),
    ],
  );
}

async function insertSamples(query: Query, samples: readonly HealthSample[]): Promise<void> {
  await query(
    `INSERT INTO samples (subject, at, ok, latency_ms)
     SELECT subject, at, ok = 1, latency_ms
     FROM unnest($1::text[], $2::text[], $3::integer[], $4::double precision[])
       WITH ORDINALITY AS given (subject, at, ok, latency_ms, place)
     ORDER BY place`,
    [
      samples.map(({ subject }) => subject),
      samples.map(({ at }) => at),
      samples.map(({ ok }) => (ok ? 1 : 0)),
      samples.map(({ latencyMs }) => latencyMs),
    ],
  );
  const subjects = [...new Set(samples.map(({ subject }) => subject))];
  await query(
    `DELETE FROM samples USING unnest($1::text[]) AS touched (subject), LATERAL (
       SELECT sequence FROM samples AS one WHERE one.subject = touched.subject
       ORDER BY sequence DESC OFFSET $2 LIMIT 1
     ) AS edge
     WHERE samples.subject = touched.subject AND samples.sequence <= edge.sequence`,
    [subjects, healthWindow],
  );
}
