import type { Chain } from "../model/audit-schema.ts";
import type { Row } from "./tables/database.ts";

export type Broken = NonNullable<Chain["broken"]>;
/** Do the columns, by which a row is found, fit its record? */
type ColumnsMatch = (row: Row) => boolean;

const dayMs = 24 * 3_600_000;

/** The hash of a record in the audit chain. */
export function hashAfter(previous: string, record: string): string {
  // Loaded here for the same reason as in lib/stable-json.ts.
  return process.getBuiltinModule("node:crypto").hash("sha256", `${previous}\n${record}`);
}

/** The hash that the first record of a stream continues. One that anyone can have written proves nothing by itself. */
export type StreamStart = { hash: string; isTrusted: boolean };

/** Follows records in the order of their numbers, each in its own stream. `head`: a hash that is looked for. */
export function createFollower(head: string | undefined, columnsMatch: ColumnsMatch) {
  const ends = new Map<number, string>();
  let hasHead = false;
  let records = 0;
  let newest = "";
  return {
    knows: (stream: number) => ends.has(stream),
    /** `start` of a stream that is not known yet. */
    follow(row: Row, stream: number, start: StreamStart | null): Broken | null {
      const previous = start?.hash ?? ends.get(stream) ?? "";
      hasHead ||= start?.isTrusted === true && start.hash === head;
      const reason = problemOf(row, previous, columnsMatch);
      if (reason !== null) return brokenAt(row, reason);
      newest = String(row.hash);
      hasHead ||= newest === head;
      ends.set(stream, newest);
      records += 1;
      return null;
    },
    hasHead: () => hasHead,
    records: () => records,
    streams: () => ends.size,
    /** The hash of the last record; empty where there was none. */
    newest: () => newest,
  };
}

function problemOf(row: Row, previous: string, columnsMatch: ColumnsMatch): string | null {
  if (row.hash === null) return "it has no hash: it was added or changed past the plane";
  if (row.hash !== hashAfter(previous, String(row.record)))
    return "it was changed, or one before it was changed or removed";
  return columnsMatch(row) ? null : "its indexed columns do not match its record";
}

/**
 * Removal leaves the newest record that was too old. Its time is covered by its hash, so that it proves the age of those
 * before it: an attacker who removes younger ones has none to leave.
 */
export function checkAge(
  oldest: Row | undefined,
  removedAt: string,
  keepDays: number | undefined,
): Broken | null {
  if (oldest === undefined)
    return {
      id: "none",
      at: removedAt,
      reason: "every record was removed, and the newest is always kept",
    };
  if (keepDays === undefined) return null;
  const ageMs = Math.min(Date.parse(removedAt), Date.now()) - Date.parse(String(oldest.at));
  if (keepDays > 0 && ageMs >= keepDays * dayMs) return null;
  const age = `${Math.max(0, Math.floor(ageMs / dayMs))} days old then, and 'calls.keepDays' is ${keepDays}`;
  return brokenAt(
    oldest,
    `those before it were removed on ${removedAt}: it was ${age}; and no plane with the key of this store has sealed that it removed them`,
  );
}

/** Removal takes all up to its place: a checkpoint behind what is there was forged to hide what came later. */
export function checkPlace(oldest: Row, removedUpTo: number): Broken | null {
  if (Number(oldest.sequence) > removedUpTo) return null;
  return brokenAt(oldest, "it stands before what was removed, and all before that is gone");
}

function brokenAt({ id, at }: Row, reason: string): Broken {
  return { id: String(id), at: String(at), reason };
}
