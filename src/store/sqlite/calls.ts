import { setImmediate as nextTurn } from "node:timers/promises";
import type { CallRecord } from "../../model/calls/call.ts";
import type { CallChain, CountedSteps, SeriesSpan } from "../../model/calls/call-history.ts";
import type { CallColumns, CallFilter, Store } from "../../model/store.ts";
import { followRows, hashAfter, type Progress, verifyChain } from "../call-chain.ts";
import { countMinutes, minutesOf, oldestMinute, toCountedSteps, userKey } from "../call-minutes.ts";
import { parseRecord, removedAtOnce, textOrNull } from "../rows.ts";
import { type Connection, type Prepare, where } from "./connection.ts";

const verifiedAtOnce = 2_000;

/** Recorded calls, their audit hash chain and their counts per minute. */
export function createCallTable({ read, write }: Connection) {
  return {
    call: (id) =>
      read((prepare) => {
        const row = prepare("SELECT record FROM calls WHERE id = ?").get(id);
        return row ? parseRecord(row) : null;
      }),
    callUsers: (ids) =>
      read((prepare) => {
        const sql = "SELECT id, user FROM calls WHERE id IN (SELECT value FROM json_each(?))";
        const rows = prepare(sql).all(JSON.stringify(ids));
        return new Map(rows.map(({ id, user }) => [String(id), textOrNull(user)]));
      }),
    calls: (filter = {}) =>
      read((prepare) => {
        const { sql, values } = conditionsOf(filter);
        return prepare(`SELECT record FROM calls ${sql} ORDER BY sequence DESC LIMIT ?`)
          .all(...values, filter.limit ?? -1)
          .map(parseRecord<CallRecord>);
      }),
    callSeries: (span) => read((prepare) => selectCallSeries(prepare, span)),
    verifyCalls: (head) => verifyChain(createChainReader(read), head),
    forgetCalls: (before) => write((prepare) => deleteCallsBefore(prepare, before)),
  } satisfies Partial<Store>;
}

function conditionsOf({ tool, status, user, run, before }: CallFilter) {
  return where(
    ["tool = ?", tool],
    ["status = ?", status],
    ["user IS ?", user],
    ["run = ?", run],
    ["sequence < (SELECT sequence FROM calls WHERE id = ?)", before],
  );
}

/** Adds calls at the end of the chain; the last hash is read once, when it is first needed. */
export function createCallAppender(prepare: Prepare): (call: CallColumns, record: string) => void {
  let hash: string | undefined;
  const insert = prepare(
    "INSERT INTO calls (id, at, tool, status, server, user, run, record, hash) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
  );
  return (call, record) => {
    const { id, at, tool, status, server, principal, run = null } = call;
    hash = hashAfter(hash ?? selectLastHash(prepare), record);
    insert.run(id, at, tool, status, server, principal.user, run, record, hash);
  };
}

function selectLastHash(prepare: Prepare): string {
  const row = prepare("SELECT hash FROM calls ORDER BY sequence DESC LIMIT 1").get();
  return typeof row?.hash === "string" ? row.hash : "";
}

export function addToMinutes(prepare: Prepare, calls: readonly CallColumns[]): void {
  const counts = countMinutes(calls);
  if (counts.length === 0) return;
  const add = prepare(
    `INSERT INTO call_minutes (minute, user, status, took, calls) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET calls = calls + excluded.calls`,
  );
  for (const { minute, user, status, took, calls: count } of counts) add.run(minute, user, status, took, count);
  const newest = Math.max(...counts.map(({ minute }) => minute));
  prepare("DELETE FROM call_minutes WHERE minute < ?").run(oldestMinute(newest));
}

function selectCallSeries(prepare: Prepare, span: SeriesSpan): CountedSteps {
  const { from, until, each } = minutesOf(span);
  const { sql, values } = where(
    ["minute >= ?", from],
    ["minute < ?", until],
    ["user = ?", span.user === undefined ? undefined : userKey(span.user)],
  );
  const rows = prepare(
    `SELECT (minute - ${from}) / ${each} AS place, status, took, sum(calls) AS calls
     FROM call_minutes ${sql} GROUP BY 1, 2, 3`,
  ).all(...values);
  return toCountedSteps(rows);
}

function createChainReader(read: Connection["read"]) {
  return {
    checkpoints: () => read(selectCheckpoints),
    start: () =>
      read((prepare): Progress => {
        const row = prepare("SELECT hash FROM call_checkpoints ORDER BY sequence DESC LIMIT 1").get();
        return { sequence: 0, hash: textOrNull(row?.hash), calls: 0, unchained: 0 };
      }),
    async follow(from: Progress) {
      // SQLite answers within the turn; other work gets one in between.
      await nextTurn();
      return read((prepare) => {
        const sql = "SELECT * FROM calls WHERE sequence > ? ORDER BY sequence LIMIT ?";
        const rows = prepare(sql).all(from.sequence, verifiedAtOnce);
        // SQLite stores lone surrogates as replacement characters.
        return followRows(rows, from, verifiedAtOnce, (text) => text.toWellFormed());
      });
    },
    has: (hash: string) =>
      read((prepare) => {
        const sql = "SELECT 1 FROM calls WHERE hash = ? UNION SELECT 1 FROM call_checkpoints WHERE hash = ?";
        return prepare(sql).get(hash, hash) !== undefined;
      }),
  };
}

function selectCheckpoints(prepare: Prepare): CallChain["checkpoints"] {
  return prepare("SELECT at, removed FROM call_checkpoints ORDER BY sequence")
    .all()
    .map(({ at, removed }) => ({ at: String(at), removed: Number(removed) }));
}

/** Removes the oldest calls, never the newest; a checkpoint takes their place. */
function deleteCallsBefore(prepare: Prepare, before: string): number {
  const young = prepare("SELECT sequence FROM calls WHERE at >= ? ORDER BY sequence LIMIT 1").get(before);
  const newest = prepare("SELECT max(sequence) AS sequence FROM calls").get();
  const end = Number(young?.sequence ?? newest?.sequence ?? 0);
  const last = prepare(
    `SELECT sequence, hash, number FROM (
       SELECT sequence, hash, row_number() OVER (ORDER BY sequence) AS number
       FROM calls WHERE sequence < ? ORDER BY sequence LIMIT ?
     ) ORDER BY sequence DESC LIMIT 1`,
  ).get(end, removedAtOnce.calls);
  if (!last) return 0;
  const sequence = Number(last.sequence);
  const insert = prepare("INSERT INTO call_checkpoints (sequence, hash, at, removed) VALUES (?, ?, ?, ?)");
  insert.run(sequence, textOrNull(last.hash), new Date().toISOString(), Number(last.number));
  return Number(prepare("DELETE FROM calls WHERE sequence <= ?").run(sequence).changes);
}
