import type { CallRecord } from "../model/call.ts";
import type { CallChain } from "../model/call-chain.ts";

type Row = { [column: string]: unknown };
type Broken = NonNullable<CallChain["broken"]>;
export type Progress = { sequence: number; link: string | null; calls: number; unchained: number };
export type Step = { progress: Progress; broken: Broken | null; isOver: boolean };
/** What a database makes of a text in a column of its own. */
type AsStored = (text: string) => string;

/** What a record's hash has to be after the hash before it. */
export function linkOf(previous: string, record: string): string {
  // Loaded here for the same reason as in lib/stable-json.ts.
  return process.getBuiltinModule("node:crypto").hash("sha256", `${previous}\n${record}`);
}

/** Goes on along the chain over the next rows, at most `limit`; says where it ended, or what is wrong. */
export function followRows(rows: readonly Row[], from: Progress, limit: number, asStored: AsStored): Step {
  let progress = from;
  for (const row of rows) {
    const next = follow(progress, row, asStored);
    if ("reason" in next) return { progress, broken: next, isOver: true };
    progress = next;
  }
  return { progress, broken: null, isOver: rows.length < limit };
}

function follow({ link, calls, unchained }: Progress, row: Row, asStored: AsStored): Progress | Broken {
  const { id, at, hash } = row;
  const broken = (reason: string): Broken => ({ id: String(id), at: String(at), reason });
  const sequence = Number(row.sequence);
  if (hash === null) {
    if (link !== null) return broken("it was added without a link to the call before it");
    return { sequence, link, calls: calls + 1, unchained: unchained + 1 };
  }
  if (hash !== linkOf(link ?? "", String(row.record)))
    return broken("it was changed, or a call before it was changed or removed");
  if (!saysTheSame(row, asStored)) return broken("what it is found by does not fit its record");
  return { sequence, link: String(hash), calls: calls + 1, unchained };
}

/** The hash covers the record; the columns beside it are copies of its fields. */
function saysTheSame({ id, at, tool, status, server, user, run, record }: Row, asStored: AsStored): boolean {
  const said = JSON.parse(String(record)) as CallRecord;
  const copies = [said.id, said.at, said.tool, said.status, said.server, said.principal.user, said.run];
  return [id, at, tool, status, server, user, run].every((value, place) => {
    const copy = copies[place] ?? null;
    return value === (copy === null ? null : asStored(copy));
  });
}
