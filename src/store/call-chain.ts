import type { Chain } from "../model/audit.ts";
import type { Row } from "./tables/database.ts";

type Broken = NonNullable<Chain["broken"]>;
export type Progress = { sequence: number; hash: string | null; records: number; unchained: number };
type Step = { progress: Progress; broken: Broken | null; isOver: boolean };
/** Do the columns, by which a row is found, fit its record? */
type ColumnsMatch = (row: Row) => boolean;

type ChainReader = {
  checkpoints(): Promise<Chain["checkpoints"]>;
  /** Where the chain starts after the last checkpoint. */
  start(): Promise<Progress>;
  follow(from: Progress): Promise<Step>;
  has(hash: string): Promise<boolean>;
};

/** The hash of a record in the audit chain. */
export function hashAfter(previous: string, record: string): string {
  // Loaded here for the same reason as in lib/stable-json.ts.
  return process.getBuiltinModule("node:crypto").hash("sha256", `${previous}\n${record}`);
}

/** Verifies the chain from the oldest record to the newest. */
export async function verifyChain(reader: ChainReader, head?: string): Promise<Chain> {
  for (;;) {
    const before = await reader.checkpoints();
    const { progress, broken } = await followToEnd(reader);
    const checkpoints = await reader.checkpoints();
    // Records that were removed meanwhile look like a gap.
    if (broken && checkpoints.length !== before.length) continue;
    const { records, unchained, hash } = progress;
    const headFound = head === undefined ? null : await reader.has(head);
    const ok = broken === null && headFound !== false;
    return { ok, records, unchained, checkpoints, head: hash, broken, headFound };
  }
}

async function followToEnd({ start, follow }: ChainReader): Promise<Step> {
  for (let progress = await start(); ; ) {
    const step = await follow(progress);
    if (step.isOver) return step;
    progress = step.progress;
  }
}

/** Verifies the next rows, at most `limit`. */
export function followRows(rows: readonly Row[], from: Progress, limit: number, columnsMatch: ColumnsMatch): Step {
  let progress = from;
  for (const row of rows) {
    const next = followRow(progress, row, columnsMatch);
    if ("reason" in next) return { progress, broken: next, isOver: true };
    progress = next;
  }
  return { progress, broken: null, isOver: rows.length < limit };
}

function followRow(from: Progress, row: Row, columnsMatch: ColumnsMatch): Progress | Broken {
  const { id, at, hash } = row;
  const records = from.records + 1;
  const broken = (reason: string): Broken => ({ id: String(id), at: String(at), reason });
  const sequence = Number(row.sequence);
  if (hash === null) {
    if (from.hash !== null) return broken("it was added without a link to the one before it");
    return { sequence, hash: null, records, unchained: from.unchained + 1 };
  }
  if (hash !== hashAfter(from.hash ?? "", String(row.record)))
    return broken("it was changed, or one before it was changed or removed");
  if (!columnsMatch(row)) return broken("its indexed columns do not match its record");
  return { sequence, hash: String(hash), records, unchained: from.unchained };
}
