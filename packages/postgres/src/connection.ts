import { isWithin } from "@toolplane/core/lib/async/pause";
import type { Durability } from "@toolplane/core/model/config/settings";
import { PlaneError } from "@toolplane/core/model/errors";
import type { PostgresAddress } from "@toolplane/core/model/packages";
import type { StoreNews, StoreTrouble } from "@toolplane/core/model/store";
import type { Row } from "@toolplane/core/store";
import type { PoolClient } from "pg";
import { lockKey, notify } from "./notifications.ts";
import {
  beginSnapshot,
  beginTransaction,
  closeTimeoutMs,
  type OpenedPool,
  openPool,
  ping,
  queryOf,
  runAlone,
  runSingle,
  wasCommitted,
  withClient,
} from "./pool.ts";
import type { Query } from "./query.ts";
import {
  isConnectionLost,
  isSilence,
  postgresFailure,
  reasonOf,
  storeLost,
} from "./store-failure.ts";

const firstWaitMs = 50;
const maxWaitMs = 5_000;

type Availability = ReturnType<typeof createAvailability>;

type Listener = (trouble: StoreTrouble | null) => void;

/**
 * Whether the server can be reached. A broken connection proves little, so the server is pinged at once, and with
 * exponential backoff until it is back. `onSilence` is called when it does not answer at all.
 */
function createAvailability(ping: () => Promise<void>, onSilence: () => void) {
  const listeners = new Set<Listener>();
  let trouble: StoreTrouble | null = null;
  let timer: NodeJS.Timeout | undefined;
  let checking: Promise<void> | null = null;
  let isStopped = false;

  function become(nextTrouble: StoreTrouble | null): void {
    trouble = nextTrouble;
    for (const listener of listeners) listener(nextTrouble);
  }

  function pingAfter(waitMs: number): void {
    if (isStopped) return;
    timer = setTimeout(() => {
      ping().then(
        () => {
          if (!isStopped) become(null);
        },
        () => pingAfter(Math.min(waitMs * 2, maxWaitMs)),
      );
    }, waitMs).unref();
  }

  return {
    trouble: () => trouble,
    lost(reason: string): void {
      if (trouble !== null || checking !== null || isStopped) return;
      const since = new Date().toISOString();
      checking = ping()
        // This connection may have broken, too; a second try after silence would only take as long again.
        .catch((thrown) => (isSilence(thrown) ? Promise.reject(thrown) : ping()))
        .catch((thrown) => {
          if (isSilence(thrown)) onSilence();
          if (isStopped) return;
          become({ since, reason: [...new Set([reason, reasonOf(thrown)])].join("; ") });
          pingAfter(firstWaitMs);
        })
        .finally(() => {
          checking = null;
        });
    },
    /** Settles when the state is known; null when it is known now. */
    checking: () => checking,
    onChanged(listener: Listener): () => void {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    stop(): void {
      isStopped = true;
      clearTimeout(timer);
    },
  };
}

type WriteOptions = {
  lock?: string | undefined;
  isShared?: boolean | undefined;
  notify?: StoreNews | undefined;
};

/** After this long without an answer the server is pinged. Longer than the lock timeout. */
const silentMs = 6_000;

export type PostgresConnection = Awaited<ReturnType<typeof createPostgresConnection>>;

/** Every query goes through here, so that every failure names the store and a lost server is noticed. */
export async function createPostgresConnection(
  address: PostgresAddress,
  instance: string,
  durability: Durability,
  setUp: (client: PoolClient, scope: string) => Promise<void>,
) {
  const name = nameOf(address);
  const opened = await openPool(address, durability);
  const { pool, scope, cut } = opened;
  let isSetUp = false;
  const prepare = async () => {
    await withClient(pool, (client) => setUp(client, scope()));
    isSetUp = true;
  };
  const availability = createAvailability(() => (isSetUp ? ping(address) : prepare()), cut);
  const attempts = createAttempts(name, availability, opened.most);
  const { attempt, untilAnswered } = attempts;
  // An idle connection reports by itself that it is gone.
  pool.on("error", (thrown) => attempts.noteFailure(thrown));
  try {
    await prepare();
  } catch (thrown) {
    // An unreachable server comes back; any other failure needs a person and is thrown now.
    if (!isConnectionLost(thrown)) {
      await pool.end();
      throw postgresFailure(`store '${address.shown}'`, thrown);
    }
    availability.lost(reasonOf(thrown));
    await availability.checking();
  }
  return {
    name,
    read: <T>(work: (query: Query) => Promise<T>): Promise<T> =>
      untilAnswered(() => runSingle(opened, work)),
    readLong: <T>(look: (query: Query) => AsyncIterable<T>) =>
      readSnapshot(name, attempt, opened, look),
    write: createWrite({ name, opened, address, instance, untilAnswered }),
    /** One statement is a transaction by itself, and costs one round trip instead of three. */
    change: <T>(work: (query: Query) => Promise<T>): Promise<T> =>
      attempt(() => runSingle(opened, work)),
    /** For pg-boss, which sends several statements in one text and reads the server's own errors. */
    statement: (sql: string, values?: unknown[]): Promise<{ rows: Row[] }> =>
      attempt(
        () => withClient(pool, (client) => runStatement(client, sql, values)),
        (thrown) => (isConnectionLost(thrown) ? storeLost(name) : thrown),
      ),
    /** Runs on one of the planes that share the store; false on the others. */
    alone: (task: string, work: () => Promise<void>): Promise<boolean> =>
      attempt(() =>
        withClient(pool, (client) =>
          runAlone(client, { key: lockKey(address, `task ${task}`), scope: scope() }, work),
        ),
      ),
    trouble: availability.trouble,
    onTrouble: availability.onChanged,
    async close(): Promise<void> {
      if (!attempts.close()) return;
      availability.stop();
      // A pool that ends serves no one who still waits for a connection, not even a task that holds another one.
      if (!(await isWithin(attempts.ended(), closeTimeoutMs))) cut();
      if (!(await isWithin(pool.end(), closeTimeoutMs))) cut();
    },
  };
}

type Attempt = <T>(work: () => Promise<T>, toError?: (thrown: unknown) => unknown) => Promise<T>;
type UntilAnswered = <T>(work: () => Promise<T>) => Promise<T>;

function createAttempts(name: string, availability: Availability, connections: number) {
  const running = new Set<Promise<unknown>>();
  let isOpen = true;

  function noteFailure(thrown: unknown): void {
    if (isOpen && isConnectionLost(thrown)) availability.lost(reasonOf(thrown));
  }

  const attempt: Attempt = async (work, toError = (thrown) => postgresFailure(name, thrown)) => {
    if (!isOpen)
      throw new PlaneError("STORE_FAILED", `The ${name} is closed. Open it again to use it.`);
    if (availability.checking()) await availability.checking();
    if (availability.trouble() !== null) throw storeLost(name);
    const silence = setTimeout(() => availability.lost("it does not answer"), silentMs).unref();
    let pending: Promise<unknown> | undefined;
    try {
      const value = work();
      pending = value;
      running.add(pending);
      return await value;
    } catch (thrown) {
      noteFailure(thrown);
      throw toError(thrown);
    } finally {
      if (pending) running.delete(pending);
      clearTimeout(silence);
    }
  };

  /** Tries again where only a connection was lost: every connection of the pool may be dead. */
  const untilAnswered: UntilAnswered = async (work) => {
    for (let attempts = 0; ; attempts += 1) {
      try {
        return await attempt(work);
      } catch (thrown) {
        if (!isConnectionLost(thrown) || attempts === connections) throw thrown;
        await availability.checking();
        if (!isOpen || availability.trouble() !== null) throw thrown;
      }
    }
  };

  return {
    attempt,
    untilAnswered,
    noteFailure,
    /** Resolves when nothing is under way. */
    ended: async () => void (await Promise.allSettled(running)),
    /** False when it was closed before. */
    close(): boolean {
      const wasOpen = isOpen;
      isOpen = false;
      return wasOpen;
    },
  };
}

/** How far a transaction got before its connection was lost. */
type CommitState<T> = { committing?: { number: string; value: T } };
type WriterParts = {
  name: string;
  opened: OpenedPool;
  address: PostgresAddress;
  instance: string;
  untilAnswered: UntilAnswered;
};

/** One transaction, repeated unless it was committed. */
function createWrite({
  name,
  opened: { pool, scope },
  address,
  instance,
  untilAnswered,
}: WriterParts) {
  async function transact<T>(
    client: PoolClient,
    work: (query: Query) => Promise<T>,
    { lock, isShared, notify: notification }: WriteOptions,
    state: CommitState<T>,
  ): Promise<T> {
    const query = queryOf(client);
    try {
      const number = await beginTransaction(
        client,
        scope(),
        lock === undefined ? lock : lockKey(address, lock),
        isShared,
      );
      const value = await work(query);
      if (notification) await notify(query, address, instance, notification);
      state.committing = { number, value };
      await client.query("COMMIT");
      return value;
    } catch (thrown) {
      if (!isConnectionLost(thrown)) await client.query("ROLLBACK");
      throw thrown;
    }
  }

  return <T>(work: (query: Query) => Promise<T>, options: WriteOptions = {}): Promise<T> => {
    let state: CommitState<T> = {};
    return untilAnswered(async () => {
      if (state.committing !== undefined) {
        const isDone = await wasCommitted(queryOf(pool), state.committing.number);
        if (isDone === null) throw storeLost(name);
        if (isDone) return state.committing.value;
      }
      state = {};
      return await withClient(pool, (client) => transact(client, work, options, state));
    });
  };
}

async function* readSnapshot<T>(
  name: string,
  attempt: Attempt,
  { pool, scope }: OpenedPool,
  look: (query: Query) => AsyncIterable<T>,
): AsyncGenerator<T> {
  const client = await attempt(() => pool.connect());
  try {
    await beginSnapshot(client, scope());
    yield* look(queryOf(client));
  } catch (thrown) {
    throw postgresFailure(name, thrown);
  } finally {
    // The transaction ends with its connection.
    client.release(true);
  }
}

async function runStatement(
  client: PoolClient,
  sql: string,
  values?: unknown[],
): Promise<{ rows: Row[] }> {
  try {
    return await client.query(sql, values);
  } catch (thrown) {
    if (!isConnectionLost(thrown)) await client.query("ROLLBACK");
    throw thrown;
  }
}

/** As callers may read it: without the server's address. */
function nameOf({ url }: PostgresAddress): string {
  return `Postgres store '${decodeURIComponent(new URL(url).pathname.slice(1))}'`;
}
