import type { PoolClient } from "pg";
import { pause } from "../../lib/pause.ts";
import type { Query } from "./query.ts";

/** A server that ends a connection in the middle of a commit has soon done with it. */
const askEveryMs = 50;
const maxAsked = 20;

/** Begins to look at everything as it is at this moment. It holds up nobody, so whoever takes it may take his time. */
export async function beginLook(client: PoolClient): Promise<void> {
  await client.query(
    "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SET LOCAL idle_in_transaction_session_timeout = '1h'",
  );
}

/** Begins a transaction, under a lock where one is given; its number, by which it is found when its connection is gone. */
export async function beginTransaction(client: PoolClient, lockKey: string | undefined): Promise<string> {
  const taking = lockKey === undefined ? "" : `SELECT pg_advisory_xact_lock(${lockKey}); `;
  const answers: unknown = await client.query(`BEGIN; ${taking}SELECT txid_current() AS number`);
  const { rows } = (answers as { rows: { number?: unknown }[] }[]).at(-1) ?? { rows: [] };
  return String(rows[0]?.number);
}

/** Whether a transaction was committed whose end nobody has seen; null when the server does not know any more. */
export async function wasCommitted(query: Query, number: string): Promise<boolean | null> {
  for (let asked = 0; asked < maxAsked; asked += 1) {
    const status = (await query("SELECT txid_status($1::bigint) AS status", [number])).rows[0]?.status;
    if (status === "committed") return true;
    if (status === "aborted") return false;
    if (status !== "in progress") return null;
    await pause(askEveryMs);
  }
  return null;
}
