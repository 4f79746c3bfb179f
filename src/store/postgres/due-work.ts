import type { PgBoss } from "pg-boss";
import type { DueItem, DueKind, DueWork } from "../../model/due-work.ts";
import { adopt } from "./adopt.ts";
import { inTransaction, queues, startBoss } from "./boss.ts";
import type { Connection, PostgresAddress } from "./connection.ts";
import type { Listener } from "./listener.ts";
import { type Message, type Messages, secondsUntil } from "./messages.ts";
import { type Query, textOrNull } from "./query.ts";
import { storeFailure } from "./store-failure.ts";

/** How often a plane says that it is there, and looks for those that have not said so. */
const beatMs = 10_000;
/** How often it looks for what has no message. */
const adoptMs = 30_000;
/** Whoever takes something counts what others have, and has to be the only one who does. */
const lock = "jobs";
/** Later than anything is due. */
const always = "9999";

/** How many runs of its job may be under way is written on each message. */
const tiers = Object.fromEntries(Array.from({ length: 100 }, (_, at) => [String(at + 1), at + 1]));
const groupConcurrency = { default: 1, tiers };

type Parts = { connection: Connection; address: PostgresAddress; listener: Listener; messages: Messages };
/** The message, and how often it has been given out: what was given to somebody else since is no longer ours. */
type Attempt = { id: string; retryCount: number };
type Taken = Attempt & { kind: DueKind };
type Found = { item: DueItem; attempt: Taken; priority: number };

/** What is due goes from pg-boss to one plane at a time, and from one that is gone to another. */
export function createDueWork({ connection, address, listener, messages }: Parts) {
  let opened: DueWork | null = null;

  async function open(): Promise<DueWork> {
    const boss = await startBoss(connection, address);
    messages.use(boss);
    const work = giveOut(boss, { connection, listener, messages });
    opened = {
      ...work,
      async stop() {
        opened = null;
        messages.use(null);
        await work.stop();
        await boss.stop({ graceful: false, close: false });
      },
    };
    return opened;
  }

  return { open, close: async () => void (await opened?.stop()) };
}

function giveOut(boss: PgBoss, { connection, listener, messages }: Omit<Parts, "address">): DueWork {
  const { name, read, write, change } = connection;
  const taken = new Map<string, Taken>();
  let superviseAt = 0;
  let adoptAt = 0;
  let isFirst = true;

  const leave = listener.on((news) => {
    if (news.what === "dueWork" && news.unsent) adoptAt = 0;
  });
  const beat = () =>
    Promise.all(
      kinds.map((kind) => attemptsOf(kind).length > 0 && boss.touch(queues[kind], attemptsOf(kind))),
    )
      // Who cannot say it now says it next time; what another has by then is found out from its record.
      .catch(() => undefined);
  const timer = setInterval(beat, beatMs).unref();

  function attemptsOf(kind: DueKind): Attempt[] {
    return [...taken.values()].filter((one) => one.kind === kind).map(attemptOf);
  }

  async function tidy(): Promise<void> {
    const now = performance.now();
    if (now >= superviseAt) {
      superviseAt = now + beatMs;
      await boss.supervise().catch((thrown) => {
        throw storeFailure(name, thrown);
      });
    }
    if (now >= adoptAt) {
      adoptAt = now + adoptMs;
      const before = isFirst ? always : new Date(Date.now() + 2 * adoptMs).toISOString();
      await adopt(write, messages, before);
      isFirst = false;
    }
  }

  async function fetch(
    query: Query,
    kind: DueKind,
    batchSize: number,
    ignoreGroups: string[],
  ): Promise<Found[]> {
    if (batchSize === 0) return [];
    const limits = kind === "run" ? { groupConcurrency } : {};
    const options = { batchSize, ignoreGroups, ...limits, ...inTransaction(query) };
    const jobs = await boss.fetch<Message>(queues[kind], options);
    return jobs.map(({ id, retryCount, groupId, data }) => ({
      item: { kind, id: data.id, group: groupId ?? "" },
      attempt: { kind, id, retryCount },
      priority: data.priority,
    }));
  }

  return {
    lookMs: beatMs,
    async take(room, without) {
      await tidy();
      const left = [...without];
      const found = await write(
        async (query) => [
          ...(await fetch(query, "run", room.run, left)),
          ...(await fetch(query, "deadLetter", room.deadLetter, left)),
        ],
        { lock },
      );
      for (const { item, attempt } of found) taken.set(keyOf(item), attempt);
      return found.sort((one, other) => other.priority - one.priority).map(({ item }) => item);
    },
    async settle(item) {
      const mine = taken.get(keyOf(item));
      taken.delete(keyOf(item));
      if (mine)
        await change((query) => boss.deleteJob(queues[item.kind], attemptOf(mine), inTransaction(query)));
    },
    async giveBack(item, at) {
      const mine = taken.get(keyOf(item));
      taken.delete(keyOf(item));
      const seconds = secondsUntil(at);
      if (mine)
        await write(
          (query) => putBack(boss, query, mine, seconds),
          seconds === 0 ? { news: { what: "dueWork" } } : {},
        );
    },
    async nextAt(after) {
      const next = await read((query) => selectNextDue(query, new Date(after).toISOString()));
      return next === null ? null : Date.parse(next);
    },
    async stop() {
      leave();
      clearInterval(timer);
    },
  };
}

const kinds = Object.keys(queues) as DueKind[];

function keyOf({ kind, id }: DueItem): string {
  return `${kind} ${id}`;
}

function attemptOf({ id, retryCount }: Taken): Attempt {
  return { id, retryCount };
}

/** Only where it is still ours: another may have it by now. */
async function putBack(boss: PgBoss, query: Query, mine: Taken, startAfter: number): Promise<void> {
  const queue = queues[mine.kind];
  await boss.fail(queue, attemptOf(mine), null, inTransaction(query));
  await boss.update(queue, undefined, { id: mine.id, startAfter, ...inTransaction(query) });
}

async function selectNextDue(query: Query, after: string): Promise<string | null> {
  const { rows } = await query(
    `SELECT least((SELECT min(due_at) FROM job_schedules WHERE due_at > $1),
                  (SELECT min(due_at) FROM job_runs WHERE due_at > $1),
                  (SELECT min(due_at) FROM dead_letters WHERE due_at > $1)) AS next`,
    [after],
  );
  return textOrNull(rows[0]?.next);
}
