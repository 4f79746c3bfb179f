import type { Clock, ConnectionOptions, PgBoss } from "pg-boss";
import type { DueKind } from "../../model/due-work.ts";
import type { Connection, PostgresAddress } from "./connection.ts";
import type { Query, SqlValue } from "./query.ts";
import { storeFailure } from "./store-failure.ts";

/** What a plane has and has not said for so long that it is there goes to another. */
const heartbeatSeconds = 30;
const daySeconds = 24 * 3_600;
/** What pg-boss allows for the name of a schema. */
const maxSchema = 50;

export const queues = { run: "runs", deadLetter: "dead-letters" } as const satisfies Record<DueKind, string>;

/** How long something waits or takes is for its record to say; a message that is gone by then is sent again. */
const usual = {
  heartbeatSeconds,
  expireInSeconds: daySeconds,
  retentionSeconds: 30 * daySeconds,
  retryLimit: 1_000_000,
  retryDelay: 0,
};

/** Nobody stays alive only for its timers. */
const clock: Clock = {
  now: () => Date.now(),
  setTimeout: (work, ms) => setTimeout(work, ms).unref(),
  clearTimeout: (timer) => clearTimeout(timer as NodeJS.Timeout),
  setInterval: (work, ms) => setInterval(work, ms).unref(),
  clearInterval: (timer) => clearInterval(timer as NodeJS.Timeout),
};

/** pg-boss in a schema beside ours, on our connections; its calendar, its workers and its own looks are off. */
export async function startBoss(
  { name, read, statement }: Connection,
  { schema }: PostgresAddress,
): Promise<PgBoss> {
  // Loaded here, so that nobody pays for it who only makes a call.
  const { PgBoss } = await import("pg-boss");
  const own = bossSchema(schema);
  const { rows } = await read((query) =>
    query("SELECT EXISTS (SELECT FROM pg_namespace WHERE nspname = $1) AS there", [own]),
  );
  const boss = new PgBoss({
    db: { executeSql: statement },
    schema: own,
    // Creating what is there asks for a right that is not needed.
    createSchema: rows[0]?.there !== true,
    ...{ clock, schedule: false, supervise: false, reindex: false, monitorVacuum: false },
    monitorIntervalSeconds: 5,
    warningQueueSize: 1_000_000,
  });
  // Whoever asks is told of what fails; what it does beside is done again.
  boss.on("error", () => undefined);
  boss.on("warning", () => undefined);
  try {
    await boss.start();
    for (const queue of Object.values(queues)) await boss.createQueue(queue, usual);
    return boss;
  } catch (thrown) {
    await boss.stop({ graceful: false, close: false }).catch(() => undefined);
    throw storeFailure(name, thrown);
  }
}

/** The same for the same schema, and another for another, however long it is. */
export function bossSchema(schema: string): string {
  const plain = `${schema}_jobs`;
  if (plain.length <= maxSchema) return plain;
  const { hash } = process.getBuiltinModule("node:crypto");
  return `${schema.slice(0, maxSchema - 14)}_${hash("sha256", schema).slice(0, 8)}_jobs`;
}

/** What is asked of it there is part of our transaction. */
export function inTransaction(query: Query): ConnectionOptions {
  return { db: { executeSql: (sql, values) => query(sql, values as SqlValue[] | undefined) } };
}
