import type { CallChain } from "../../model/call-chain.ts";
import { followRows, type Progress } from "../follow-chain.ts";
import { asText, type Query } from "./query.ts";

const readAtATime = 2_000;
/** So many calls are removed at a time, so that nobody waits long to add one. */
const removedAtATime = 5_000;

const columns = `sequence, id, at, tool, status, server, user_name AS "user", run, record, hash`;

type Read = <T>(work: (query: Query) => Promise<T>) => Promise<T>;

/** From the oldest call to the newest. */
export async function verifyCalls(read: Read, head?: string): Promise<CallChain> {
  for (;;) {
    const checkpoints = await read(selectCheckpoints);
    const { progress, broken } = await followToEnd(read);
    const now = await read(selectCheckpoints);
    // What was removed meanwhile only looks like a gap.
    if (broken && now.length !== checkpoints.length) continue;
    const { calls, unchained, link } = progress;
    const headFound = head === undefined ? null : await read((query) => selectIsInChain(query, head));
    return {
      ok: broken === null && headFound !== false,
      ...{ calls, unchained, checkpoints: now, head: link, broken, headFound },
    };
  }
}

async function followToEnd(read: Read) {
  let progress = await read(selectStart);
  for (;;) {
    const from = progress;
    const { rows } = await read((query) =>
      query(`SELECT ${columns} FROM calls WHERE sequence > $1 ORDER BY sequence LIMIT $2`, [
        from.sequence,
        readAtATime,
      ]),
    );
    const step = followRows(rows, from, readAtATime, asText);
    if (step.isOver) return step;
    progress = step.progress;
  }
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
