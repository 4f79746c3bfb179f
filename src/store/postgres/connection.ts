import type { PoolClient } from "pg";
import { PlaneError } from "../../model/errors.ts";
import type { StoreNews } from "../../model/store.ts";
import type { StoreAddress } from "../../model/store-address.ts";
import { createAvailability } from "./availability.ts";
import { beginTransaction, wasCommitted } from "./commit.ts";
import { lockKey, notify } from "./notify.ts";
import { openPool, ping } from "./open-pool.ts";
import { queryOf, withClient } from "./pool-client.ts";
import type { Query, Row } from "./query.ts";
import { isLost, reasonOf, storeFailure, storeLost } from "./store-failure.ts";

export type PostgresAddress = Extract<StoreAddress, { kind: "postgres" }>;

export type WriteOptions = {
  /** Whoever writes under the same lock waits: what is read before it is written stays true. */
  lock?: string;
  /** What the other planes are told once it is written. */
  news?: StoreNews;
};

/** How far a transaction got before its connection was lost. */
type Begun<T> = { committing?: { number: string; value: T } };

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

  async function attempt<T>(
    work: () => Promise<T>,
    told: (thrown: unknown) => unknown = (thrown) => storeFailure(name, thrown),
  ): Promise<T> {
    if (!isOpen) throw new PlaneError("STORE_FAILED", `The ${name} is closed. Open it again to use it.`);
    if (availability.checking()) await availability.checking();
    if (availability.trouble() !== null) throw storeLost(name);
    try {
      return await work();
    } catch (thrown) {
      if (isOpen && isLost(thrown)) availability.lost(reasonOf(thrown));
      throw told(thrown);
    }
  }

  /** What was not committed has not happened, so it is done again where it was only a connection that went away. */
  async function write<T>(work: (query: Query) => Promise<T>, options: WriteOptions = {}): Promise<T> {
    let begun: Begun<T> = {};
    const change = () => {
      begun = {};
      return withClient(pool, (client) => transact(client, work, options, begun));
    };
    return attempt(change).catch(async (thrown) => {
      if (availability.checking() === null) throw thrown;
      const { committing } = begun;
      if (committing === undefined) return attempt(change);
      const isDone = await attempt(() => wasCommitted(queryOf(pool), committing.number));
      if (isDone === null) throw thrown;
      return isDone ? committing.value : attempt(change);
    });
  }

  async function transact<T>(
    client: PoolClient,
    work: (query: Query) => Promise<T>,
    { lock, news }: WriteOptions,
    begun: Begun<T>,
  ): Promise<T> {
    const query = queryOf(client);
    try {
      const number = await beginTransaction(client, lock === undefined ? lock : lockKey(address, lock));
      const value = await work(query);
      if (news) await notify(query, address, instance, news);
      begun.committing = { number, value };
      await client.query("COMMIT");
      return value;
    } catch (thrown) {
      if (!isLost(thrown)) await client.query("ROLLBACK");
      throw thrown;
    }
  }

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

  /** As everything is at one moment, however long somebody looks. */
  async function* readLong<T>(look: (query: Query) => AsyncIterable<T>): AsyncGenerator<T> {
    const client = await attempt(() => pool.connect());
    const ignore = () => undefined;
    client.on("error", ignore);
    try {
      await client.query("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
      yield* look(queryOf(client));
    } catch (thrown) {
      throw storeFailure(name, thrown);
    } finally {
      client.off("error", ignore);
      // With its connection the transaction ends, however far it got.
      client.release(true);
    }
  }

  /** One statement is a transaction by itself, and costs one journey instead of three. */
  const change = <T>(work: (query: Query) => Promise<T>): Promise<T> => attempt(() => work(queryOf(pool)));

  /** For a library with statements of its own, several of them in one text: it is told what the server said. */
  const statement = (sql: string, values?: unknown[]): Promise<{ rows: Row[] }> =>
    attempt(
      () =>
        withClient(pool, async (client) => {
          try {
            return await client.query(sql, values);
          } catch (thrown) {
            if (!isLost(thrown)) await client.query("ROLLBACK");
            throw thrown;
          }
        }),
      (thrown) => (isLost(thrown) ? storeLost(name) : thrown),
    );

  return {
    name,
    read,
    readLong,
    write,
    change,
    statement,
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
