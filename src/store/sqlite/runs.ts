import type { AgentRun } from "../../model/agent-run.ts";
import type { RunFilter, RunSummary } from "../../model/run-verbs.ts";
import type { Prepare } from "./connection.ts";
import { where } from "./where.ts";

type Row = { [column: string]: unknown };

/** Kept in two parts, so that a list does not have to read every conversation. */
export function insertRun(prepare: Prepare, { steps, messages, ...summary }: AgentRun): void {
  const { id, at, user, outcome, model, toolset, conversation } = summary;
  prepare(
    "INSERT INTO runs (id, at, user, outcome, model, toolset, conversation, record, trace) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
  ).run(
    ...[id, at, user, outcome, model, toolset, conversation],
    JSON.stringify(summary),
    JSON.stringify({ steps, messages }),
  );
}

export function selectRun(prepare: Prepare, id: string): AgentRun | null {
  const row = prepare("SELECT record, trace FROM runs WHERE id = ?").get(id);
  if (!row) return null;
  return { ...parseSummary(row), ...(JSON.parse(String(row.trace)) as Pick<AgentRun, "steps" | "messages">) };
}

/** Newest first. */
export function selectRuns(prepare: Prepare, filter: RunFilter): RunSummary[] {
  const { sql, values } = where(
    ["user IS ?", filter.user],
    ["outcome = ?", filter.outcome],
    ["model = ?", filter.model],
    ["toolset = ?", filter.toolset],
    ["conversation = ?", filter.conversation],
    ["at >= ?", filter.since],
    ["sequence < (SELECT sequence FROM runs WHERE id = ?)", filter.before],
  );
  return prepare(`SELECT record FROM runs ${sql} ORDER BY sequence DESC LIMIT ?`)
    .all(...values, filter.limit ?? -1)
    .map(parseSummary);
}

export function deleteRunsBefore(prepare: Prepare, before: string, most: number): number {
  const sql = "DELETE FROM runs WHERE sequence IN (SELECT sequence FROM runs WHERE at < ? LIMIT ?)";
  return Number(prepare(sql).run(before, most).changes);
}

function parseSummary(row: Row): RunSummary {
  return JSON.parse(String(row.record)) as RunSummary;
}
