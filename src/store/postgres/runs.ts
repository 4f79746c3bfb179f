import type { AgentRun } from "../../model/agent-run.ts";
import type { RunFilter, RunSummary } from "../../model/run-verbs.ts";
import { parseRecord, type Query, same, where } from "./query.ts";

const removedAtATime = 100;

/** Kept in two parts, so that a list does not have to read every conversation. */
export async function insertRun(query: Query, { steps, messages, ...summary }: AgentRun): Promise<void> {
  const { id, at, user, outcome, model, toolset, conversation } = summary;
  await query(
    `INSERT INTO runs (id, at, user_name, outcome, model, toolset, conversation, record, trace)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
    [
      ...[id, at, user, outcome, model, toolset, conversation],
      ...[JSON.stringify(summary), JSON.stringify({ steps, messages })],
    ],
  );
}

export async function selectRun(query: Query, id: string): Promise<AgentRun | null> {
  const { rows } = await query("SELECT record, trace FROM runs WHERE id = $1", [id]);
  const row = rows[0];
  if (!row) return null;
  const trace = JSON.parse(String(row.trace)) as Pick<AgentRun, "steps" | "messages">;
  return { ...parseRecord<RunSummary>(row), ...trace };
}

/** Newest first. */
export async function selectRuns(query: Query, filter: RunFilter): Promise<RunSummary[]> {
  const { sql, values } = where(
    [same("user_name"), filter.user],
    ["outcome = ?", filter.outcome],
    ["model = ?", filter.model],
    ["toolset = ?", filter.toolset],
    ["conversation = ?", filter.conversation],
    ["at >= ?", filter.since],
    ["sequence < (SELECT sequence FROM runs WHERE id = ?)", filter.before],
  );
  const { rows } = await query(
    `SELECT record FROM runs ${sql} ORDER BY sequence DESC LIMIT $${values.length + 1}`,
    [...values, filter.limit ?? null],
  );
  return rows.map((row) => parseRecord(row));
}

export async function deleteRunsBefore(query: Query, before: string): Promise<number> {
  const sql = "DELETE FROM runs WHERE sequence IN (SELECT sequence FROM runs WHERE at < $1 LIMIT $2)";
  return (await query(sql, [before, removedAtATime])).count;
}
