import type { AgentRun, RunSummary } from "../../model/agent/run-schema.ts";
import { eventsOf } from "../../model/calls/call-events.ts";
import type { CallRecord } from "../../model/calls/call-schema.ts";
import type { StoredResult } from "../../model/calls/result-schema.ts";
import type { KeptResult } from "../../model/calls/stored-result.ts";
import type { HealthSample } from "../../model/catalogue/health.ts";
import type { StoredEvent } from "../../model/events.ts";
import type { ChainHeads, JournalEntry, Store, StoredPayload } from "../../model/store.ts";
import { findLostChanges, insertAudit } from "./audit.ts";
import { findLostCalls, insertCalls, type NumberedCall } from "./calls.ts";
import {
  all,
  type Columns,
  change,
  type Database,
  first,
  insert,
  isSqlTrue,
  newestFirst,
  number,
  parseRecord,
  query,
  type Row,
  same,
  type Work,
} from "./database.ts";

/** An agent run holds a whole conversation, so that few are removed at once. */
const runsRemovedAtOnce = 100;
/** Others that write wait for a batch. Results and payloads are large. */
const removedAtOnce = 1_000;
const resultsRemovedAtOnce = 50;
const payloadsRemovedAtOnce = 100;
const oldestEvents = `SELECT id FROM events WHERE id < (SELECT max(id) FROM events) ORDER BY id LIMIT ${removedAtOnce}`;
const samples = "SELECT subject, at, ok, latency_ms, sequence FROM samples";

/** The journal: calls, events, health samples and agent runs, appended in one transaction. */
export function createJournalTables(database: Database) {
  const { read, write, recordOf, isOneOf } = database;
  return {
    // Under a lock: the chain has one end, and readers that continue from a number miss nothing committed later.
    append: (entries) =>
      write(() => insertEntries(database, entries), { lock: "journal", notify: { what: "journal" } }),
    findLoss: (chain, head) => read(() => (chain === "calls" ? findLostCalls(head) : findLostChanges(head))),
    events: (after = 0, limit) => read(() => selectEvents(recordOf("events"), after, limit)),
    lastEventId: () => read(lastEventId),
    forgetEvents: (before) =>
      write(() => change(`DELETE FROM events WHERE id IN (${oldestEvents}) AND at < ?`, [before])),
    samples: () => read(() => all(parseSample, `${samples} ORDER BY subject, sequence`)),
    async newSamples(after) {
      const { rows } = await read(() => query(`${samples} WHERE sequence > ? ORDER BY sequence, subject`, [after]));
      return { samples: rows.map(parseSample), newest: Number(rows.at(-1)?.sequence ?? after) };
    },
    run: (id) => read(() => first(parseRun, "SELECT record, trace FROM runs WHERE id = ?", [id])),
    runs: (filter = {}) =>
      read(() =>
        newestFirst(
          parseRecord<RunSummary>,
          "runs",
          [
            [same("user_name"), filter.user],
            ["outcome = ?", filter.outcome],
            ["model = ?", filter.model],
            ["toolset = ?", filter.toolset],
            ["conversation = ?", filter.conversation],
            ["at >= ?", filter.since],
          ],
          filter,
        ),
      ),
    forgetRuns: (before) =>
      write(() =>
        change("DELETE FROM runs WHERE sequence IN (SELECT sequence FROM runs WHERE at < ? LIMIT ?)", [
          before,
          runsRemovedAtOnce,
        ]),
      ),
    titleRuns: (ids, title) =>
      write(function* () {
        for (const id of ids) {
          const run = yield* first(parseRecord<RunSummary>, "SELECT record FROM runs WHERE id = ?", [id]);
          if (run === null) continue;
          const { title: _, ...untitled } = run;
          const record = JSON.stringify({ ...untitled, ...(title !== null && { title }) });
          yield* query("UPDATE runs SET record = ? WHERE id = ?", [record, id]);
        }
      }),
    removeRuns: (ids) =>
      write(function* () {
        yield* query(`DELETE FROM payloads WHERE id IN (SELECT id FROM calls WHERE ${isOneOf("run")})`, [ids]);
        yield* query(`DELETE FROM runs WHERE ${isOneOf("id")}`, [ids]);
      }),
  } satisfies Partial<Store>;
}

function lastEventId(): Work<number> {
  return number(
    "SELECT max(id) FROM (SELECT coalesce(max(id), 0) AS id FROM events UNION ALL SELECT coalesce(max(sequence), 0) FROM calls) AS ids",
  );
}

/** In one statement: with two, what is committed between them would be missed. */
function* selectEvents(record: string, after: number, limit: number | undefined): Work<StoredEvent[]> {
  const sql = `SELECT id, at, 0 AS events, ${record} AS record FROM events WHERE id > ?
    UNION ALL SELECT sequence, at, events, record FROM calls WHERE sequence > ? AND events > 0 ORDER BY 1`;
  const { rows } = yield* limit === undefined
    ? query(sql, [after, after])
    : query(`${sql} LIMIT ?`, [after, after, limit]);
  // The start of a call may have been read with the page before.
  return rows
    .flatMap(parseEvents)
    .filter(({ id }) => id > after)
    .slice(0, limit);
}

/** Calls and events share their numbers: those of a call are its sequence, and the one before where it stands for two. */
function* insertEntries(database: Database, entries: readonly JournalEntry[]): Work<ChainHeads> {
  const calls: NumberedCall[] = [];
  const events: Columns[] = [];
  const isNumbered = entries.some(({ kind }) => kind === "call" || kind === "event");
  let last = isNumbered ? yield* lastEventId() : 0;
  for (const entry of entries) {
    if (entry.kind === "call") {
      last += entry.events === 2 ? 2 : 1;
      calls.push({ entry, sequence: last });
    } else if (entry.kind === "event") {
      const { at, event, text = JSON.stringify(event) } = entry;
      events.push({ id: ++last, at, type: event.type, [database.recordOf("events")]: text });
    }
  }
  const audited = entries.flatMap((entry) => (entry.kind === "audit" ? [entry.record] : []));
  const heads = { ...(yield* insertCalls(database, calls)), ...(yield* insertAudit(database, audited)) };
  if (events.length > 0) yield* database.insertRows("events", events);
  const added = entries.flatMap((entry) => (entry.kind === "sample" ? [entry.sample] : []));
  if (added.length > 0) yield* database.insertSamples(added);
  for (const entry of entries) if (entry.kind === "run") yield* insertRun(entry.run);
  return heads;
}

/** Stored in two parts, so that a list does not read every conversation. */
function insertRun({ steps, messages, ...summary }: AgentRun): Work<boolean> {
  const { id, at, user, outcome, model, toolset, conversation } = summary;
  const record = JSON.stringify(summary);
  const trace = JSON.stringify({ steps, messages });
  return insert("runs", { id, at, user_name: user, outcome, model, toolset, conversation, record, trace });
}

function parseEvents(row: Row): StoredEvent[] {
  const id = Number(row.id);
  const count = Number(row.events);
  if (count === 0) return [{ id, at: String(row.at), event: parseRecord(row) }];
  const events = eventsOf(parseRecord<CallRecord>(row)).slice(-count);
  return events.map((event, place) => ({ id: id + 1 - events.length + place, ...event }));
}

function parseSample({ subject, at, ok, latency_ms }: Row): HealthSample {
  return { subject: String(subject), at: String(at), ok: isSqlTrue(ok), latencyMs: Number(latency_ms) };
}

function parseRun(row: Row): AgentRun {
  const trace = JSON.parse(String(row.trace)) as Pick<AgentRun, "steps" | "messages">;
  return { ...parseRecord<RunSummary>(row), ...trace };
}

/** Arguments and results of calls. */
export function createPayloadTable({ read, write }: Database) {
  const parse = ({ id, expires_at, body }: Row): StoredPayload => ({
    id: String(id),
    expiresAt: String(expires_at),
    body: String(body),
  });
  return {
    putPayloads: (rows) =>
      write(function* () {
        for (const { id, expiresAt, body } of rows)
          yield* insert("payloads", { id, expires_at: expiresAt, body }, "ON CONFLICT (id) DO NOTHING");
      }),
    payloads: (ids) =>
      read(function* () {
        const found: StoredPayload[] = [];
        for (const id of ids) {
          const row = yield* first(parse, "SELECT id, expires_at, body FROM payloads WHERE id = ?", [id]);
          if (row) found.push(row);
        }
        return found;
      }),
    forgetPayloads: (now) =>
      write(() => {
        const sql = "DELETE FROM payloads WHERE id IN (SELECT id FROM payloads WHERE expires_at <= ? LIMIT ?)";
        return change(sql, [now, payloadsRemovedAtOnce]);
      }),
  } satisfies Partial<Store>;
}

/** Large results, up to a total size. */
export function createResultTable({ read, write }: Database) {
  const lock = "results";
  return {
    putResult: (kept, maxBytes) => write(() => insertResult(kept, maxBytes), { lock }),
    result: (id) =>
      read(() => first(parseResult, "SELECT record, is_compressed, body FROM results WHERE id = ?", [id])),
    results: (filter = {}) =>
      read(() => newestFirst(parseRecord<StoredResult>, "results", [[same("user_name"), filter.user]], filter)),
    forgetResults: (now) => write(() => deleteExpiredResults(now), { lock }),
  } satisfies Partial<Store>;
}

/** False when it alone exceeds the total size. Expired results go first, then the oldest. */
function* insertResult({ body, isCompressed, ...record }: KeptResult, maxBytes: number): Work<boolean> {
  const { id, user, expiresAt, bytes } = record;
  if (bytes > maxBytes) return false;
  yield* deleteExpiredResults(record.at);
  // A repeated id becomes the newest.
  yield* query("DELETE FROM results WHERE id = ?", [id]);
  const columns = { id, user_name: user, expires_at: expiresAt, bytes, is_compressed: isCompressed };
  yield* insert("results", { ...columns, record: JSON.stringify(record), body });
  if ((yield* number("SELECT coalesce(sum(bytes), 0) FROM results")) > maxBytes)
    yield* query(
      `DELETE FROM results WHERE sequence IN (
         SELECT sequence FROM (
           SELECT sequence, sum(bytes) OVER (ORDER BY sequence DESC) AS total FROM results
         ) AS counted WHERE total > ?)`,
      [maxBytes],
    );
  return true;
}

function deleteExpiredResults(now: string): Work<number> {
  const sql = "DELETE FROM results WHERE sequence IN (SELECT sequence FROM results WHERE expires_at <= ? LIMIT ?)";
  return change(sql, [now, resultsRemovedAtOnce]);
}

function parseResult(row: Row): KeptResult {
  const isCompressed = isSqlTrue(row.is_compressed);
  return { ...parseRecord<StoredResult>(row), isCompressed, body: row.body as Uint8Array };
}
