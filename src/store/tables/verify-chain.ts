import { setImmediate as nextTurn } from "node:timers/promises";
import type { Chain } from "../../model/audit-schema.ts";
import type { VerifyOptions } from "../../model/calls/call-history.ts";
import { type Broken, type ChainProgress, checkAge, followRows } from "../call-chain.ts";
import type { Chained } from "./chained.ts";
import { all, type Database, first, number, type Row, textOrNull, type Work } from "./database.ts";
import { isNearLimit } from "./holdings.ts";

/** Rows of one turn: SQLite answers within it, and other work waits for its end. */
const verifiedAtOnce = 200;
/** After every moment that begins with the text before it. */
const end = "~";

type Range = { from: ChainProgress; last: number; isWhole: boolean };

/** Follows the chain to its end, or to where it is broken. */
export async function verify<T>(
  database: Database,
  chained: Chained<T>,
  { head, since, until, keepDays: days, maxBytes = 0 }: VerifyOptions = {},
): Promise<Chain> {
  const reader = createReader(database, chained, head);
  // Records that went because of the size of all had no certain age.
  const keepDays = (await isNearLimit(database, maxBytes)) ? undefined : days;
  for (;;) {
    const before = await reader.checkpoints();
    const range = await reader.range(since, until);
    const [progress, broken] = await follow(reader, range, before.at(-1)?.at, keepDays);
    const checkpoints = await reader.checkpoints();
    // Records that were removed meanwhile look like a gap.
    if (broken && checkpoints.length !== before.length) continue;
    const isFound = progress.hasHead || range.from.hash === head || checkpoints.some(({ hash }) => hash === head);
    // Behind a break nothing was looked at.
    const headFound = head === undefined || (broken && !isFound) ? null : isFound;
    return {
      ok: broken === null && headFound !== false,
      records: progress.records,
      checkpoints: checkpoints.map(({ at, removed }) => ({ at, removed })),
      head: progress.hash || null,
      broken,
      headFound,
      lost: [],
    };
  }
}

async function follow(
  { read }: Reader,
  { from, last, isWhole }: Range,
  removedAt: string | undefined,
  keepDays: number | undefined,
): Promise<[ChainProgress, Broken | null]> {
  for (let progress = from; ; ) {
    await nextTurn();
    const { rows, step } = await read(progress, last);
    const isFirst = isWhole && progress === from && removedAt !== undefined;
    const broken = step.broken ?? (isFirst ? checkAge(rows[0], removedAt, keepDays) : null);
    if (broken || rows.length < verifiedAtOnce) return [step.progress, broken];
    progress = step.progress;
  }
}

type Reader = ReturnType<typeof createReader>;

function createReader<T>(
  { read, asStored }: Database,
  { table, checkpoints, columns }: Chained<T>,
  head: string | undefined,
) {
  const names = Object.keys(columns).map((name, at) => `${name} AS c${at}`);
  const fields = Object.values(columns);
  const following = `SELECT sequence, id, at, ${names.join(", ")}, record, hash FROM ${table}
    WHERE sequence > ? AND sequence <= ? ORDER BY sequence LIMIT ${verifiedAtOnce}`;
  const fits = (value: unknown, field: string | null | undefined) =>
    value === (field === null || field === undefined ? null : asStored(field));
  const columnsMatch = (row: Row): boolean => {
    const record = JSON.parse(String(row.record)) as T & { id: string; at: string };
    if (!fits(row.id, record.id) || !fits(row.at, record.at)) return false;
    return fields.every((field, at) => fits(row[`c${at}`], field(record)));
  };
  return {
    checkpoints: () => read(() => selectCheckpoints(checkpoints)),
    range: (since?: string, until?: string) => read(() => selectRange(table, checkpoints, since, until)),
    async read(from: ChainProgress, last: number) {
      const rows = await read(() => all((row) => row, following, [from.sequence, last]));
      return { rows, step: followRows(rows, from, head, columnsMatch) };
    },
  };
}

type Checkpoint = { at: string; removed: number; hash: string | null };

function selectCheckpoints(checkpoints: string): Work<Checkpoint[]> {
  return all(
    ({ at, removed, hash }) => ({ at: String(at), removed: Number(removed), hash: textOrNull(hash) }),
    `SELECT at, removed, hash FROM ${checkpoints} ORDER BY sequence`,
  );
}

/** The records of a time, and the hash that the first of them continues. */
function* selectRange(table: string, checkpoints: string, since?: string, until?: string): Work<Range> {
  const edge = since === undefined ? 0 : yield* firstFrom(table, since);
  const last = until === undefined ? Number.MAX_SAFE_INTEGER : (yield* firstFrom(table, until + end)) - 1;
  const newestIn = (name: string, condition = "") =>
    first(asStart, `SELECT sequence, hash FROM ${name} ${condition} ORDER BY sequence DESC LIMIT 1`);
  const before = edge === 0 ? null : yield* newestIn(table, `WHERE sequence < ${edge}`);
  if (before !== null) return { from: before, last, isWhole: false };
  // From the first record on, also where one stands before the checkpoint and should not.
  const { hash = "" } = (yield* newestIn(checkpoints)) ?? {};
  return { from: { ...start, hash }, last, isWhole: true };
}

const start: ChainProgress = { sequence: 0, hash: "", records: 0, hasHead: false };

function asStart({ sequence, hash }: Row): ChainProgress {
  return { ...start, sequence: Number(sequence), hash: textOrNull(hash) ?? "" };
}

/** The first record of this moment or later. Halving finds it without an index, because records are added in time. */
function* firstFrom(table: string, at: string): Work<number> {
  let low = yield* number(`SELECT coalesce(min(sequence), 0) FROM ${table}`);
  let high = (yield* number(`SELECT coalesce(max(sequence), 0) FROM ${table}`)) + 1;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const row = yield* first(
      (found) => found,
      `SELECT sequence, at FROM ${table} WHERE sequence >= ? ORDER BY sequence LIMIT 1`,
      [middle],
    );
    if (row !== null && String(row.at) < at) low = Number(row.sequence) + 1;
    else high = middle;
  }
  return low;
}
