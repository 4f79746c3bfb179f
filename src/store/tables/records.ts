import type { AgentRun, RunSummary } from "../../model/agent/run-schema.ts";
import { eventsOf } from "../../model/calls/call-events.ts";
import type { StoredResult } from "../../model/calls/result-schema.ts";
import type { KeptResult } from "../../model/calls/stored-result.ts";
import type { HealthSample } from "../../model/catalogue/health.ts";
import type { StoredEvent } from "../../model/events.ts";
import type { ChainHeads, JournalEntry, Store, StoredPayload } from "../../model/store.ts";
import { changesChain, insertAudit } from "./audit.ts";
import { parseCall } from "./call-search.ts";
import { callsChain, insertCalls, type NumberedCall } from "./calls.ts";
import { type Chained, findLoss } from "./chained.ts";
import {
  type Columns,
  change,
  type Database,
  equalOrNull,
  freeDropped,
  insert,
  isSqlTrue,
  newestFirst,
  parseRecord,
  query,
  type Row,
  selectFirst,
  selectNumber,
  selectRows,
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

/** The journal waits for the disk itself; a result or a removal that is lost is made again. */
const unsynced = { survives: "process" } as const;

/** Of a database with one writer at a time. */
export type AppendedDatabase = Database & {
  /** Keeps the window that ends with the newest sample of each subject. */
  insertSamples(samples: readonly HealthSample[]): Work<void>;
};

/** Calls, events, health samples and agent runs, in one transaction. */
export function createAppend(database: AppendedDatabase): Pick<Store, "append"> {
  return {
    append: (entries) => database.write(() => insertEntries(database, entries), unsynced),
  };
}

/** What the journal has stored. */
export function createJournalTables(database: Database) {
  const { read, write, recordOf, isOneOf } = database;
  return {
    findLoss: (chain, head) =>
      read(() =>
        findLoss(database, (chain === "calls" ? callsChain : changesChain) as Chained<never>, head),
      ),
    events: (after = 0, limit) =>
      read(function* () {
        // Before the rows: what is settled now is among them.
        const upTo = database.days ? yield* database.days.settled() : Number.MAX_SAFE_INTEGER;
        return yield* selectEvents(recordOf("events"), [after, upTo], limit);
      }),
    lastEventId: () => read(() => database.days?.settled() ?? lastEventId()),
    async forgetEvents(before) {
      const removed = await write(function* () {
        const dropped = database.days ? yield* database.days.drop("events", before) : 0;
        return (
          dropped ||
          (yield* change(`DELETE FROM events WHERE id IN (${oldestEvents}) AND at < ?`, [before]))
        );
      }, unsynced);
      if (removed === 0) await freeDropped(database);
      return removed;
    },
    samples: () => read(() => selectRows(parseSample, `${samples} ORDER BY subject, sequence`)),
    async newSamples(after) {
      const { rows } = await read(function* () {
        const upTo = database.days ? yield* database.days.settled() : Number.MAX_SAFE_INTEGER;
        return yield* query(
          `${samples} WHERE sequence > ? AND sequence <= ? ORDER BY sequence, subject`,
          [after, upTo],
        );
      });
      return { samples: rows.map(parseSample), newest: Number(rows.at(-1)?.sequence ?? after) };
    },
    run: (id) =>
      read(() => selectFirst(parseRun, "SELECT record, trace FROM runs WHERE id = ?", [id])),
    runs: (filter = {}) =>
      read(() =>
        newestFirst(
          parseRecord<RunSummary>,
          "runs",
          [
            [equalOrNull("user_name"), filter.user],
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
      write(
        () =>
          change(
            "DELETE FROM runs WHERE sequence IN (SELECT sequence FROM runs WHERE at < ? LIMIT ?)",
            [before, runsRemovedAtOnce],
          ),
        unsynced,
      ),
    titleRuns: (ids, title) =>
      write(function* () {
        for (const id of ids) {
          const run = yield* selectFirst(
            parseRecord<RunSummary>,
            "SELECT record FROM runs WHERE id = ?",
            [id],
          );
          if (run === null) continue;
          const { title: _, ...untitled } = run;
          const record = JSON.stringify({ ...untitled, ...(title !== null && { title }) });
          yield* query("UPDATE runs SET record = ? WHERE id = ?", [record, id]);
        }
      }, unsynced),
    removeRuns: (ids) =>
      write(function* () {
        yield* query(
          `DELETE FROM payloads WHERE id IN (SELECT id FROM calls WHERE ${isOneOf("run")})`,
          [ids],
        );
        yield* query(`DELETE FROM runs WHERE ${isOneOf("id")}`, [ids]);
      }),
  } satisfies Partial<Store>;
}

function lastEventId(): Work<number> {
  return selectNumber(
    "SELECT max(id) FROM (SELECT coalesce(max(id), 0) AS id FROM events UNION ALL SELECT coalesce(max(sequence), 0) FROM calls) AS ids",
  );
}

/** In one statement: with two, what is committed between them would be missed. */
function* selectEvents(
  record: string,
  [after, upTo]: [number, number],
  limit: number | undefined,
): Work<StoredEvent[]> {
  const sql = `SELECT id, at, 0 AS events, ${record} AS record FROM events WHERE id > ? AND id <= ?
    UNION ALL SELECT sequence, at, events, record FROM calls WHERE sequence > ? AND sequence <= ? AND events > 0 ORDER BY 1`;
  const range = [after, upTo, after, upTo];
  const { rows } = yield* limit === undefined
    ? query(sql, range)
    : query(`${sql} LIMIT ?`, [...range, limit]);
  // The start of a call may have been read with the page before.
  return rows
    .flatMap(parseEvents)
    .filter(({ id }) => id > after)
    .slice(0, limit);
}

/** Calls and events share their numbers: those of a call are its sequence, and the one before where it stands for two. */
function* insertEntries(
  database: AppendedDatabase,
  entries: readonly JournalEntry[],
): Work<ChainHeads> {
  const calls: NumberedCall[] = [];
  const events: Columns[] = [];
  const isNumbered = entries.some(({ kind }) => kind === "call" || kind === "event");
  let lastId = isNumbered ? yield* lastEventId() : 0;
  for (const entry of entries) {
    if (entry.kind === "call") {
      lastId += entry.events === 2 ? 2 : 1;
      calls.push({ entry, sequence: lastId });
    } else if (entry.kind === "event") {
      const { at, event, text = JSON.stringify(event) } = entry;
      events.push({ id: ++lastId, at, type: event.type, [database.recordOf("events")]: text });
    }
  }
  const auditRecords = entries.flatMap((entry) => (entry.kind === "audit" ? [entry.record] : []));
  const heads = {
    ...(yield* insertCalls(database, calls)),
    ...(yield* insertAudit(database, auditRecords)),
  };
  if (events.length > 0) yield* database.insertRows("events", events);
  const samples = entries.flatMap((entry) => (entry.kind === "sample" ? [entry.sample] : []));
  if (samples.length > 0) yield* database.insertSamples(samples);
  for (const entry of entries) if (entry.kind === "run") yield* insert("runs", runRow(entry.run));
  return heads;
}

/** In two parts, so that a list does not read every conversation. */
export function runRow({ steps, messages, ...summary }: AgentRun): Columns {
  const { id, at, user, outcome, model, toolset, conversation } = summary;
  const record = JSON.stringify(summary);
  const trace = JSON.stringify({ steps, messages });
  return { id, at, user_name: user, outcome, model, toolset, conversation, record, trace };
}

function parseEvents(row: Row): StoredEvent[] {
  const id = Number(row.id);
  const count = Number(row.events);
  if (count === 0) return [{ id, at: String(row.at), event: parseRecord(row) }];
  const events = eventsOf(parseCall(row)).slice(-count);
  return events.map((event, index) => ({ id: id + 1 - events.length + index, ...event }));
}

function parseSample({ subject, at, ok, latency_ms }: Row): HealthSample {
  return {
    subject: String(subject),
    at: String(at),
    ok: isSqlTrue(ok),
    latencyMs: Number(latency_ms),
  };
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
          yield* insert(
            "payloads",
            { id, expires_at: expiresAt, body },
            // A call that waited for a person is kept again with its result.
            "ON CONFLICT (id) DO UPDATE SET expires_at = excluded.expires_at, body = excluded.body",
          );
      }, unsynced),
    payloads: (ids) =>
      read(function* () {
        const payloads: StoredPayload[] = [];
        for (const id of ids) {
          const row = yield* selectFirst(
            parse,
            "SELECT id, expires_at, body FROM payloads WHERE id = ?",
            [id],
          );
          if (row) payloads.push(row);
        }
        return payloads;
      }),
    forgetPayloads: (now) =>
      write(() => {
        const sql =
          "DELETE FROM payloads WHERE id IN (SELECT id FROM payloads WHERE expires_at <= ? LIMIT ?)";
        return change(sql, [now, payloadsRemovedAtOnce]);
      }, unsynced),
  } satisfies Partial<Store>;
}

/** Large results, up to a total size. Calls wait for them, so planes take no lock that another one waits for. */
export function createResultTable(database: Database) {
  const { read, write } = database;
  return {
    putResult: (result, maxBytes) =>
      write(() => insertResult(database, result, maxBytes), unsynced),
    result: (id) =>
      read(() =>
        selectFirst(parseResult, "SELECT record, is_compressed, body FROM results WHERE id = ?", [
          id,
        ]),
      ),
    results: (filter = {}) =>
      read(() =>
        newestFirst(
          parseRecord<StoredResult>,
          "results",
          [[equalOrNull("user_name"), filter.user]],
          filter,
        ),
      ),
    forgetResults: (now) => write(() => deleteExpiredResults(database, now), unsynced),
  } satisfies Partial<Store>;
}

/** False when it alone exceeds the total size. Expired results go first, then the oldest. */
function* insertResult(database: Database, result: KeptResult, maxBytes: number): Work<boolean> {
  const { body, isCompressed, ...record } = result;
  const { id, user, expiresAt, bytes } = record;
  if (bytes > maxBytes) return false;
  yield* deleteExpiredResults(database, record.at);
  // A repeated id becomes the newest.
  yield* query("DELETE FROM results WHERE id = ?", [id]);
  const columns = {
    id,
    user_name: user,
    expires_at: expiresAt,
    bytes,
    is_compressed: isCompressed,
  };
  // Another plane may have stored the same meanwhile.
  const row = { ...columns, record: JSON.stringify(record), body };
  const assignments = Object.keys(row).map((name) => `${name} = excluded.${name}`);
  yield* insert("results", row, `ON CONFLICT (id) DO UPDATE SET ${assignments.join(", ")}`);
  if ((yield* selectNumber("SELECT coalesce(sum(bytes), 0) FROM results")) > maxBytes) {
    const totals =
      "SELECT sequence, sum(bytes) OVER (ORDER BY sequence DESC) AS total FROM results";
    const last = `SELECT max(sequence) FROM (${totals}) AS counted WHERE total > ?`;
    const oldest = `SELECT sequence FROM results WHERE sequence <= (${last}) ${database.unlocked}`;
    yield* query(`DELETE FROM results WHERE sequence IN (${oldest})`, [maxBytes]);
  }
  return true;
}

function deleteExpiredResults({ unlocked }: Database, now: string): Work<number> {
  const expired = `SELECT sequence FROM results WHERE expires_at <= ? LIMIT ? ${unlocked}`;
  return change(`DELETE FROM results WHERE sequence IN (${expired})`, [now, resultsRemovedAtOnce]);
}

function parseResult(row: Row): KeptResult {
  const isCompressed = isSqlTrue(row.is_compressed);
  return { ...parseRecord<StoredResult>(row), isCompressed, body: row.body as Uint8Array };
}
