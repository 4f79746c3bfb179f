import type { SQLInputValue } from "node:sqlite";

/** A condition with one place for its value; without a value it is not asked for. */
export type Condition = readonly [sql: string, value: SQLInputValue | undefined];

/** The conditions that are asked for, all of them. */
export function where(...conditions: readonly Condition[]): { sql: string; values: SQLInputValue[] } {
  const asked = conditions.flatMap(([sql, value]) => (value === undefined ? [] : [{ sql, value }]));
  const sql = asked.length === 0 ? "" : `WHERE ${asked.map((one) => one.sql).join(" AND ")}`;
  return { sql, values: asked.map(({ value }) => value) };
}
