import type { AgentRun, RunFilter, RunSummary } from "../../model/agent/agent-run.ts";
import type { KeptResult, ResultFilter, StoredResult } from "../../model/calls/stored-result.ts";
import { type HealthSample, healthWindow } from "../../model/catalogue/health.ts";

import type { JournalEntry, Store } from "../../model/store.ts";
import {
  parseEvent,
  parseNewSamples,
  parseRecord,
  parseResult,
  parseRun,
  parseSample,
  removedAtOnce,
} from "../rows.ts";
import { type CallEntry, insertCalls } from "./calls.ts";
import type { Connection } from "./connection.ts";
import { type Query, same, where } from "./query.ts";
import { isLost } from "./store-failure.ts";

type EventEntry = Extract<JournalEntry, { kind: "event" }>;

const samples = "SELECT subject, at, ok, latency_ms, sequence FROM samples";

/** The journal: calls, events, health samples and agent runs, appended in one transaction. */
export function createJournalTables({ read, write }: Connection, call: Store["call"]) {
  const append: Store["append"] = (entries) =>
    write((query) => insertEntries(query, entries), { lock: "journal", notify: { what: "journal" } });
  return {
    append: createIdempotentAppend({ append, call }),
    events: (after = 0, limit) =>
      read(async (query) => {
        const sql = "SELECT id, at, record FROM events WHERE id > $1 ORDER BY id LIMIT $2";
        return (await query(sql, [after, limit ?? null])).rows.map(parseEvent);
      }),
    lastEventId: () =>
      read(async (query) => {
        const { rows } = await query("SELECT coalesce(max(id), 0) AS last FROM events");
        return Number(rows[0]?.last);
      }),
    samples: () => read(async (query) => (await query(`${samples} ORDER BY subject, sequence`)).rows.map(parseSample)),
    newSamples: (after) =>
      read(async (query) => {
        const { rows } = await query(`${samples} WHERE sequence > $1 ORDER BY sequence`, [after]);
        return parseNewSamples(rows, after);
      }),
    run: (id) =>
      read(async (query) => {
        const { rows } = await query("SELECT record, trace FROM runs WHERE id = $1", [id]);
        return rows[0] ? parseRun(rows[0]) : null;
      }),
    runs: (filter = {}) => read((query) => selectRuns(query, filter)),
    forgetRuns: (before) =>
      write(async (query) => {
        const sql = "DELETE FROM runs WHERE sequence IN (SELECT sequence FROM runs WHERE at < $1 LIMIT $2)";
        return (await query(sql, [before, removedAtOnce.runs])).count;
      }),
  } satisfies Partial<Store>;
}

/**
 * A connection that breaks during an append leaves open whether it was stored. A retry leaves out the calls that are
 * stored already.
 */
export function createIdempotentAppend({ append, call }: Pick<Store, "append" | "call">): Store["append"] {
  const unsure = new Set<string>();
  return async (entries) => {
    const missing = unsure.size === 0 ? entries : await withoutStored(entries, unsure, call);
    try {
      if (missing.length > 0) await append(missing);
    } catch (thrown) {
      if (isLost(thrown)) for (const id of idsOf(missing)) unsure.add(id);
      throw thrown;
    }
    for (const id of idsOf(entries)) unsure.delete(id);
  };
}

function idsOf(entries: readonly JournalEntry[]): string[] {
  return entries.flatMap((entry) => (entry.kind === "call" ? [entry.call.id] : []));
}

/** Samples follow their call, and were stored with it or not at all. */
async function withoutStored(
  entries: readonly JournalEntry[],
  unsure: ReadonlySet<string>,
  call: Store["call"],
): Promise<JournalEntry[]> {
  const missing: JournalEntry[] = [];
  let isStored = false;
  for (const entry of entries) {
    if (entry.kind === "call") isStored = unsure.has(entry.call.id) && (await call(entry.call.id)) !== null;
    if (entry.kind === "event" || !isStored) missing.push(entry);
  }
  return missing;
}

/**
 * One statement per kind. Writers hold the journal lock until the commit: the chain has one end, and readers that
 * continue from a number miss nothing that is committed later.
 */
async function insertEntries(query: Query, entries: readonly JournalEntry[]): Promise<void> {
  const calls = entries.filter((entry): entry is CallEntry => entry.kind === "call");
  const events = entries.filter((entry): entry is EventEntry => entry.kind === "event");
  const added = entries.flatMap((entry) => (entry.kind === "sample" ? [entry.sample] : []));
  if (calls.length > 0) await insertCalls(query, calls);
  if (events.length > 0) await insertEvents(query, events);
  if (added.length > 0) await insertSamples(query, added);
  for (const entry of entries) if (entry.kind === "run") await insertRun(query, entry.run);
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

async function insertSamples(query: Query, added: readonly HealthSample[]): Promise<void> {
  await query(
    `INSERT INTO samples (subject, at, ok, latency_ms)
     SELECT subject, at, ok = 1, latency_ms
     FROM unnest($1::text[], $2::text[], $3::integer[], $4::double precision[])
       WITH ORDINALITY AS given (subject, at, ok, latency_ms, place)
     ORDER BY place`,
    [
      added.map(({ subject }) => subject),
      added.map(({ at }) => at),
      added.map(({ ok }) => (ok ? 1 : 0)),
      added.map(({ latencyMs }) => latencyMs),
    ],
  );
  const subjects = [...new Set(added.map(({ subject }) => subject))];
  await query(
    `DELETE FROM samples USING unnest($1::text[]) AS touched (subject), LATERAL (
       SELECT sequence FROM samples AS one WHERE one.subject = touched.subject
       ORDER BY sequence DESC OFFSET $2 LIMIT 1
     ) AS edge
     WHERE samples.subject = touched.subject AND samples.sequence <= edge.sequence`,
    [subjects, healthWindow],
  );
}

/** Stored in two parts, so that a list does not read every conversation. */
async function insertRun(query: Query, { steps, messages, ...summary }: AgentRun): Promise<void> {
  const { id, at, user, outcome, model, toolset, conversation } = summary;
  const trace = JSON.stringify({ steps, messages });
  await query(
    `INSERT INTO runs (id, at, user_name, outcome, model, toolset, conversation, record, trace)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
    [id, at, user, outcome, model, toolset, conversation, JSON.stringify(summary), trace],
  );
}

async function selectRuns(query: Query, filter: RunFilter): Promise<RunSummary[]> {
  const { sql, values } = where(
    [same("user_name"), filter.user],
    ["outcome = ?", filter.outcome],
    ["model = ?", filter.model],
    ["toolset = ?", filter.toolset],
    ["conversation = ?", filter.conversation],
    ["at >= ?", filter.since],
    ["sequence < (SELECT sequence FROM runs WHERE id = ?)", filter.before],
  );
  const { rows } = await query(`SELECT record FROM runs ${sql} ORDER BY sequence DESC LIMIT $${values.length + 1}`, [
    ...values,
    filter.limit ?? null,
  ]);
  return rows.map(parseRecord<RunSummary>);
}

/** Large results, up to a total size. */
export function createResultTable({ read, write }: Connection) {
  return {
    putResult: (kept, maxBytes) => write((query) => insertResult(query, kept, maxBytes), { lock: "results" }),
    result: (id) =>
      read(async (query) => {
        const sql = "SELECT record, is_compressed, body FROM results WHERE id = $1";
        const { rows } = await query(sql, [id]);
        return rows[0] ? parseResult(rows[0]) : null;
      }),
    results: ({ user, before, limit }: ResultFilter = {}) =>
      read(async (query) => {
        const { sql, values } = where(
          [same("user_name"), user],
          ["sequence < (SELECT sequence FROM results WHERE id = ?)", before],
        );
        const { rows } = await query(
          `SELECT record FROM results ${sql} ORDER BY sequence DESC LIMIT $${values.length + 1}`,
          [...values, limit ?? null],
        );
        return rows.map(parseRecord<StoredResult>);
      }),
    forgetResults: (now) => write((query) => deleteExpiredResults(query, now), { lock: "results" }),
  } satisfies Partial<Store>;
}

/** False when it alone exceeds the total size. Expired results go first, then the oldest. */
async function insertResult(
  query: Query,
  { body, isCompressed, ...record }: KeptResult,
  maxBytes: number,
): Promise<boolean> {
  const { id, user, expiresAt, bytes } = record;
  if (bytes > maxBytes) return false;
  await deleteExpiredResults(query, record.at);
  // A repeated id becomes the newest.
  await query("DELETE FROM results WHERE id = $1", [id]);
  await query(
    `INSERT INTO results (id, user_name, expires_at, bytes, is_compressed, record, body)
     VALUES ($1, $2, $3, $4, $5, $6, $7)`,
    [id, user, expiresAt, bytes, isCompressed, JSON.stringify(record), body],
  );
  await query(
    `DELETE FROM results WHERE sequence IN (
       SELECT sequence FROM (
         SELECT sequence, sum(bytes) OVER (ORDER BY sequence DESC) AS total FROM results
       ) AS counted WHERE total > $1)`,
    [maxBytes],
  );
  return true;
}

async function deleteExpiredResults(query: Query, now: string): Promise<number> {
  return (await query("DELETE FROM results WHERE expires_at <= $1", [now])).count;
}
