import type { PoolClient } from "pg";
import { PlaneError } from "../../model/errors.ts";
import type { StoreNews } from "../../model/store.ts";
import type { StoreAddress } from "../../model/store-address.ts";
import { createAvailability } from "./availability.ts";
import { beginLook, beginTransaction, wasCommitted } from "./commit.ts";
import { lockKey, notify } from "./notify.ts";
import { maxConnections, openPool, ping, withinGrace } from "./open-pool.ts";
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

/** Who waits so long for an answer makes sure that the server is still there. Longer than a lock is waited for. */
const silentMs = 6_000;

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
  const { pool, cut } = await openPool(address);
  let isOpen = true;
  let isSetUp = false;

  const prepare = async () => {
    await withClient(pool, setUp);
    isSetUp = true;
  };
  const availability = createAvailability(() => (isSetUp ? ping(address) : prepare()), cut);
  // A connection that nobody uses says by itself that it is gone.
  pool.on("error", (thrown) => isOpen && isLost(thrown) && availability.lost(reasonOf(thrown)));

  async function attempt<T>(
    work: () => Promise<T>,
    told: (thrown: unknown) => unknown = (thrown) => storeFailure(name, thrown),
  ): Promise<T> {
    if (!isOpen) throw new PlaneError("STORE_FAILED", `The ${name} is closed. Open it again to use it.`);
    if (availability.checking()) await availability.checking();
    if (availability.trouble() !== null) throw storeLost(name);
    const silence = setTimeout(() => availability.lost("it does not answer"), silentMs).unref();
    try {
      return await work();
    } catch (thrown) {
      if (isOpen && isLost(thrown)) availability.lost(reasonOf(thrown));
      throw told(thrown);
    } finally {
      clearTimeout(silence);
    }
  }

  /** Does it again where it was not the server that went away but a connection: every one of the pool may be as dead. */
  async function untilAnswered<T>(work: () => Promise<T>): Promise<T> {
    for (let tried = 0; ; tried += 1) {
      try {
        return await attempt(work);
      } catch (thrown) {
        if (!isLost(thrown) || tried === maxConnections) throw thrown;
        await availability.checking();
        if (!isOpen || availability.trouble() !== null) throw thrown;
      }
    }
  }

  /** What was not committed has not happened, so it is done again. */
  function write<T>(work: (query: Query) => Promise<T>, options: WriteOptions = {}): Promise<T> {
    let begun: Begun<T> = {};
    return untilAnswered(async () => {
      if (begun.committing !== undefined) {
        const isDone = await wasCommitted(queryOf(pool), begun.committing.number);
        if (isDone === null) throw storeLost(name);
        if (isDone) return begun.committing.value;
      }
      begun = {};
      return await withClient(pool, (client) => transact(client, work, options, begun));
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

  const read = <T>(work: (query: Query) => Promise<T>): Promise<T> =>
    untilAnswered(() => work(queryOf(pool)));

  /** As everything is at one moment, however long somebody looks. */
  async function* readLong<T>(look: (query: Query) => AsyncIterable<T>): AsyncGenerator<T> {
    const client = await attempt(() => pool.connect());
    try {
      await beginLook(client);
      yield* look(queryOf(client));
    } catch (thrown) {
      throw storeFailure(name, thrown);
    } finally {
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
      await withinGrace(pool.end(), cut);
    },
  };
}

/** As callers may read it. */
function nameOf({ url }: PostgresAddress): string {
  return `Postgres store '${decodeURIComponent(new URL(url).pathname.slice(1))}'`;
}
