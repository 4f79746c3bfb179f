import { setImmediate as nextTurn } from "node:timers/promises";
import type { Chain } from "../../model/audit-schema.ts";
import type { VerifyOptions } from "../../model/calls/call-history.ts";
import {
  type Broken,
  checkAge,
  checkPlace,
  createFollower,
  type StreamStart,
} from "../call-chain.ts";
import type { Chained } from "./chained.ts";
import {
  type Database,
  type Row,
  selectFirst,
  selectNumber,
  selectRows,
  textOrNull,
  type Work,
} from "./database.ts";
import { isSame, sealedRemovals } from "./removal-seals.ts";

/** Rows of one turn: SQLite answers within it, and other work waits for its end. */
const verifiedAtOnce = 200;
/** After every moment that begins with the text before it. */
const afterPrefix = "~";

/** Sequences of records; `after` is not one of them. */
type Range = { after: number; last: number; isWhole: boolean; isOpen: boolean };

/** Follows all streams side by side to their ends, or to where one is broken. */
export async function verify<T>(
  database: Database,
  chained: Chained<T>,
  { head, since, until, keepDays }: VerifyOptions = {},
): Promise<Chain> {
  const reader = createReader(database, chained);
  for (;;) {
    const checkpointsBefore = await reader.checkpoints();
    const range = await reader.range(since, until);
    const follower = createFollower(head, reader.columnsMatch);
    const broken = await follow(reader, range, follower, checkpointsBefore, keepDays);
    const checkpoints = await reader.checkpoints();
    // Records that were removed meanwhile look like a gap.
    if (broken && checkpoints.length !== checkpointsBefore.length) continue;
    const sealed = checkpoints.filter(({ isSealed }) => isSealed).map(({ hash }) => hash);
    const hashBefore = range.after === 0 ? null : await reader.hashBefore(range.after);
    const isFound =
      follower.hasHead() ||
      // Any hash can be written into a checkpoint that is not sealed.
      [hashBefore, ...sealed].includes(head ?? null);
    // Behind a break nothing was looked at.
    const headFound = head === undefined || (broken && !isFound) ? null : isFound;
    return {
      ok: broken === null && headFound !== false,
      records: follower.records(),
      streams: follower.streams(),
      checkpoints: checkpoints.map(({ at, removed }) => ({ at, removed })),
      head: follower.newest() || hashBefore,
      broken,
      headFound,
      lost: [],
    };
  }
}

async function follow(
  reader: Reader,
  { after, last, isWhole, isOpen }: Range,
  follower: ReturnType<typeof createFollower>,
  checkpoints: readonly Checkpoint[],
  keepDays: number | undefined,
): Promise<Broken | null> {
  const removedFrom = new Map(
    checkpoints.map((checkpoint) => [checkpoint.stream, checkpoint] as const),
  );
  /** What was removed too early. What comes after it is looked at all the same. */
  let earlyRemoval: Broken | null = null;
  const checkRemoval = (row: Row, { at, isSealed }: Checkpoint) =>
    isSealed ? null : checkAge(row, at, keepDays);
  const startOf = async (row: Row): Promise<StreamStart> => {
    const checkpoint = removedFrom.get(Number(row.stream));
    const hashBefore = isWhole ? null : await reader.newestOf(Number(row.stream), after);
    if (hashBefore !== null) return { hash: hashBefore, isTrusted: true };
    if (checkpoint)
      earlyRemoval ??= checkPlace(row, checkpoint.sequence) ?? checkRemoval(row, checkpoint);
    return { hash: checkpoint?.hash ?? "", isTrusted: checkpoint?.isSealed ?? true };
  };
  for await (const rows of pagesOf(reader, after, last)) {
    for (const row of rows) {
      const stream = Number(row.stream);
      const start = follower.knows(stream) ? null : await startOf(row);
      const broken = follower.follow(row, stream, start);
      if (broken) return broken;
    }
  }
  const emptiedStream =
    isWhole && isOpen ? [...removedFrom].find(([stream]) => !follower.knows(stream)) : undefined;
  return emptiedStream === undefined
    ? earlyRemoval
    : checkAge(undefined, emptiedStream[1].at, keepDays);
}

type Reader = ReturnType<typeof createReader>;

/** A database on another machine reads the next page while this one is followed. */
async function* pagesOf(reader: Reader, after: number, last: number): AsyncGenerator<Row[]> {
  const requestPage = (from: number) => {
    const page = reader.rows(from, last);
    // It fails where it is waited for, if it still is.
    page.catch(() => undefined);
    return page;
  };
  for (let page: Promise<Row[]> | null = requestPage(after); page !== null; ) {
    await nextTurn();
    const rows: Row[] = await page;
    page = rows.length < verifiedAtOnce ? null : requestPage(Number(rows.at(-1)?.sequence));
    yield rows;
  }
}

function createReader<T>(database: Database, chained: Chained<T>) {
  const { read, asStored } = database;
  const { table, stream, columns } = chained;
  const columnList = Object.keys(columns).map((name, index) => `${name} AS c${index}`);
  const fields = Object.values(columns);
  const following = `SELECT sequence, ${stream} AS stream, id, at, ${columnList.join(", ")}, record, hash FROM ${table}
    WHERE sequence > ? AND sequence <= ? ORDER BY sequence LIMIT ${verifiedAtOnce}`;
  const isStoredAs = (value: unknown, field: string | null | undefined) =>
    value === (field === null || field === undefined ? null : asStored(field));
  const newest = (condition: string, values: number[]) =>
    read(() =>
      selectFirst(
        (row) => textOrNull(row.hash),
        `SELECT hash FROM ${table} WHERE ${condition} ORDER BY sequence DESC LIMIT 1`,
        values,
      ),
    );
  return {
    columnsMatch(row: Row): boolean {
      const record = JSON.parse(String(row.record)) as T & { id: string; at: string };
      if (!isStoredAs(row.id, record.id) || !isStoredAs(row.at, record.at)) return false;
      return fields.every((field, index) => isStoredAs(row[`c${index}`], field(record)));
    },
    checkpoints: () => read(() => selectCheckpoints(database, chained as Chained<never>)),
    range: (since?: string, until?: string) => read(() => selectRange(table, since, until)),
    rows: (after: number, last: number) =>
      read(() => selectRows((row) => row, following, [after, last])),
    newestOf: (ofStream: number, upTo: number) =>
      newest(`${stream} = ? AND sequence <= ?`, [ofStream, upTo]),
    hashBefore: (upTo: number) => newest("sequence <= ?", [upTo]),
  };
}

type Checkpoint = {
  sequence: number;
  stream: number;
  at: string;
  removed: number;
  hash: string | null;
  /** By a plane that has made the removal itself. */
  isSealed: boolean;
};

function* selectCheckpoints(database: Database, chained: Chained<never>): Work<Checkpoint[]> {
  const { checkpoints, stream } = chained;
  const sealed = yield* sealedRemovals(database, chained);
  return yield* selectRows((row) => {
    const checkpoint = { sequence: Number(row.sequence), hash: textOrNull(row.hash) ?? "" };
    const ofStream = Number(row.stream);
    return {
      sequence: checkpoint.sequence,
      stream: ofStream,
      at: String(row.at),
      removed: Number(row.removed),
      hash: textOrNull(row.hash),
      isSealed: isSame(sealed.get(ofStream), checkpoint),
    };
  }, `SELECT sequence, ${stream} AS stream, at, removed, hash FROM ${checkpoints} ORDER BY sequence`);
}

/** The records of a time. */
function* selectRange(table: string, since?: string, until?: string): Work<Range> {
  const firstSequence = since === undefined ? 0 : yield* firstFrom(table, since);
  const last =
    until === undefined
      ? Number.MAX_SAFE_INTEGER
      : (yield* firstFrom(table, until + afterPrefix)) - 1;
  const lastBefore =
    firstSequence === 0
      ? 0
      : yield* selectNumber(`SELECT coalesce(max(sequence), 0) FROM ${table} WHERE sequence < ?`, [
          firstSequence,
        ]);
  return { after: lastBefore, last, isWhole: lastBefore === 0, isOpen: until === undefined };
}

/** The first record of this moment or later. Halving finds it without an index, because records are added in time. */
function* firstFrom(table: string, moment: string): Work<number> {
  let low = yield* selectNumber(`SELECT coalesce(min(sequence), 0) FROM ${table}`);
  let high = (yield* selectNumber(`SELECT coalesce(max(sequence), 0) FROM ${table}`)) + 1;
  while (low < high) {
    const middle = low + Math.floor((high - low) / 2);
    const row = yield* selectFirst(
      (row) => row,
      `SELECT sequence, at FROM ${table} WHERE sequence >= ? ORDER BY sequence LIMIT 1`,
      [middle],
    );
    if (row !== null && String(row.at) < moment) low = Number(row.sequence) + 1;
    else high = middle;
  }
  return low;
}
