import type { CallChain } from "../../model/call-chain.ts";
import { followRows, type Progress, type Step } from "../follow-chain.ts";
import { verifyChain } from "../verify-chain.ts";
import { asText, type Query } from "./query.ts";

const readAtATime = 2_000;
/** So many calls are removed at a time, so that nobody waits long to add one. */
const removedAtATime = 5_000;

const columns = `sequence, id, at, tool, status, server, user_name AS "user", run, record, hash`;

type Read = <T>(work: (query: Query) => Promise<T>) => Promise<T>;

export function verifyCalls(read: Read, head?: string): Promise<CallChain> {
  const reader = {
    checkpoints: () => read(selectCheckpoints),
    start: () => read(selectStart),
    follow: (from: Progress) => read((query) => followOn(query, from)),
    has: (hash: string) => read((query) => selectIsInChain(query, hash)),
  };
  return verifyChain(reader, head);
}

async function followOn(query: Query, from: Progress): Promise<Step> {
  const sql = `SELECT ${columns} FROM calls WHERE sequence > $1 ORDER BY sequence LIMIT $2`;
  const { rows } = await query(sql, [from.sequence, readAtATime]);
  return followRows(rows, from, readAtATime, asText);
}

/** Where the chain goes on after what was removed. */
async function selectStart(query: Query): Promise<Progress> {
  const { rows } = await query("SELECT hash FROM call_checkpoints ORDER BY sequence DESC LIMIT 1");
  return { sequence: 0, link: rows[0] ? String(rows[0].hash) : null, calls: 0, unchained: 0 };
}

async function selectCheckpoints(query: Query): Promise<CallChain["checkpoints"]> {
  const { rows } = await query("SELECT at, removed FROM call_checkpoints ORDER BY sequence");
  return rows.map(({ at, removed }) => ({ at: String(at), removed: Number(removed) }));
}

async function selectIsInChain(query: Query, hash: string): Promise<boolean> {
  const { count } = await query(
    "SELECT 1 FROM calls WHERE hash = $1 UNION SELECT 1 FROM call_checkpoints WHERE hash = $1",
    [hash],
  );
  return count > 0;
}

/** Removes the oldest calls, all from before and never the newest; a checkpoint takes their place. */
export async function deleteCallsBefore(query: Query, before: string): Promise<number> {
  const { rows } = await query(
    `WITH edge AS (
       SELECT coalesce(
         (SELECT sequence FROM calls WHERE at >= $1 ORDER BY sequence LIMIT 1),
         (SELECT max(sequence) FROM calls)) AS sequence
     ), old AS (
       SELECT sequence, hash FROM calls WHERE sequence < (SELECT sequence FROM edge) ORDER BY sequence LIMIT $2
     )
     SELECT sequence, hash, (SELECT count(*) FROM old) AS removed FROM old ORDER BY sequence DESC LIMIT 1`,
    [before, removedAtATime],
  );
  const last = rows[0];
  if (!last) return 0;
  const [sequence, removed] = [Number(last.sequence), Number(last.removed)];
  await query("INSERT INTO call_checkpoints (sequence, hash, at, removed) VALUES ($1, $2, $3, $4)", [
    sequence,
    String(last.hash),
    new Date().toISOString(),
    removed,
  ]);
  return (await query("DELETE FROM calls WHERE sequence <= $1", [sequence])).count;
}
