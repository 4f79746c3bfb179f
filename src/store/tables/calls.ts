import { type CallColumns, callColumns } from "../../model/calls/call-columns.ts";
import type { CallRecord } from "../../model/calls/call-schema.ts";
import type { ChainHeads, JournalEntry, Store } from "../../model/store.ts";
import { hashAfter } from "../call-chain.ts";
import { countMinutes, oldestMinute } from "../call-minutes.ts";
import { columnOf } from "./call-columns.ts";
import { findCalls, findLastUses, linesOf, parseCall } from "./call-search.ts";
import { createCallSeries } from "./call-series.ts";
import { type Chained, deleteBefore, lastHash } from "./chained.ts";
import {
  type Database,
  freeDropped,
  query,
  selectFirst,
  selectRows,
  type Work,
} from "./database.ts";
import { sealRemoval } from "./removal-seals.ts";
import { verify } from "./verify-chain.ts";

/** `sequence` is the number of its last event, too. */
export type NumberedCall = { entry: Extract<JournalEntry, { kind: "call" }>; sequence: number };

/** The hash covers the record; the columns beside it are copies of its fields. */
export const callsChain: Chained<CallRecord> = {
  table: "calls",
  checkpoints: "call_checkpoints",
  stream: "stream",
  columns: Object.fromEntries(
    callColumns.map((column) => [column, (call) => columnOf(call, column)]),
  ),
};

/** Recorded calls, their audit hash chain and their counts per minute. */
export function createCallTable(database: Database) {
  const { read, write, isOneOf } = database;
  return {
    call: (id) =>
      read(() => {
        const sql = `SELECT record FROM calls WHERE ${isOneOf("id")} ORDER BY id DESC LIMIT 1`;
        return selectFirst(parseCall, sql, [linesOf(id)]);
      }),
    async callOwners(ids) {
      const sql = `SELECT record FROM calls WHERE ${isOneOf("id")}`;
      const records = await read(() => selectRows(parseCall, sql, [ids.flatMap(linesOf)]));
      return new Map(records.map(({ id, principal }) => [id, principal] as const));
    },
    calls: (filter = {}) => findCalls(database, filter),
    lastUses: () => findLastUses(database),
    callSeries: createCallSeries(database),
    async verifyCalls(options) {
      const { records: calls, ...chain } = await verify(database, callsChain, options);
      return { ...chain, calls };
    },
    async forgetCalls(before) {
      const removal = function* () {
        const dropped = database.days ? yield* database.days.drop("calls", before) : 0;
        return dropped || (yield* deleteBefore(callsChain as Chained<never>, before));
      };
      const removed = await write(
        () => sealRemoval(database, callsChain as Chained<never>, removal()),
        { lock: "journal" },
      );
      if (removed === 0) await freeDropped(database);
      return removed;
    },
  } satisfies Partial<Store>;
}

export function* insertCalls(
  database: Database,
  numbered: readonly NumberedCall[],
): Work<ChainHeads> {
  const newest = numbered.at(-1);
  if (newest === undefined) return {};
  const { rows, hash } = chainCalls(numbered, yield* lastHash(callsChain));
  yield* database.insertRows("calls", rows);
  yield* addToMinutes(
    database,
    numbered.map(({ entry }) => entry.call),
  );
  return { calls: { sequence: newest.sequence, hash, at: newest.entry.call.at } };
}

/** Calls as rows that continue the record with this hash, and the hash of the last. */
export function chainCalls(numbered: readonly NumberedCall[], previousHash: string) {
  let hash = previousHash;
  const rows = numbered.map(({ entry, sequence }) => {
    const { call, text, events = 0 } = entry;
    const record = text ?? JSON.stringify(call);
    hash = hashAfter(hash, record);
    const row: Record<string, string | number | null> = { sequence, id: call.id, at: call.at };
    for (const column of callColumns) row[column] = columnOf(call, column);
    return Object.assign(row, { record, hash, events });
  });
  return { rows, hash };
}

/** As rows of the table of counts. */
export function minuteRows(calls: readonly CallColumns[]) {
  return countMinutes(calls).map(({ user, ...count }) => ({ ...count, user_name: user }));
}

function* addToMinutes({ insertRows }: Database, calls: readonly CallColumns[]): Work<void> {
  const counts = minuteRows(calls);
  if (counts.length === 0) return;
  const add =
    "ON CONFLICT (minute, user_name, status, took) DO UPDATE SET calls = call_minutes.calls + excluded.calls";
  yield* insertRows("call_minutes", counts, add);
  const newest = Math.max(...counts.map(({ minute }) => minute));
  yield* query("DELETE FROM call_minutes WHERE minute < ?", [oldestMinute(newest)]);
}
