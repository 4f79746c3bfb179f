import type { CallRecord } from "../../model/call.ts";
import type { CallColumns, CallFilter } from "../../model/store.ts";
import { linkOf } from "../follow-chain.ts";
import { selectLastLink } from "./call-chain.ts";
import type { Prepare } from "./connection.ts";
import { where } from "./where.ts";

/** Adds calls at the end of the chain; the last link is read once, when it is first needed. */
export function createCallAppender(prepare: Prepare): (call: CallColumns, record: string) => void {
  let link: string | undefined;
  const insert = prepare(
    "INSERT INTO calls (id, at, tool, status, server, user, run, record, hash) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
  );
  return (call, record) => {
    const { id, at, tool, status, server, principal, run = null } = call;
    link = linkOf(link ?? selectLastLink(prepare), record);
    insert.run(id, at, tool, status, server, principal.user, run, record, link);
  };
}

export function selectCall(prepare: Prepare, id: string): CallRecord | null {
  const row = prepare("SELECT record FROM calls WHERE id = ?").get(id);
  return row ? parseRecord(row) : null;
}

/** Who made these calls; those that are not recorded are left out. */
export function selectCallUsers(prepare: Prepare, ids: readonly string[]): Map<string, string | null> {
  const rows = prepare("SELECT id, user FROM calls WHERE id IN (SELECT value FROM json_each(?))").all(
    JSON.stringify(ids),
  );
  return new Map(rows.map(({ id, user }) => [String(id), user === null ? null : String(user)]));
}

export function selectCalls(prepare: Prepare, filter: CallFilter): CallRecord[] {
  const { sql, values } = where(
    ["tool = ?", filter.tool],
    ["status = ?", filter.status],
    ["user IS ?", filter.user],
    ["run = ?", filter.run],
    ["sequence < (SELECT sequence FROM calls WHERE id = ?)", filter.before],
  );
  return prepare(`SELECT record FROM calls ${sql} ORDER BY sequence DESC LIMIT ?`)
    .all(...values, filter.limit ?? -1)
    .map(parseRecord);
}

function parseRecord(row: { [column: string]: unknown }): CallRecord {
  return JSON.parse(String(row.record)) as CallRecord;
}
