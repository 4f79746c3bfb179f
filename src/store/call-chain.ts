import type { CallRecord } from "../model/calls/call.ts";
import type { CallChain } from "../model/calls/call-history.ts";
import type { Row } from "./tables/database.ts";

type Broken = NonNullable<CallChain["broken"]>;
export type Progress = { sequence: number; hash: string | null; calls: number; unchained: number };
type Step = { progress: Progress; broken: Broken | null; isOver: boolean };
/** What a database makes of a text in a column. */
type AsStored = (text: string) => string;

type ChainReader = {
  checkpoints(): Promise<CallChain["checkpoints"]>;
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

/** Verifies the chain from the oldest call to the newest. */
export async function verifyChain(reader: ChainReader, head?: string): Promise<CallChain> {
  for (;;) {
    const before = await reader.checkpoints();
    const { progress, broken } = await followToEnd(reader);
    const checkpoints = await reader.checkpoints();
    // Calls that were removed meanwhile look like a gap.
    if (broken && checkpoints.length !== before.length) continue;
    const { calls, unchained, hash } = progress;
    const headFound = head === undefined ? null : await reader.has(head);
    const ok = broken === null && headFound !== false;
    return { ok, calls, unchained, checkpoints, head: hash, broken, headFound };
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
export function followRows(rows: readonly Row[], from: Progress, limit: number, asStored: AsStored): Step {
  let progress = from;
  for (const row of rows) {
    const next = followRow(progress, row, asStored);
    if ("reason" in next) return { progress, broken: next, isOver: true };
    progress = next;
  }
  return { progress, broken: null, isOver: rows.length < limit };
}

function followRow(from: Progress, row: Row, asStored: AsStored): Progress | Broken {
  const { id, at, hash } = row;
  const calls = from.calls + 1;
  const broken = (reason: string): Broken => ({ id: String(id), at: String(at), reason });
  const sequence = Number(row.sequence);
  if (hash === null) {
    if (from.hash !== null) return broken("it was added without a link to the call before it");
    return { sequence, hash: null, calls, unchained: from.unchained + 1 };
  }
  if (hash !== hashAfter(from.hash ?? "", String(row.record)))
    return broken("it was changed, or a call before it was changed or removed");
  if (!columnsMatch(row, asStored)) return broken("what it is found by does not fit its record");
  return { sequence, hash: String(hash), calls, unchained: from.unchained };
}

/** The hash covers the record; the columns beside it are copies of its fields. */
function columnsMatch({ id, at, tool, status, server, user, run, record }: Row, asStored: AsStored): boolean {
  const call = JSON.parse(String(record)) as CallRecord;
  const fields = [call.id, call.at, call.tool, call.status, call.server, call.principal.user, call.run];
  return [id, at, tool, status, server, user, run].every((value, place) => {
    const field = fields[place] ?? null;
    return value === (field === null ? null : asStored(field));
  });
}
