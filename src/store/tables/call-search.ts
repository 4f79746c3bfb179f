import { setImmediate as nextTurn } from "node:timers/promises";
import { firstIdOf } from "../../lib/ids-and-time.ts";
import { columnFields } from "../../model/calls/call-columns.ts";
import { type CallFilter, momentsOf } from "../../model/calls/call-history.ts";
import { type CallLine, endLineId, recordOf } from "../../model/calls/call-line.ts";
import type { CallRecord, CallUsage } from "../../model/calls/call-schema.ts";
import { indexed } from "./call-columns.ts";
import {
  type Condition,
  type Database,
  equalOrNull,
  newestFirst,
  parseRecord,
  type Row,
  select,
  selectFirst,
  selectNumber,
  selectRows,
} from "./database.ts";

/** The ids of the lines that a call may have. */
export const linesOf = (id: string): string[] => [id, endLineId(id)];

export function parseCall(row: Row): CallRecord {
  return recordOf(parseRecord<CallLine>(row));
}

/**
 * Without the line that says that a call waits, where another says how it ended. That one is written later, so the tables of
 * earlier days are not asked for it.
 */
function onlyNewestLines(from: number): Condition {
  const ended = `newer.id = calls.id || '${endLineId("")}' AND newer.sequence >= ?`;
  return [
    `(status <> 'waiting' OR NOT EXISTS (SELECT 1 FROM calls AS newer WHERE ${ended}))`,
    from,
  ];
}

/** Where the newest line of a call stands. */
const sequenceOf = `SELECT max(sequence) FROM calls WHERE id IN (?, CAST(? AS text) || '${endLineId("")}')`;

/** Newest first. Where no index finds them, part by part: other work waits for the end of each. */
export function findCalls(database: Database, filter: CallFilter): Promise<CallRecord[]> {
  const { limit, since, until } = filter;
  if (since !== undefined || until !== undefined) return findByTime(database, filter);
  if (limit !== undefined && isScan(filter)) return scan(database, filter, limit);
  if (limit !== undefined && database.days) return findByDay(database, filter, limit);
  return database.read(() =>
    newestCalls([...conditionsOf(database, filter), olderThan(filter)], filter),
  );
}

/** First among the last days: to ask many tables costs more than to read one. */
async function findByDay(
  database: Database,
  filter: CallFilter,
  limit: number,
): Promise<CallRecord[]> {
  const { before } = filter;
  const high =
    before === undefined
      ? undefined
      : await database.read(() => selectNumber(sequenceOf, [before, before]));
  const recent = database.days?.recent(high) ?? 0;
  const filterConditions: Condition[] = [...conditionsOf(database, filter), ["sequence < ?", high]];
  const calls: CallRecord[] = [];
  const ranges: [within: string, from: number][] = [
    ["sequence >= ?", recent],
    ["sequence < ?", 0],
  ];
  for (const [condition, from] of ranges) {
    const page = { limit: limit - calls.length };
    if (page.limit <= 0) break;
    const conditions: Condition[] = [...filterConditions, [condition, recent]];
    calls.push(...(await database.read(() => newestCalls(conditions, page, from))));
  }
  return calls;
}

function newestCalls(
  conditions: readonly Condition[],
  { limit }: { limit?: number | undefined },
  from = 0,
) {
  return newestFirst(parseCall, "calls", [...conditions, onlyNewestLines(from)], { limit });
}

function olderThan({ before }: CallFilter): Condition {
  return [`sequence < (${sequenceOf})`, before];
}

function conditionsOf(
  { recordNumber }: Pick<Database, "recordNumber">,
  filter: CallFilter,
): Condition[] {
  const { match, user, minMs, maxMs, minCost } = filter;
  return [
    ...columnFields.map((field): Condition => [`${field} = ?`, indexed(field, filter[field])]),
    ["lower(tool) LIKE ? ESCAPE '!'", match && `%${match.toLowerCase().replace(/[!%_]/g, "!$&")}%`],
    [equalOrNull("user_name"), user],
    [`${recordNumber("durationMs")} >= ?`, minMs],
    [`${recordNumber("durationMs")} <= ?`, maxMs],
    [`${recordNumber("cost", "amount")} >= ?`, minCost],
  ];
}

/** An index finds calls by one of the first three. For others, all calls may have to be read in vain. */
function isScan({
  tool,
  status,
  user,
  run,
  conversation,
  match,
  server,
  minMs,
  maxMs,
  minCost,
}: CallFilter): boolean {
  if (run !== undefined || conversation !== undefined) return false;
  // Most lines that say 'waiting' are followed by another.
  if (status === "waiting") return true;
  const indexed = [tool, status, user].filter((value) => value !== undefined).length;
  return indexed > 1 || [match, server, minMs, maxMs, minCost].some((value) => value !== undefined);
}

/** Numbers that are looked through in one turn, at first and at most. */
const firstWindow = 50_000;
const maxWindow = 400_000;

async function scan(database: Database, filter: CallFilter, limit: number): Promise<CallRecord[]> {
  const { read } = database;
  const { before } = filter;
  const newest = "SELECT max(sequence) + 1 FROM calls";
  // Numbers have gaps: those of a shared store begin again far above with each day.
  const nextSequence = `${newest} WHERE sequence < ?`;
  let high = await read(() =>
    before === undefined ? selectNumber(newest) : selectNumber(sequenceOf, [before, before]),
  );
  const calls: CallRecord[] = [];
  const filterConditions = conditionsOf(database, filter);
  for (
    let width = firstWindow;
    high > 0 && calls.length < limit;
    width = Math.min(width * 2, maxWindow)
  ) {
    const low = high - width;
    const range: Condition[] = [
      ["sequence < ?", high],
      ["sequence >= ?", low],
    ];
    const page = { limit: limit - calls.length };
    calls.push(...(await read(() => newestCalls([...filterConditions, ...range], page, low))));
    high = calls.length < limit ? await read(() => selectNumber(nextSequence, [low])) : 0;
    await nextTurn();
  }
  return calls;
}

/** Calls that are looked through in one turn. */
const callsAtOnce = 20_000;

/** By the time they began, which their ids begin with. */
async function findByTime(database: Database, filter: CallFilter): Promise<CallRecord[]> {
  const { read } = database;
  const { limit, before } = filter;
  const { from, to } = momentsOf(filter);
  const low = firstIdOf(from);
  let high = [firstIdOf(to), ...(before === undefined ? [] : [before])].sort()[0] as string;
  const calls: CallRecord[] = [];
  const filterConditions = conditionsOf(database, filter);
  const isPlain = limit !== undefined && filterConditions.every(([, value]) => value === undefined);
  const edgeSql = `SELECT id FROM calls WHERE id >= ? AND id < ? ORDER BY id DESC LIMIT 1 OFFSET ${callsAtOnce}`;
  while (low < high && (limit === undefined || calls.length < limit)) {
    const upTo = high;
    // Without another condition the first are found at once.
    const from =
      (isPlain
        ? null
        : await read(() => selectFirst(({ id }) => String(id), edgeSql, [low, upTo]))) ?? low;
    const range: Condition[] = [
      ["id >= ?", from],
      ["id < ?", upTo],
    ];
    const page = { order: "id DESC", limit: limit && limit - calls.length };
    calls.push(
      ...(await read(() =>
        select(
          parseCall,
          "record",
          "calls",
          [...filterConditions, ...range, onlyNewestLines(0)],
          page,
        ),
      )),
    );
    high = from;
    await nextTurn();
  }
  return calls;
}

/** Every tool once, with its last call: from name to name along the index, not from call to call. */
const eachToolSql = `
  WITH RECURSIVE named (tool) AS (
    SELECT min(tool) FROM calls
    UNION ALL SELECT (SELECT min(tool) FROM calls WHERE tool > named.tool) FROM named WHERE named.tool IS NOT NULL
  )
  SELECT tool, (SELECT at FROM calls WHERE calls.tool = named.tool ORDER BY sequence DESC LIMIT 1) AS at
  FROM named WHERE tool IS NOT NULL`;

export async function findLastUses({ read }: Database): Promise<CallUsage> {
  const since = await read(() =>
    selectFirst(({ at }) => String(at), "SELECT at FROM calls ORDER BY sequence LIMIT 1"),
  );
  const tools = await read(() =>
    selectRows(({ tool, at }) => ({ name: String(tool), lastAt: String(at) }), eachToolSql),
  );
  return { since, tools };
}
