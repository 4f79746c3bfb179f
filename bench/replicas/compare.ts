import type { Told } from "./load.ts";

export type Sql = (sql: string) => Promise<Record<string, unknown>[]>;

export type Compared = {
  callsLost: number;
  mcpCallsLost: number;
  approvalsLost: number;
  answersLost: number;
  changesLost: number;
};

/** What clients were told, against what is in the database once all replicas are back. */
export async function compare(told: Told, run: Sql, schema: string): Promise<Compared> {
  const calls = new Set((await run(`SELECT id FROM ${schema}.calls`)).map(({ id }) => String(id)));
  const [{ count: mcp } = { count: 0 }] = await run(
    `SELECT count(*) AS count FROM ${schema}.calls WHERE record LIKE '%"face":"mcp"%' AND status = 'succeeded'`,
  );
  const held = new Map(
    (await run(`SELECT id, status FROM ${schema}.held_calls`)).map(({ id, status }) => [id, status]),
  );
  const missing = (ids: Iterable<string>, isThere: (id: string) => boolean) =>
    [...ids].filter((id) => !isThere(id)).length;
  return {
    callsLost: missing(told.calls, (id) => calls.has(id)),
    mcpCallsLost: Math.max(0, told.mcpCalls - Number(mcp)),
    approvalsLost: missing(told.approvals, (id) => held.has(id)),
    answersLost: missing(told.answered, (id) => held.get(id) !== "pending"),
    changesLost: missing(told.changes, (id) => held.has(id)),
  };
}
