import type { Pool, PoolClient } from "pg";
import { asValue, type Query } from "./query.ts";
import { isLost } from "./store-failure.ts";

export function queryOf(client: Pool | PoolClient): Query {
  return async (sql, values = []) => {
    const { rows, rowCount } = await client.query(sql, values.map(asValue));
    return { rows, count: rowCount ?? 0 };
  };
}

/** A client that failed in an unknown way is not used again: nobody knows what it is in the middle of. */
export async function withClient<T>(pool: Pool, work: (client: PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  let isBroken = true;
  try {
    const value = await work(client);
    isBroken = false;
    return value;
  } catch (thrown) {
    isBroken = isLost(thrown);
    throw thrown;
  } finally {
    client.release(isBroken);
  }
}
