import type { PostgresAddress } from "@toolplane/core/model/packages";
import {
  type DueKind,
  deadLetterGroup,
  runGroup,
  type StoreNews,
} from "@toolplane/core/model/store";
import { deadLetterDueAt, type KeptDeadLetter } from "@toolplane/core/model/work/dead-letter";
import type { KeptJobRun } from "@toolplane/core/model/work/job-run";
import type { DueRecords, SqlValue } from "@toolplane/core/store";
import type { Clock, ConnectionOptions, JobInsert, PgBoss } from "pg-boss";
import type { PostgresConnection } from "./connection.ts";
import type { Query } from "./query.ts";
import { postgresFailure } from "./store-failure.ts";

/** Without a heartbeat for this long, work goes to another plane. */
const heartbeatSeconds = 30;
const daySeconds = 24 * 3_600;
/** The limit of pg-boss. */
const maxSchemaLength = 50;

export const queues = { run: "runs", deadLetter: "dead-letters" } as const satisfies Record<
  DueKind,
  string
>;

/** The records decide about time and retries; a message that expired is sent again. */
const queueOptions = {
  heartbeatSeconds,
  expireInSeconds: daySeconds,
  retentionSeconds: 30 * daySeconds,
  retryLimit: 1_000_000,
  retryDelay: 0,
};

/** Its timers do not keep the process alive. */
const clock: Clock = {
  now: () => Date.now(),
  setTimeout: (work, ms) => setTimeout(work, ms).unref(),
  clearTimeout: (timer) => clearTimeout(timer as NodeJS.Timeout),
  setInterval: (work, ms) => setInterval(work, ms).unref(),
  clearInterval: (timer) => clearInterval(timer as NodeJS.Timeout),
};

/** pg-boss in a schema beside ours, on our connections, without its own schedules, workers and supervision. */
export async function startBoss(
  { name, read, statement }: PostgresConnection,
  { schema }: PostgresAddress,
): Promise<PgBoss> {
  // Loaded only by planes that run jobs.
  const { PgBoss } = await import("pg-boss");
  const ownSchema = bossSchema(schema);
  const { rows } = await read((query) =>
    query("SELECT EXISTS (SELECT FROM pg_namespace WHERE nspname = $1) AS there", [ownSchema]),
  );
  const boss = new PgBoss({
    db: { executeSql: statement },
    schema: ownSchema,
    // CREATE SCHEMA IF NOT EXISTS needs a right even where the schema exists.
    createSchema: rows[0]?.there !== true,
    clock,
    schedule: false,
    supervise: false,
    reindex: false,
    monitorVacuum: false,
    monitorIntervalSeconds: 5,
    warningQueueSize: 1_000_000,
  });
  // Failures reach the caller of each method; background work is repeated.
  boss.on("error", () => undefined);
  boss.on("warning", () => undefined);
  try {
    await boss.start();
    for (const queue of Object.values(queues)) await boss.createQueue(queue, queueOptions);
    return boss;
  } catch (thrown) {
    await boss.stop({ graceful: false, close: false }).catch(() => undefined);
    throw postgresFailure(name, thrown);
  }
}

/** Deterministic, and unique for schemas that are too long. */
export function bossSchema(schema: string): string {
  const schemaName = `${schema}_jobs`;
  if (schemaName.length <= maxSchemaLength) return schemaName;
  const { hash } = process.getBuiltinModule("node:crypto");
  return `${schema.slice(0, maxSchemaLength - 14)}_${hash("sha256", schema).slice(0, 8)}_jobs`;
}

/** Makes a method of pg-boss part of our transaction. */
export function inBossTransaction(query: Query): ConnectionOptions {
  return { db: { executeSql: (sql, values) => query(sql, values as SqlValue[] | undefined) } };
}

/** `dueAt` is that of the record when the message was sent; missing in older ones. */
export type QueueMessage = { id: string; priority: number; dueAt?: string };
export type MessageQueue = ReturnType<typeof createMessageQueue>;

/** One message for each record that is due, sent in the transaction of the record. */
export function createMessageQueue() {
  let boss: PgBoss | null = null;

  async function send(
    query: Query,
    kind: DueKind,
    messages: JobInsert<QueueMessage>[],
  ): Promise<void> {
    if (boss !== null && messages.length > 0)
      await boss.insert(queues[kind], messages, { ...inBossTransaction(query), returnId: false });
  }

  return {
    /** Null where this plane runs no jobs: another plane sends the message. */
    use(startedBoss: PgBoss | null): void {
      boss = startedBoss;
    },
    notification(): StoreNews {
      return boss === null ? { what: "dueWork", unsent: true } : { what: "dueWork" };
    },
    async put(query: Query, { runs = [], letters = [] }: DueRecords): Promise<void> {
      await send(query, "run", runs.flatMap(ofRun));
      await send(query, "deadLetter", letters.flatMap(ofDeadLetter));
    },
  };
}

function ofRun(run: KeptJobRun): JobInsert<QueueMessage>[] {
  if (run.dueAt === null) return [];
  return [
    {
      id: messageId("run", run.id, run.scheduledFor ?? run.createdAt),
      data: { id: run.id, priority: run.priority, dueAt: run.dueAt },
      priority: run.priority,
      startAfter: secondsUntil(run.dueAt),
      group: { id: runGroup(run.job, run.owner), tier: String(run.most) },
    },
  ];
}

function ofDeadLetter(letter: KeptDeadLetter): JobInsert<QueueMessage>[] {
  const dueAt = deadLetterDueAt(letter);
  if (dueAt === null) return [];
  return [
    {
      id: messageId("deadLetter", letter.id, letter.createdAt),
      data: { id: letter.id, priority: 0 },
      startAfter: secondsUntil(dueAt),
      group: { id: deadLetterGroup(letter) },
    },
  ];
}

/** Relative, because the server has its own clock. */
export function secondsUntil(moment: string | number): number {
  const ms = typeof moment === "number" ? moment : Date.parse(moment);
  return Math.max(0, (ms - Date.now()) / 1000);
}

/** One id per record, so that it has one message. Sorts by time: runs of one job start in that order. */
function messageId(kind: DueKind, id: string, createdAt: string): string {
  const time = Math.max(0, Date.parse(createdAt)).toString(16).padStart(12, "0").slice(-12);
  const { hash } = process.getBuiltinModule("node:crypto");
  const digest = hash("sha256", `${kind} ${id}`);
  return `${time.slice(0, 8)}-${time.slice(8)}-7${digest.slice(0, 3)}-8${digest.slice(3, 6)}-${digest.slice(6, 18)}`;
}
