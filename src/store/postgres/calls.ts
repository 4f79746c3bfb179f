import type { CallRecord } from "../../model/calls/call.ts";
import type { CallChain, CountedSteps, SeriesSpan } from "../../model/calls/call-history.ts";
import type { CallColumns, JournalEntry, Store } from "../../model/store.ts";
import { followRows, hashAfter, type Progress, verifyChain } from "../call-chain.ts";
import { countMinutes, minutesOf, oldestMinute, toCountedSteps, userKey } from "../call-minutes.ts";
import { parseRecord, removedAtOnce, textOrNull } from "../rows.ts";
import type { Connection } from "./connection.ts";
import { asText, type Query, same, where } from "./query.ts";

export type CallEntry = Extract<JournalEntry, { kind: "call" }>;

const verifiedAtOnce = 2_000;
const chainColumns = `sequence, id, at, tool, status, server, user_name AS "user", run, record, hash`;

/** Recorded calls, their audit hash chain and their counts per minute. */
export function createCallTable({ read, write }: Connection) {
  return {
    call: (id) =>
      read(async (query) => {
        const { rows } = await query("SELECT record FROM calls WHERE id = $1", [id]);
        return rows[0] ? parseRecord<CallRecord>(rows[0]) : null;
      }),
    callUsers: (ids) =>
      read(async (query) => {
        const { rows } = await query("SELECT id, user_name FROM calls WHERE id = ANY($1)", [ids]);
        return new Map(rows.map((row) => [String(row.id), textOrNull(row.user_name)]));
      }),
    calls: (filter = {}) =>
      read(async (query) => {
        const { sql, values } = where(
          ["tool = ?", filter.tool],
          ["status = ?", filter.status],
          ["run = ?", filter.run],
          [same("user_name"), filter.user],
          ["sequence < (SELECT sequence FROM calls WHERE id = ?)", filter.before],
        );
        const { rows } = await query(
          `SELECT record FROM calls ${sql} ORDER BY sequence DESC LIMIT $${values.length + 1}`,
          [...values, filter.limit ?? null],
        );
        return rows.map(parseRecord<CallRecord>);
      }),
    callSeries: (span) => read((query) => selectCallSeries(query, span)),
    verifyCalls: (head) => verifyChain(createChainReader(read), head),
    forgetCalls: (before) => write((query) => deleteCallsBefore(query, before), { lock: "journal" }),
  } satisfies Partial<Store>;
}

export async function insertCalls(query: Query, entries: readonly CallEntry[]): Promise<void> {
  const last = await query("SELECT hash FROM calls ORDER BY sequence DESC LIMIT 1");
  let hash = String(last.rows[0]?.hash ?? "");
  const calls = entries.map(({ call }) => call);
  const records = entries.map(({ call, text }) => text ?? JSON.stringify(call));
  const hashes = records.map((record) => {
    hash = hashAfter(hash, record);
    return hash;
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

/** One statement for both, to save a round trip. */
async function addToMinutes(query: Query, calls: readonly CallColumns[]): Promise<void> {
  const counts = countMinutes(calls);
  if (counts.length === 0) return;
  await query(
    `WITH forgotten AS (DELETE FROM call_minutes WHERE minute < $6)
     INSERT INTO call_minutes (minute, user_name, status, took, calls)
     SELECT * FROM unnest($1::bigint[], $2::text[], $3::text[], $4::integer[], $5::bigint[])
     ON CONFLICT (minute, user_name, status, took) DO UPDATE SET calls = call_minutes.calls + excluded.calls`,
    [
      counts.map(({ minute }) => minute),
      counts.map(({ user }) => user),
      counts.map(({ status }) => status),
      counts.map(({ took }) => took),
      counts.map((count) => count.calls),
      oldestMinute(Math.max(...counts.map(({ minute }) => minute))),
    ],
  );
}

async function selectCallSeries(query: Query, span: SeriesSpan): Promise<CountedSteps> {
  const { from, until, each } = minutesOf(span);
  const { sql, values } = where(
    ["minute >= ?", from],
    ["minute < ?", until],
    ["user_name = ?", span.user === undefined ? undefined : userKey(span.user)],
  );
  const { rows } = await query(
    `SELECT (minute - ${from}) / ${each} AS place, status, took, sum(calls) AS calls
     FROM call_minutes ${sql} GROUP BY 1, 2, 3`,
    values,
  );
  return toCountedSteps(rows);
}

function createChainReader(read: Connection["read"]) {
  return {
    checkpoints: () => read(selectCheckpoints),
    start: () =>
      read(async (query): Promise<Progress> => {
        const { rows } = await query("SELECT hash FROM call_checkpoints ORDER BY sequence DESC LIMIT 1");
        return { sequence: 0, hash: textOrNull(rows[0]?.hash), calls: 0, unchained: 0 };
      }),
    follow: (from: Progress) =>
      read(async (query) => {
        const sql = `SELECT ${chainColumns} FROM calls WHERE sequence > $1 ORDER BY sequence LIMIT $2`;
        const { rows } = await query(sql, [from.sequence, verifiedAtOnce]);
        return followRows(rows, from, verifiedAtOnce, asText);
      }),
    has: (hash: string) =>
      read(async (query) => {
        const sql = "SELECT 1 FROM calls WHERE hash = $1 UNION SELECT 1 FROM call_checkpoints WHERE hash = $1";
        return (await query(sql, [hash])).count > 0;
      }),
  };
}

async function selectCheckpoints(query: Query): Promise<CallChain["checkpoints"]> {
  const { rows } = await query("SELECT at, removed FROM call_checkpoints ORDER BY sequence");
  return rows.map(({ at, removed }) => ({ at: String(at), removed: Number(removed) }));
}

/** Removes the oldest calls, never the newest; a checkpoint takes their place. */
async function deleteCallsBefore(query: Query, before: string): Promise<number> {
  const { rows } = await query(
    `WITH edge AS (
       SELECT coalesce(
         (SELECT sequence FROM calls WHERE at >= $1 ORDER BY sequence LIMIT 1),
         (SELECT max(sequence) FROM calls)) AS sequence
     ), old AS (
       SELECT sequence, hash FROM calls WHERE sequence < (SELECT sequence FROM edge) ORDER BY sequence LIMIT $2
     )
     SELECT sequence, hash, (SELECT count(*) FROM old) AS removed FROM old ORDER BY sequence DESC LIMIT 1`,
    [before, removedAtOnce.calls],
  );
  const last = rows[0];
  if (!last) return 0;
  const sequence = Number(last.sequence);
  await query("INSERT INTO call_checkpoints (sequence, hash, at, removed) VALUES ($1, $2, $3, $4)", [
    ...[sequence, textOrNull(last.hash), new Date().toISOString(), Number(last.removed)],
  ]);
  return (await query("DELETE FROM calls WHERE sequence <= $1", [sequence])).count;
}
