import { setImmediate as nextTurn } from "node:timers/promises";
import type { ChainHead } from "../../model/calls/call-history.ts";
import type { CallRecord } from "../../model/calls/call-schema.ts";
import type { CallColumns, CallFilter, ChainHeads, JournalEntry, Store } from "../../model/store.ts";
import { hashAfter } from "../call-chain.ts";
import { countMinutes, oldestMinute } from "../call-minutes.ts";
import { createCallSeries } from "./call-series.ts";
import { type Chained, deleteBefore, findLoss, lastHash } from "./chained.ts";
import {
  all,
  type Condition,
  type Database,
  first,
  newestFirst,
  number,
  parseRecord,
  query,
  same,
  type Work,
} from "./database.ts";
import { verify } from "./verify-chain.ts";

/** `sequence` is the number of its last event, too. */
export type NumberedCall = { entry: Extract<JournalEntry, { kind: "call" }>; sequence: number };

/** The hash covers the record; the columns beside it are copies of its fields. */
export const callsChain: Chained<CallRecord> = {
  table: "calls",
  checkpoints: "call_checkpoints",
  stream: "stream",
  columns: {
    tool: ({ tool }) => tool,
    status: ({ status }) => status,
    server: ({ server }) => server,
    user_name: ({ principal }) => principal.user,
    run: ({ run }) => run,
    conversation: ({ conversation }) => conversation && keyOf(conversation),
  },
};

/** An index of Postgres takes no long text, and callers may give any. */
function keyOf(conversation: string): string {
  return conversation.slice(0, 200);
}

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
      filter.limit !== undefined && isScan(filter)
        ? scan(database, filter, filter.limit)
        : read(() => newestFirst(parseRecord<CallRecord>, "calls", conditionsOf(filter), filter)),
    callSeries: createCallSeries(database),
    async verifyCalls(options) {
      const { records: calls, ...chain } = await verify(database, callsChain, options);
      return { ...chain, calls };
    },
    forgetCalls: (before) =>
      write(
        function* () {
          const dropped = database.days ? yield* database.days.drop("calls", before) : 0;
          return dropped || (yield* deleteBefore(callsChain, before));
        },
        { lock: "journal" },
      ),
  } satisfies Partial<Store>;
}

function conditionsOf({ tool, status, run, conversation, user }: CallFilter): Condition[] {
  return [
    ["tool = ?", tool],
    ["status = ?", status],
    ["run = ?", run],
    ["conversation = ?", conversation && keyOf(conversation)],
    [same("user_name"), user],
  ];
}

/** An index finds calls by one of these. Of two, all calls that fit the first may have to be read in vain. */
function isScan({ tool, status, user, run, conversation }: CallFilter): boolean {
  const given = [tool, status, user].filter((value) => value !== undefined).length;
  return given > 1 && run === undefined && conversation === undefined;
}

/** Numbers that are looked through in one turn, at first and at most: other work waits for its end. */
const firstWindow = 50_000;
const widestWindow = 400_000;

/** Newest first, part by part. */
async function scan({ read }: Database, filter: CallFilter, limit: number): Promise<CallRecord[]> {
  const { before } = filter;
  const edge = before === undefined ? "SELECT max(sequence) + 1 FROM calls" : "SELECT sequence FROM calls WHERE id = ?";
  let high = await read(() => number(edge, before === undefined ? [] : [before]));
  const lowest = await read(() => number("SELECT min(sequence) FROM calls"));
  const found: CallRecord[] = [];
  for (let width = firstWindow; high > lowest && found.length < limit; width = Math.min(width * 2, widestWindow)) {
    const within: Condition[] = [
      ["sequence < ?", high],
      ["sequence >= ?", high - width],
    ];
    const page = { limit: limit - found.length };
    const fitting = () => newestFirst(parseRecord<CallRecord>, "calls", [...conditionsOf(filter), ...within], page);
    found.push(...(await read(fitting)));
    high -= width;
    await nextTurn();
  }
  return found;
}

export const findLostCalls = (head: ChainHead) => findLoss(callsChain, head);

export function* insertCalls(database: Database, numbered: readonly NumberedCall[]): Work<ChainHeads> {
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
export function chainCalls(numbered: readonly NumberedCall[], after: string) {
  let hash = after;
  const rows = numbered.map(({ entry, sequence }) => {
    const { call, text, events = 0 } = entry;
    const { id, at, tool, status, server, principal, run = null } = call;
    const conversation = call.conversation === undefined ? null : keyOf(call.conversation);
    const record = text ?? JSON.stringify(call);
    hash = hashAfter(hash, record);
    const columns = { sequence, id, at, tool, status, server, user_name: principal.user, run, conversation };
    return { ...columns, record, hash, events };
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
  const add = "ON CONFLICT (minute, user_name, status, took) DO UPDATE SET calls = call_minutes.calls + excluded.calls";
  yield* insertRows("call_minutes", counts, add);
  const newest = Math.max(...counts.map(({ minute }) => minute));
  yield* query("DELETE FROM call_minutes WHERE minute < ?", [oldestMinute(newest)]);
}
