import { setImmediate as nextTurn } from "node:timers/promises";
import type { CallRecord } from "../../model/calls/call.ts";
import type { CountedSteps, SeriesSpan } from "../../model/calls/call-history.ts";
import type { CallColumns, JournalEntry, Store } from "../../model/store.ts";
import { followRows, hashAfter, type Progress, verifyChain } from "../call-chain.ts";
import { countMinutes, minutesOf, oldestMinute, toCountedSteps, userKey } from "../call-minutes.ts";
import {
  all,
  change,
  type Database,
  first,
  insert,
  newestFirst,
  parseRecord,
  query,
  same,
  textOrNull,
  type Work,
  where,
} from "./database.ts";

export type CallEntry = Extract<JournalEntry, { kind: "call" }>;

const verifiedAtOnce = 2_000;
/** Rows removed in one transaction, so that writers do not wait long. */
const removedAtOnce = 5_000;
const chainColumns = `sequence, id, at, tool, status, server, user_name AS "user", run, record, hash`;

/** Recorded calls, their audit hash chain and their counts per minute. */
export function createCallTable(database: Database) {
  const { read, write, isOneOf } = database;
  return {
    call: (id) => read(() => first(parseRecord<CallRecord>, "SELECT record FROM calls WHERE id = ?", [id])),
    async callOwners(ids) {
      const sql = `SELECT record FROM calls WHERE ${isOneOf("id")}`;
      const records = await read(() => all(parseRecord<CallRecord>, sql, [ids]));
      return new Map(records.map(({ id, principal }) => [id, principal] as const));
    },
    calls: (filter = {}) =>
      read(() =>
        newestFirst(
          parseRecord<CallRecord>,
          "calls",
          [
            ["tool = ?", filter.tool],
            ["status = ?", filter.status],
            ["run = ?", filter.run],
            [same("user_name"), filter.user],
          ],
          filter,
        ),
      ),
    callSeries: (span) => read(() => selectCallSeries(span)),
    verifyCalls: (head) => verifyChain(createChainReader(database), head),
    forgetCalls: (before) => write(() => deleteCallsBefore(before), { lock: "journal" }),
  } satisfies Partial<Store>;
}

export function* insertCalls(database: Database, entries: readonly CallEntry[]): Work<void> {
  if (entries.length === 0) return;
  let hash =
    (yield* first((row) => textOrNull(row.hash), "SELECT hash FROM calls ORDER BY sequence DESC LIMIT 1")) ?? "";
  const rows = entries.map(({ call, text }) => {
    const { id, at, tool, status, server, principal, run = null } = call;
    const record = text ?? JSON.stringify(call);
    hash = hashAfter(hash, record);
    return { id, at, tool, status, server, user_name: principal.user, run, record, hash };
  });
  yield* database.insertRows("calls", rows);
  yield* addToMinutes(
    database,
    entries.map(({ call }) => call),
  );
}

function* addToMinutes({ insertRows }: Database, calls: readonly CallColumns[]): Work<void> {
  const counts = countMinutes(calls).map(({ user, ...count }) => ({ ...count, user_name: user }));
  if (counts.length === 0) return;
  const add = "ON CONFLICT (minute, user_name, status, took) DO UPDATE SET calls = call_minutes.calls + excluded.calls";
  yield* insertRows("call_minutes", counts, add);
  const newest = Math.max(...counts.map(({ minute }) => minute));
  yield* query("DELETE FROM call_minutes WHERE minute < ?", [oldestMinute(newest)]);
}

function* selectCallSeries(span: SeriesSpan): Work<CountedSteps> {
  const { from, until, each } = minutesOf(span);
  const { sql, values } = where(
    ["minute >= ?", from],
    ["minute < ?", until],
    ["user_name = ?", span.user === undefined ? undefined : userKey(span.user)],
  );
  const { rows } = yield* query(
    `SELECT (minute - ${from}) / ${each} AS place, status, took, sum(calls) AS calls
     FROM call_minutes ${sql} GROUP BY 1, 2, 3`,
    values,
  );
  return toCountedSteps(rows);
}

function createChainReader({ read, asStored }: Database) {
  const newest = "SELECT hash FROM call_checkpoints ORDER BY sequence DESC LIMIT 1";
  const following = `SELECT ${chainColumns} FROM calls WHERE sequence > ? ORDER BY sequence LIMIT ?`;
  const holding = "SELECT 1 FROM calls WHERE hash = ? UNION SELECT 1 FROM call_checkpoints WHERE hash = ?";
  return {
    checkpoints: () =>
      read(() =>
        all(
          ({ at, removed }) => ({ at: String(at), removed: Number(removed) }),
          "SELECT at, removed FROM call_checkpoints ORDER BY sequence",
        ),
      ),
    async start(): Promise<Progress> {
      const hash = await read(() => first((row) => textOrNull(row.hash), newest));
      return { sequence: 0, hash, calls: 0, unchained: 0 };
    },
    async follow(from: Progress) {
      // SQLite answers within the turn; other work gets one in between.
      await nextTurn();
      const { rows } = await read(() => query(following, [from.sequence, verifiedAtOnce]));
      return followRows(rows, from, verifiedAtOnce, asStored);
    },
    has: async (hash: string) => (await read(() => query(holding, [hash, hash]))).rows.length > 0,
  };
}

/** Removes the oldest calls, never the newest; a checkpoint takes their place. */
function* deleteCallsBefore(before: string): Work<number> {
  const [last] = (yield* query(
    `WITH edge AS (
       SELECT coalesce(
         (SELECT sequence FROM calls WHERE at >= ? ORDER BY sequence LIMIT 1),
         (SELECT max(sequence) FROM calls)) AS sequence
     ), old AS (
       SELECT sequence, hash FROM calls WHERE sequence < (SELECT sequence FROM edge) ORDER BY sequence LIMIT ?
     )
     SELECT sequence, hash, (SELECT count(*) FROM old) AS removed FROM old ORDER BY sequence DESC LIMIT 1`,
    [before, removedAtOnce],
  )).rows;
  if (!last) return 0;
  const sequence = Number(last.sequence);
  const [hash, removed] = [textOrNull(last.hash), Number(last.removed)];
  yield* insert("call_checkpoints", { sequence, hash, at: new Date().toISOString(), removed });
  return yield* change("DELETE FROM calls WHERE sequence <= ?", [sequence]);
}
