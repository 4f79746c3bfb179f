import type { ApiKey } from "../model/access/credentials.ts";
import type { AgentRun, RunSummary } from "../model/agent/agent-run.ts";

import type { HeldOrder, HeldPart } from "../model/calls/held-call.ts";
import type { KeptResult, StoredResult } from "../model/calls/stored-result.ts";
import type { HealthSample, NewSamples } from "../model/catalogue/health.ts";
import type { Pin, PinHead } from "../model/catalogue/pin.ts";
import type { StoredEvent } from "../model/events.ts";

import {
  type DeadLetterFilter,
  type DeadLetterPage,
  type DeadLetterStatus,
  deadLetterStatuses,
  type KeptDeadLetter,
} from "../model/work/dead-letter.ts";

/** What both databases return. Their flags differ: SQLite has 1, Postgres has true. */
export type Row = { [column: string]: unknown };

/** A server that was not listed for this long is forgotten. */
const knownServerMs = 90 * 24 * 3_600_000;
export const oldestListing = (): string => new Date(Date.now() - knownServerMs).toISOString();

/** Rows removed in one transaction, so that writers do not wait long. An agent run holds a whole conversation. */
export const removedAtOnce = { calls: 5_000, jobRuns: 500, runs: 100 } as const;

export function parseRecord<T>({ record }: Row): T {
  return JSON.parse(String(record)) as T;
}

/** The column holds the current revision; the record was written before it was counted up. */
export function parseRevised<T extends { revision: number }>(row: Row): T {
  return { ...parseRecord<T>(row), revision: Number(row.revision) };
}

export function textOrNull(value: unknown): string | null {
  return value === null || value === undefined ? null : String(value);
}

export function parseApiKey(row: Row): ApiKey {
  const record = parseRecord<Omit<ApiKey, "lastUsedAt" | "revokedAt">>(row);
  return { ...record, lastUsedAt: textOrNull(row.last_used_at), revokedAt: textOrNull(row.revoked_at) };
}

export function parseEvent(row: Row): StoredEvent {
  return { id: Number(row.id), at: String(row.at), event: parseRecord(row) };
}

export function parseSample({ subject, at, ok, latency_ms }: Row): HealthSample {
  return { subject: String(subject), at: String(at), ok: isTrue(ok), latencyMs: Number(latency_ms) };
}

export function parseNewSamples(rows: readonly Row[], after: number): NewSamples {
  return { samples: rows.map(parseSample), newest: Number(rows.at(-1)?.sequence ?? after) };
}

export function parseRun(row: Row): AgentRun {
  const trace = JSON.parse(String(row.trace)) as Pick<AgentRun, "steps" | "messages">;
  return { ...parseRecord<RunSummary>(row), ...trace };
}

export function parseResult(row: Row): KeptResult {
  const isCompressed = isTrue(row.is_compressed);
  return { ...parseRecord<StoredResult>(row), isCompressed, body: row.body as Uint8Array };
}

export const pinHeadColumns = "tool, state, hash, quick_hash, clean_by";

export function parsePinHead(row: Row): PinHead {
  return {
    tool: String(row.tool),
    state: String(row.state) as PinHead["state"],
    hash: textOrNull(row.hash),
    quickHash: textOrNull(row.quick_hash),
    cleanBy: row.clean_by === null ? null : Number(row.clean_by),
  };
}

export function parsePin(row: Row): Omit<Pin, "definition"> {
  const record = parseRecord<Pick<Pin, "server" | "at" | "by" | "reason">>(row);
  return { ...parsePinHead(row), identity: String(row.identity), ...record };
}

export function parseWholePin(row: Row): Pin {
  const text = textOrNull(row.definition);
  return { ...parsePin(row), definition: text === null ? null : (JSON.parse(text) as Pin["definition"]) };
}

/** `rows` has one more than `limit` where there is another page; `counts` are rows by status. */
export function toDeadLetterPage(
  rows: readonly Row[],
  counts: readonly Row[],
  { status, limit }: DeadLetterFilter,
): DeadLetterPage<KeptDeadLetter> {
  const byStatus = Object.fromEntries(deadLetterStatuses.map((name) => [name, 0])) as Record<DeadLetterStatus, number>;
  for (const row of counts) byStatus[row.status as DeadLetterStatus] = Number(row.count);
  const total = status === undefined ? Object.values(byStatus).reduce((a, b) => a + b) : byStatus[status];
  const page = limit === undefined ? rows : rows.slice(0, limit);
  const nextCursor = rows.length > page.length ? String(page.at(-1)?.sequence) : null;
  return { total, byStatus, deadLetters: page.map(parseRevised<KeptDeadLetter>), nextCursor };
}

export const heldOrders: Record<HeldOrder, string> = {
  oldest: "sequence",
  newest: "sequence DESC",
  pending: "status <> 'pending', sequence DESC",
};

/** The condition for what comes after the held call whose id is given. */
export function behindHeld(order: HeldOrder, after: HeldPart["after"]): string {
  const that = "(SELECT sequence FROM held_calls WHERE id = ?)";
  if (order === "oldest") return `sequence > ${that}`;
  if (order === "newest") return `sequence < ${that}`;
  return after?.waits ? `(status <> 'pending' OR sequence < ${that})` : `(status <> 'pending' AND sequence < ${that})`;
}

function isTrue(value: unknown): boolean {
  return value === 1 || value === true;
}
