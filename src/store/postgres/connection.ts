import type { Pool, PoolClient } from "pg";
import { PlaneError } from "../../model/errors.ts";
import type { StoreNews } from "../../model/store.ts";
import type { StoreAddress } from "../../model/store-address.ts";
import { createAvailability } from "./availability.ts";
import { lockKey, notify } from "./notify.ts";
import { openPool, ping } from "./open-pool.ts";
import { asValue, type Query } from "./query.ts";
import { isLost, reasonOf, storeFailure, storeLost } from "./store-failure.ts";

export type PostgresAddress = Extract<StoreAddress, { kind: "postgres" }>;

export type WriteOptions = {
  /** Whoever writes under the same lock waits: what is read before it is written stays true. */
  lock?: string;
  /** What the other planes are told once it is written. */
  news?: StoreNews;
};

export type Connection = Awaited<ReturnType<typeof createConnection>>;

/** The only place through which a query goes, so that every failure names the store and a lost server is noticed. */
export async function createConnection(
  address: PostgresAddress,
  instance: string,
  setUp: (client: PoolClient) => Promise<void>,
) {
  const name = nameOf(address);
  const pool = await openPool(address);
  let isOpen = true;
  let isSetUp = false;

  const prepare = async () => {
    await withClient(pool, setUp);
    isSetUp = true;
  };
  const availability = createAvailability(() => (isSetUp ? ping(address) : prepare()));
  // A connection that nobody uses says by itself that it is gone.
  pool.on("error", (thrown) => isOpen && isLost(thrown) && availability.lost(reasonOf(thrown)));

  async function attempt<T>(work: () => Promise<T>): Promise<T> {
    if (!isOpen) throw new PlaneError("STORE_FAILED", `The ${name} is closed. Open it again to use it.`);
    if (availability.checking()) await availability.checking();
    if (availability.trouble() !== null) throw storeLost(name);
    try {
      return await work();
    } catch (thrown) {
      if (isOpen && isLost(thrown)) availability.lost(reasonOf(thrown));
      throw storeFailure(name, thrown);
    }
  }

  const write = <T>(work: (query: Query) => Promise<T>, { lock, news }: WriteOptions = {}): Promise<T> =>
    attempt(() =>
      withClient(pool, async (client) => {
        const query = queryOf(client);
        const taking = lock === undefined ? "" : `; SELECT pg_advisory_xact_lock(${lockKey(address, lock)})`;
        try {
          await client.query(`BEGIN${taking}`);
          const value = await work(query);
          if (news) await notify(query, address, instance, news);
          await client.query("COMMIT");
          return value;
        } catch (thrown) {
          if (!isLost(thrown)) await client.query("ROLLBACK");
          throw thrown;
        }
      }),
    );

  try {
    await prepare();
  } catch (thrown) {
    // A server that is away comes back; what a person has to mend is said at once.
    if (!isLost(thrown)) {
      await pool.end();
      throw storeFailure(`store '${address.shown}'`, thrown);
    }
    availability.lost(reasonOf(thrown));
    await availability.checking();
  }

  /** What only looks may look again, where it was not the server that went away but a connection to it. */
  async function read<T>(work: (query: Query) => Promise<T>): Promise<T> {
    const look = () => attempt(() => work(queryOf(pool)));
    return look().catch((thrown) => {
      if (availability.checking() === null) throw thrown;
      return look();
    });
  }

  return {
    read,
    write,
    /** One of those that use the same store works, the others are told so. */
    alone: (task: string, work: () => Promise<void>): Promise<boolean> =>
      attempt(() =>
        withClient(pool, async (client) => {
          const key = lockKey(address, `task ${task}`);
          const { rows } = await client.query(`SELECT pg_try_advisory_lock(${key}) AS mine`);
          if (rows[0]?.mine !== true) return false;
          try {
            await work();
          } finally {
            await client.query(`SELECT pg_advisory_unlock(${key})`);
          }
          return true;
        }),
      ),
    trouble: availability.trouble,
    onTrouble: availability.onChanged,
    async close(): Promise<void> {
      if (!isOpen) return;
      isOpen = false;
      availability.stop();
      await pool.end();
    },
  };
}

/** As callers may read it. */
function nameOf({ url }: PostgresAddress): string {
  return `Postgres store '${decodeURIComponent(new URL(url).pathname.slice(1))}'`;
}

function queryOf(client: Pool | PoolClient): Query {
  return async (sql, values = []) => {
    const { rows, rowCount } = await client.query(sql, values.map(asValue));
    return { rows, count: rowCount ?? 0 };
  };
}

/** A client that failed in an unknown way is not used again: nobody knows what it is in the middle of. */
async function withClient<T>(pool: Pool, work: (client: PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  // Between two statements nobody else would hear it, and an error that nobody hears ends the process.
  const ignore = () => undefined;
  client.on("error", ignore);
  let isBroken = true;
  try {
    const value = await work(client);
    isBroken = false;
    return value;
  } catch (thrown) {
    isBroken = isLost(thrown);
    throw thrown;
  } finally {
    client.off("error", ignore);
    client.release(isBroken);
  }
}
