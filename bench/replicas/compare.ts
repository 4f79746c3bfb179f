import { readLog } from "../../test/fixtures/start-server.ts";
import type { Told } from "./told.ts";

export type Sql = (sql: string) => Promise<Record<string, unknown>[]>;

export type Compared = {
  callsLost: number;
  mcpCallsLost: number;
  approvalsLost: number;
  answersLost: number;
  changesLost: number;
  /** Approved calls that ran twice, or were said to have run and did not. */
  approvedWrongly: number;
};

/** The answers that clients got, against what is in the database once all replicas are back, and in the ledger of the tool. */
export async function compare(
  told: Told,
  { run, schema, ledger }: { run: Sql; schema: string; ledger: string },
): Promise<Compared> {
  const calls = new Set((await run(`SELECT id FROM ${schema}.calls`)).map(({ id }) => String(id)));
  const [{ count: mcp } = { count: 0 }] = await run(
    `SELECT count(*) AS count FROM ${schema}.calls WHERE record LIKE '%"face":"mcp"%' AND status = 'succeeded'`,
  );
  const held = new Map(
    (await run(`SELECT id, status FROM ${schema}.held_calls`)).map(({ id, status }) => [
      id,
      status,
    ]),
  );
  const written = countMarks(ledger);
  const missing = (ids: Iterable<string>, isThere: (id: string) => boolean) =>
    [...ids].filter((id) => !isThere(id)).length;
  const isRight = ([id, mark]: readonly [string, string]) => {
    const times = written.get(mark) ?? 0;
    return told.done.has(id) ? times === 1 : times <= 1;
  };
  return {
    callsLost: missing(told.calls, (id) => calls.has(id)),
    mcpCallsLost: Math.max(0, told.mcpCalls - Number(mcp)),
    approvalsLost: missing(told.approvals.keys(), (id) => held.has(id)),
    answersLost: missing(told.answered, (id) => held.get(id) !== "pending"),
    changesLost: missing(told.changes, (id) => held.has(id)),
    approvedWrongly: [...told.approvals].filter((one) => !isRight(one)).length,
  };
}

/** How often each text was written into the ledger that the tools of all replicas share. */
export function countMarks(ledger: string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { text } of readLog(ledger))
    counts.set(String(text), (counts.get(String(text)) ?? 0) + 1);
  return counts;
}
