import type { CallChain } from "../../model/call-chain.ts";
import { followRows, type Progress, type Step } from "../follow-chain.ts";
import type { Prepare } from "./connection.ts";

/** Of the newest call; the empty text where the chain begins. */
export function selectLastLink(prepare: Prepare): string {
  const row = prepare("SELECT hash FROM calls ORDER BY sequence DESC LIMIT 1").get();
  return typeof row?.hash === "string" ? row.hash : "";
}

/** Goes on along the chain for so many calls; says where it ended, or what is wrong. */
export function followChain(prepare: Prepare, from: Progress, limit: number): Step {
  const rows = prepare("SELECT * FROM calls WHERE sequence > ? ORDER BY sequence LIMIT ?").all(
    from.sequence,
    limit,
  );
  // Half a character is no text to a database.
  return followRows(rows, from, limit, (text) => text.toWellFormed());
}

/** Where the chain goes on after what was removed. */
export function selectStart(prepare: Prepare): Progress {
  const row = prepare("SELECT sequence, hash FROM call_checkpoints ORDER BY sequence DESC LIMIT 1").get();
  const link = typeof row?.hash === "string" ? row.hash : null;
  return { sequence: 0, link, calls: 0, unchained: 0 };
}

export function selectCheckpoints(prepare: Prepare): CallChain["checkpoints"] {
  return prepare("SELECT at, removed FROM call_checkpoints ORDER BY sequence")
    .all()
    .map(({ at, removed }) => ({ at: String(at), removed: Number(removed) }));
}

export function selectIsInChain(prepare: Prepare, hash: string): boolean {
  return (
    prepare("SELECT 1 FROM calls WHERE hash = ? UNION SELECT 1 FROM call_checkpoints WHERE hash = ?").get(
      hash,
      hash,
    ) !== undefined
  );
}

/** Removes the oldest calls, all from before, at most so many and never the newest; a checkpoint takes their place. */
export function deleteCallsBefore(prepare: Prepare, before: string, at: string, most: number): number {
  const young = prepare("SELECT sequence FROM calls WHERE at >= ? ORDER BY sequence LIMIT 1").get(before);
  const newest = prepare("SELECT max(sequence) AS sequence FROM calls").get();
  const end = Number(young?.sequence ?? newest?.sequence ?? 0);
  const last = prepare(
    `SELECT sequence, hash, number FROM (
       SELECT sequence, hash, row_number() OVER (ORDER BY sequence) AS number
       FROM calls WHERE sequence < ? ORDER BY sequence LIMIT ?
     ) ORDER BY sequence DESC LIMIT 1`,
  ).get(end, most);
  if (!last) return 0;
  const { sequence, hash, number } = last;
  prepare("INSERT INTO call_checkpoints (sequence, hash, at, removed) VALUES (?, ?, ?, ?)").run(
    Number(sequence),
    hash === null ? null : String(hash),
    at,
    Number(number),
  );
  return Number(prepare("DELETE FROM calls WHERE sequence <= ?").run(Number(sequence)).changes);
}
