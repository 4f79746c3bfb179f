import { withoutUndefined } from "@toolplane/core/lib/json/plain-data";
import type { RecordSealer } from "@toolplane/core/model/config/settings";
import type { PostgresAddress } from "@toolplane/core/model/packages";
import type { DueItem, DueKind, DueWork } from "@toolplane/core/model/store";
import type { KeptDeadLetter } from "@toolplane/core/model/work/dead-letter";
import type { KeptJobRun } from "@toolplane/core/model/work/job-run";
import { type DueRecords, loadTables, type Row, type Work } from "@toolplane/core/store";
import type { PgBoss } from "pg-boss";
import type { PostgresConnection } from "./connection.ts";
import type { Listener } from "./notifications.ts";
import {
  inBossTransaction,
  type MessageQueue,
  type QueueMessage,
  queues,
  secondsUntil,
  startBoss,
} from "./pg-boss.ts";
import { follow, type Query } from "./query.ts";
import { postgresFailure } from "./store-failure.ts";

/** How often a plane sends its heartbeat, and looks for planes without one. */
const heartbeatMs = 10_000;
/** How often it looks for records without a message. */
const adoptMs = 30_000;
const adoptedAtOnce = 500;
/** Planes count the running jobs of others under this lock. */
const lock = "jobs";
const farFuture = "9999";

/** A message carries the concurrency limit of its job as a tier. */
const tiers = Object.fromEntries(
  Array.from({ length: 100 }, (_, index) => [String(index + 1), index + 1]),
);
const groupConcurrency = { default: 1, tiers };

type Parts = {
  connection: PostgresConnection;
  address: PostgresAddress;
  listener: Listener;
  messages: MessageQueue;
  sealer: RecordSealer | null;
};
/** `retryCount` tells our attempt from a later one by another plane. */
type Attempt = { id: string; retryCount: number };
type TakenJob = Attempt & { kind: DueKind };
type FetchedItem = { item: DueItem; attempt: TakenJob; priority: number };

/** Due work from pg-boss: each item goes to one plane, and from a plane that died to another. */
export function createPostgresDueWork({ connection, address, listener, messages, sealer }: Parts) {
  let opened: DueWork | null = null;

  async function open(): Promise<DueWork> {
    const [boss, { selectNextDue }] = await Promise.all([
      startBoss(connection, address),
      loadTables(),
    ]);
    messages.use(boss);
    const maintenance = createMaintenance(boss, { connection, listener, messages, sealer });
    opened = {
      ...takeFrom(boss, connection, maintenance, selectNextDue),
      async stop() {
        opened = null;
        messages.use(null);
        maintenance.stop();
        await boss.stop({ graceful: false, close: false });
      },
    };
    return opened;
  }

  return { open, close: async () => void (await opened?.stop()) };
}

type Maintenance = ReturnType<typeof createMaintenance>;

/** Heartbeats for what this plane has taken, supervision of others, and messages for records without one. */
function createMaintenance(
  boss: PgBoss,
  { connection, listener, messages, sealer }: Omit<Parts, "address">,
) {
  const takenJobs = new Map<string, TakenJob>();
  let superviseAt = 0;
  let adoptAt = 0;
  let isFirst = true;

  const stopListening = listener.on((news) => {
    if (news.what === "dueWork" && news.unsent) adoptAt = 0;
  });
  const attemptsOf = (kind: DueKind) =>
    [...takenJobs.values()].filter((job) => job.kind === kind).map(attemptOf);
  const beat = () =>
    Promise.all(
      kinds.map(
        (kind) => attemptsOf(kind).length > 0 && boss.touch(queues[kind], attemptsOf(kind)),
      ),
    )
      // The next heartbeat tries again; the record shows whether another plane took over.
      .catch(() => undefined);
  const timer = setInterval(beat, heartbeatMs).unref();

  return {
    taken: takenJobs,
    async run(): Promise<void> {
      const now = performance.now();
      if (now >= superviseAt) {
        superviseAt = now + heartbeatMs;
        await boss.supervise().catch((thrown) => {
          throw postgresFailure(connection.name, thrown);
        });
      }
      if (now >= adoptAt) {
        adoptAt = now + adoptMs;
        const dueBefore = isFirst ? farFuture : new Date(Date.now() + 2 * adoptMs).toISOString();
        await sendMissing(connection.write, messages, sealer, dueBefore);
        isFirst = false;
      }
    },
    stop(): void {
      stopListening();
      clearInterval(timer);
    },
  };
}

function takeFrom(
  boss: PgBoss,
  { read, write, change }: PostgresConnection,
  { taken: takenJobs, run }: Maintenance,
  selectNextDue: (after: string) => Work<string | null>,
): Omit<DueWork, "stop"> {
  const release = (item: DueItem): TakenJob | undefined => {
    const takenJob = takenJobs.get(keyOf(item));
    takenJobs.delete(keyOf(item));
    return takenJob;
  };
  return {
    lookMs: heartbeatMs,
    async take(room, without) {
      await run();
      const ignored = [...without];
      const fetched = await write(
        async (query) => [
          ...(await fetchDue(boss, query, "run", room.run, ignored)),
          ...(await fetchDue(boss, query, "deadLetter", room.deadLetter, ignored)),
        ],
        { lock },
      );
      for (const { item, attempt } of fetched) takenJobs.set(keyOf(item), attempt);
      return fetched.sort((a, b) => b.priority - a.priority).map(({ item }) => item);
    },
    async settle(item) {
      const takenJob = release(item);
      if (takenJob)
        await change((query) =>
          boss.deleteJob(queues[item.kind], attemptOf(takenJob), inBossTransaction(query)),
        );
    },
    async giveBack(item, dueAt) {
      const takenJob = release(item);
      const seconds = secondsUntil(dueAt);
      if (takenJob)
        await write(
          (query) => putBack(boss, query, takenJob, seconds),
          seconds === 0 ? { notify: { what: "dueWork" } } : {},
        );
    },
    async nextAt(after) {
      const nextDue = await read((query) =>
        follow(selectNextDue(new Date(after).toISOString()), query),
      );
      return nextDue === null ? null : Date.parse(nextDue);
    },
  };
}

async function fetchDue(
  boss: PgBoss,
  query: Query,
  kind: DueKind,
  batchSize: number,
  ignoreGroups: string[],
): Promise<FetchedItem[]> {
  if (batchSize === 0) return [];
  const limits = kind === "run" ? { groupConcurrency } : {};
  const options = { batchSize, ignoreGroups, ...limits, ...inBossTransaction(query) };
  const jobs = await boss.fetch<QueueMessage>(queues[kind], options);
  return jobs.map(({ id, retryCount, groupId, data }) => ({
    item: {
      kind,
      id: data.id,
      group: groupId ?? "",
      ...withoutUndefined({ dueAt: data.dueAt }),
    },
    attempt: { kind, id, retryCount },
    priority: data.priority,
  }));
}

const kinds = Object.keys(queues) as DueKind[];

function keyOf({ kind, id }: DueItem): string {
  return `${kind} ${id}`;
}

function attemptOf({ id, retryCount }: TakenJob): Attempt {
  return { id, retryCount };
}

/** Only our own attempt: another plane may have it by now. */
async function putBack(
  boss: PgBoss,
  query: Query,
  takenJob: TakenJob,
  startAfter: number,
): Promise<void> {
  const queue = queues[takenJob.kind];
  await boss.fail(queue, attemptOf(takenJob), null, inBossTransaction(query));
  await boss.update(queue, undefined, { id: takenJob.id, startAfter, ...inBossTransaction(query) });
}

/** Sends messages for records without one: from a plane without jobs, an older version or an import. Idempotent. */
async function sendMissing(
  write: PostgresConnection["write"],
  messages: MessageQueue,
  sealer: RecordSealer | null,
  dueBefore: string,
): Promise<void> {
  const { sealedRecords } = await loadTables();
  const jobRuns = sealedRecords({ sealer }, "job_runs");
  const deadLetters = sealedRecords({ sealer }, "dead_letters");
  await sendMissingOf("job_runs", (rows) => ({ runs: jobRuns.several<KeptJobRun>(rows) }));
  await sendMissingOf("dead_letters", (rows) => ({
    letters: deadLetters.several<KeptDeadLetter>(rows),
  }));

  async function sendMissingOf(table: string, asDue: (rows: Row[]) => DueRecords): Promise<void> {
    const sql = `SELECT sequence, id, record, revision FROM ${table} WHERE due_at <= $1 AND sequence > $2 ORDER BY sequence LIMIT $3`;
    for (let after = 0; ; ) {
      const rows = await write(async (query) => {
        const due = await query(sql, [dueBefore, after, adoptedAtOnce]);
        await messages.put(query, asDue(due.rows));
        return due.rows;
      });
      if (rows.length < adoptedAtOnce) return;
      after = Number(rows.at(-1)?.sequence);
    }
  }
}
