import type { CallRecord } from "../../model/call.ts";
import type { CallFilter } from "../../model/store.ts";
import { parseRecord, type Query, same, where } from "./query.ts";

export async function selectCall(query: Query, id: string): Promise<CallRecord | null> {
  const { rows } = await query("SELECT record FROM calls WHERE id = $1", [id]);
  return rows[0] ? parseRecord(rows[0]) : null;
}

/** Who made these calls; those that are not recorded are left out. */
export async function selectCallUsers(
  query: Query,
  ids: readonly string[],
): Promise<Map<string, string | null>> {
  const { rows } = await query("SELECT id, user_name FROM calls WHERE id = ANY($1)", [ids]);
  return new Map(rows.map((row) => [String(row.id), row.user_name === null ? null : String(row.user_name)]));
}

/** Newest first. */
export async function selectCalls(query: Query, filter: CallFilter): Promise<CallRecord[]> {
  const { sql, values } = where(
    ["tool = ?", filter.tool],
    ["status = ?", filter.status],
    ["run = ?", filter.run],
    [same("user_name"), filter.user],
    ["sequence < (SELECT sequence FROM calls WHERE id = ?)", filter.before],
  );
  const { rows } = await query(
    `SELECT record FROM calls ${sql} ORDER BY sequence DESC LIMIT $${values.length + 1}`,
    [...values, filter.limit ?? null],
  );
  return rows.map((row) => parseRecord(row));
}
