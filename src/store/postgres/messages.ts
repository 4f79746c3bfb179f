import type { JobInsert, PgBoss } from "pg-boss";
import { deadLetterDueAt, type KeptDeadLetter } from "../../model/dead-letter.ts";
import { type DueKind, deadLetterGroup, runGroup } from "../../model/due-work.ts";
import type { KeptJobRun } from "../../model/job-run.ts";
import type { StoreNews } from "../../model/store.ts";
import { inTransaction, queues } from "./boss.ts";
import type { Query } from "./query.ts";

export type Message = { id: string; priority: number };
export type Messages = ReturnType<typeof createMessages>;

/** One message for each record that is due, sent with the record: both are there or neither. */
export function createMessages() {
  let boss: PgBoss | null = null;

  async function put(query: Query, kind: DueKind, messages: JobInsert<Message>[]): Promise<void> {
    if (boss !== null && messages.length > 0)
      await boss.insert(queues[kind], messages, { ...inTransaction(query), returnId: false });
  }

  return {
    /** Null where this plane only leaves records behind, and others send what is missing. */
    use(started: PgBoss | null): void {
      boss = started;
    },
    news: (): StoreNews => ({ what: "dueWork", ...(boss === null ? { unsent: true } : {}) }),
    putRuns: (query: Query, runs: readonly KeptJobRun[]) => put(query, "run", runs.flatMap(ofRun)),
    putDeadLetters: (query: Query, letters: readonly KeptDeadLetter[]) =>
      put(query, "deadLetter", letters.flatMap(ofDeadLetter)),
  };
}

function ofRun(run: KeptJobRun): JobInsert<Message>[] {
  if (run.dueAt === null) return [];
  return [
    {
      id: messageId("run", run.id, run.scheduledFor ?? run.createdAt),
      data: { id: run.id, priority: run.priority },
      priority: run.priority,
      startAfter: secondsUntil(run.dueAt),
      group: { id: runGroup(run.job, run.owner), tier: String(run.most) },
    },
  ];
}

function ofDeadLetter(letter: KeptDeadLetter): JobInsert<Message>[] {
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

/** From now: the server's clock is another. */
export function secondsUntil(at: string | number): number {
  const ms = typeof at === "number" ? at : Date.parse(at);
  return Math.max(0, (ms - Date.now()) / 1000);
}

/** One for each record, so that none has two. Sorts by time, since that is how those of one job are given out. */
function messageId(kind: DueKind, id: string, at: string): string {
  const time = Math.max(0, Date.parse(at)).toString(16).padStart(12, "0").slice(-12);
  const { hash } = process.getBuiltinModule("node:crypto");
  const rest = hash("sha256", `${kind} ${id}`);
  return `${time.slice(0, 8)}-${time.slice(8)}-7${rest.slice(0, 3)}-8${rest.slice(3, 6)}-${rest.slice(6, 18)}`;
}
