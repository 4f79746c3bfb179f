import type { AgentRun, RunFilter, RunSummary } from "../../model/agent/agent-run.ts";
import type { KeptResult, ResultFilter, StoredResult } from "../../model/calls/stored-result.ts";
import { type HealthSample, healthWindow } from "../../model/catalogue/health.ts";

import type { CallColumns, JournalEntry, Store } from "../../model/store.ts";
import {
  parseEvent,
  parseNewSamples,
  parseRecord,
  parseResult,
  parseRun,
  parseSample,
  removedAtOnce,
} from "../rows.ts";
import { addToMinutes, createCallAppender } from "./calls.ts";
import { type Connection, type Prepare, where } from "./connection.ts";

/** The journal: calls, events, health samples and agent runs, appended in one transaction. */
export function createJournalTables({ read, write }: Connection) {
  return {
    append: (entries) => write((prepare) => insertEntries(prepare, entries)),
    events: (after = 0, limit = -1) =>
      read((prepare) =>
        prepare("SELECT id, at, event AS record FROM events WHERE id > ? ORDER BY id LIMIT ?")
          .all(after, limit)
          .map(parseEvent),
      ),
    lastEventId: () =>
      read((prepare) => Number(prepare("SELECT coalesce(max(id), 0) AS last FROM events").get()?.last)),
    samples: () =>
      read((prepare) =>
        prepare("SELECT subject, at, ok, latency_ms FROM samples ORDER BY subject, number").all().map(parseSample),
      ),
    newSamples: (after) =>
      read((prepare) => {
        const sql = "SELECT * FROM samples WHERE sequence > ? ORDER BY sequence, subject";
        return parseNewSamples(prepare(sql).all(after), after);
      }),
    run: (id) =>
      read((prepare) => {
        const row = prepare("SELECT record, trace FROM runs WHERE id = ?").get(id);
        return row ? parseRun(row) : null;
      }),
    runs: (filter = {}) =>
      read((prepare) => {
        const { sql, values } = runConditions(filter);
        return prepare(`SELECT record FROM runs ${sql} ORDER BY sequence DESC LIMIT ?`)
          .all(...values, filter.limit ?? -1)
          .map(parseRecord<RunSummary>);
      }),
    forgetRuns: (before) =>
      write((prepare) => {
        const sql = "DELETE FROM runs WHERE sequence IN (SELECT sequence FROM runs WHERE at < ? LIMIT ?)";
        return Number(prepare(sql).run(before, removedAtOnce.runs).changes);
      }),
  } satisfies Partial<Store>;
}

function insertEntries(prepare: Prepare, entries: readonly JournalEntry[]): void {
  const samples: HealthSample[] = [];
  const calls: CallColumns[] = [];
  const addCall = createCallAppender(prepare);
  const addEvent = prepare("INSERT INTO events (at, type, event) VALUES (?, ?, ?)");
  for (const entry of entries) {
    if (entry.kind === "call") {
      addCall(entry.call, entry.text ?? JSON.stringify(entry.call));
      calls.push(entry.call);
    } else if (entry.kind === "event") addEvent.run(entry.at, entry.event.type, JSON.stringify(entry.event));
    else if (entry.kind === "run") insertRun(prepare, entry.run);
    else samples.push(entry.sample);
  }
  addToMinutes(prepare, calls);
  insertSamples(prepare, samples);
}

/** Adds samples at the end, and keeps the window that ends with the newest of each subject. */
function insertSamples(prepare: Prepare, samples: readonly HealthSample[]): void {
  if (samples.length === 0) return;
  let sequence = selectNewest(prepare, "SELECT max(sequence) AS newest FROM samples");
  const insert = prepare(
    "INSERT INTO samples (subject, number, at, ok, latency_ms, sequence) VALUES (?, ?, ?, ?, ?, ?)",
  );
  for (const [subject, all] of Map.groupBy(samples, (sample) => sample.subject)) {
    const newestOf = "SELECT max(number) AS newest FROM samples WHERE subject = ?";
    let number = selectNewest(prepare, newestOf, subject);
    // Under load one batch has more than the window holds.
    for (const { at, ok, latencyMs } of all.slice(-healthWindow)) {
      sequence += 1;
      number += 1;
      insert.run(subject, number, at, ok ? 1 : 0, latencyMs, sequence);
    }
    if (number > healthWindow)
      prepare("DELETE FROM samples WHERE subject = ? AND number <= ?").run(subject, number - healthWindow);
  }
}

function selectNewest(prepare: Prepare, sql: string, ...of: string[]): number {
  return Number(prepare(sql).get(...of)?.newest ?? 0);
}

/** Stored in two parts, so that a list does not read every conversation. */
function insertRun(prepare: Prepare, { steps, messages, ...summary }: AgentRun): void {
  const { id, at, user, outcome, model, toolset, conversation } = summary;
  const trace = JSON.stringify({ steps, messages });
  prepare(
    "INSERT INTO runs (id, at, user, outcome, model, toolset, conversation, record, trace) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
  ).run(id, at, user, outcome, model, toolset, conversation, JSON.stringify(summary), trace);
}

function runConditions({ user, outcome, model, toolset, conversation, since, before }: RunFilter) {
  return where(
    ["user IS ?", user],
    ["outcome = ?", outcome],
    ["model = ?", model],
    ["toolset = ?", toolset],
    ["conversation = ?", conversation],
    ["at >= ?", since],
    ["sequence < (SELECT sequence FROM runs WHERE id = ?)", before],
  );
}

/** Large results, up to a total size. */
export function createResultTable({ read, write }: Connection) {
  return {
    putResult: (kept, maxBytes) => write((prepare) => insertResult(prepare, kept, maxBytes)),
    result: (id) =>
      read((prepare) => {
        const row = prepare("SELECT record, is_compressed, body FROM results WHERE id = ?").get(id);
        return row ? parseResult(row) : null;
      }),
    results: ({ user, before, limit = -1 }: ResultFilter = {}) =>
      read((prepare) => {
        const { sql, values } = where(
          ["user IS ?", user],
          ["sequence < (SELECT sequence FROM results WHERE id = ?)", before],
        );
        return prepare(`SELECT record FROM results ${sql} ORDER BY sequence DESC LIMIT ?`)
          .all(...values, limit)
          .map(parseRecord<StoredResult>);
      }),
    forgetResults: (now) => write((prepare) => deleteExpiredResults(prepare, now)),
  } satisfies Partial<Store>;
}

/** False when it alone exceeds the total size. Expired results go first, then the oldest. */
function insertResult(prepare: Prepare, { body, isCompressed, ...record }: KeptResult, maxBytes: number): boolean {
  const { id, user, expiresAt, bytes } = record;
  if (bytes > maxBytes) return false;
  deleteExpiredResults(prepare, record.at);
  // A repeated id becomes the newest.
  prepare("DELETE FROM results WHERE id = ?").run(id);
  prepare(
    "INSERT INTO results (id, user, expires_at, bytes, is_compressed, record, body) VALUES (?, ?, ?, ?, ?, ?, ?)",
  ).run(id, user, expiresAt, bytes, isCompressed ? 1 : 0, JSON.stringify(record), body);
  makeRoom(prepare, maxBytes);
  return true;
}

function makeRoom(prepare: Prepare, maxBytes: number): void {
  let total = Number(prepare("SELECT coalesce(sum(bytes), 0) AS total FROM results").get()?.total);
  while (total > maxBytes) {
    const oldest = prepare("SELECT sequence, bytes FROM results ORDER BY sequence LIMIT 1").get();
    if (!oldest) return;
    prepare("DELETE FROM results WHERE sequence = ?").run(Number(oldest.sequence));
    total -= Number(oldest.bytes);
  }
}

function deleteExpiredResults(prepare: Prepare, now: string): number {
  return Number(prepare("DELETE FROM results WHERE expires_at <= ?").run(now).changes);
}
