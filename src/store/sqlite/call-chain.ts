import type { CallRecord } from "../../model/call.ts";
import type { CallChain } from "../../model/call-chain.ts";
import type { Prepare } from "./connection.ts";

/** Of the newest call; the empty text where the chain begins. */
export function selectLastLink(prepare: Prepare): string {
  const row = prepare("SELECT hash FROM calls ORDER BY sequence DESC LIMIT 1").get();
  return typeof row?.hash === "string" ? row.hash : "";
}

/** What a record's hash has to be after the hash before it. */
export function linkOf(previous: string, record: string): string {
  // Loaded here for the same reason as in lib/stable-json.ts.
  return process.getBuiltinModule("node:crypto").hash("sha256", `${previous}\n${record}`);
}

type Row = { [column: string]: unknown };
export type Progress = { sequence: number; link: string | null; calls: number; unchained: number };
type Broken = NonNullable<CallChain["broken"]>;

/** Goes on along the chain for so many calls; says where it ended, or what is wrong. */
export function followChain(
  prepare: Prepare,
  from: Progress,
  limit: number,
): { progress: Progress; broken: Broken | null; isOver: boolean } {
  const rows = prepare("SELECT * FROM calls WHERE sequence > ? ORDER BY sequence LIMIT ?").all(
    from.sequence,
    limit,
  );
  let progress = from;
  for (const row of rows) {
    const next = follow(progress, row);
    if ("reason" in next) return { progress, broken: next, isOver: true };
    progress = next;
  }
  return { progress, broken: null, isOver: rows.length < limit };
}

function follow({ link, calls, unchained }: Progress, row: Row): Progress | Broken {
  const { id, at, hash } = row;
  const broken = (reason: string): Broken => ({ id: String(id), at: String(at), reason });
  const sequence = Number(row.sequence);
  if (hash === null) {
    if (link !== null) return broken("it was added without a link to the call before it");
    return { sequence, link, calls: calls + 1, unchained: unchained + 1 };
  }
  if (hash !== linkOf(link ?? "", String(row.record)))
    return broken("it was changed, or a call before it was changed or removed");
  if (!saysTheSame(row)) return broken("what it is found by does not fit its record");
  return { sequence, link: String(hash), calls: calls + 1, unchained };
}

/** The hash covers the record; the columns beside it are copies of its fields. */
function saysTheSame({ id, at, tool, status, server, user, record }: Row): boolean {
  const said = JSON.parse(String(record)) as CallRecord;
  const copies = [said.id, said.at, said.tool, said.status, said.server, said.principal.user];
  return [id, at, tool, status, server, user].every((value, place) => value === asStored(copies[place]));
}

/** Half a character is no text to a database. */
function asStored(value: string | null | undefined): string | null | undefined {
  return value?.toWellFormed() ?? value;
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
