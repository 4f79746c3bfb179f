import type { SQLInputValue } from "node:sqlite";
import type { CallRecord } from "../../model/call.ts";
import type { CallFilter } from "../../model/store.ts";
import type { Prepare } from "./connection.ts";

export function insertCall(prepare: Prepare, call: CallRecord): void {
  prepare("INSERT INTO calls (id, at, tool, status, server, user, record) VALUES (?, ?, ?, ?, ?, ?, ?)").run(
    call.id,
    call.at,
    call.tool,
    call.status,
    call.server,
    call.principal.user,
    JSON.stringify(call),
  );
}

export function selectCall(prepare: Prepare, id: string): CallRecord | null {
  const row = prepare("SELECT record FROM calls WHERE id = ?").get(id);
  return row ? parseRecord(row) : null;
}

export function selectCalls(prepare: Prepare, filter: CallFilter): CallRecord[] {
  const conditions: string[] = [];
  const values: SQLInputValue[] = [];
  const add = (condition: string, value: string | undefined) => {
    if (value === undefined) return;
    conditions.push(condition);
    values.push(value);
  };
  add("tool = ?", filter.tool);
  add("status = ?", filter.status);
  add("sequence < (SELECT sequence FROM calls WHERE id = ?)", filter.before);
  const where = conditions.length > 0 ? `WHERE ${conditions.join(" AND ")}` : "";
  return prepare(`SELECT record FROM calls ${where} ORDER BY sequence DESC LIMIT ?`)
    .all(...values, filter.limit ?? -1)
    .map(parseRecord);
}

function parseRecord(row: { [column: string]: unknown }): CallRecord {
  return JSON.parse(String(row.record)) as CallRecord;
}
