import { type DueItem, type DueWork, deadLetterGroup, runGroup } from "../../model/store.ts";
import { type Database, type Row, selectRows, type Work } from "../tables/database.ts";
import { selectDueDeadLetters, selectNextDue } from "../tables/work.ts";

/** Due, with how many more of its group may begin. */
type Candidate = DueItem & { room: number };

/** Due work, read from the records. Planes on one file may get the same item; the first to write its record wins. */
export function createSqliteDueWork({ read }: Pick<Database, "read">): DueWork {
  const takenKeys = new Set<string>();
  const deferredUntil = new Map<string, number>();
  const keyOf = ({ kind, id }: DueItem) => `${kind} ${id}`;

  function isFree(item: DueItem, without: ReadonlySet<string>): boolean {
    return (
      !takenKeys.has(keyOf(item)) && !deferredUntil.has(keyOf(item)) && !without.has(item.group)
    );
  }

  /** Asks for more until enough is free: items of other planes must not hide those we can take. */
  async function runs(most: number, without: ReadonlySet<string>): Promise<DueItem[]> {
    const now = new Date().toISOString();
    for (let limit = 2 * most + takenKeys.size; most > 0; limit *= 4) {
      const candidates = await read(() => selectDueRuns(now, limit));
      const free = withinGroups(candidates.filter((item) => isFree(item, without))).slice(0, most);
      if (free.length === most || candidates.length < limit) return free;
    }
    return [];
  }

  async function deadLetters(most: number, without: ReadonlySet<string>): Promise<DueItem[]> {
    if (most === 0) return [];
    const due = await read(() => selectDueDeadLetters(new Date().toISOString()));
    return due
      .map(
        (letter): DueItem => ({
          kind: "deadLetter",
          id: letter.id,
          group: deadLetterGroup(letter),
        }),
      )
      .filter((item) => isFree(item, without))
      .slice(0, most);
  }

  return {
    lookMs: Number.POSITIVE_INFINITY,
    async take(room, without) {
      for (const [key, until] of deferredUntil) if (until <= Date.now()) deferredUntil.delete(key);
      const items = [
        ...(await runs(room.run, without)),
        ...(await deadLetters(room.deadLetter, without)),
      ];
      for (const item of items) takenKeys.add(keyOf(item));
      return items;
    },
    async settle(item) {
      takenKeys.delete(keyOf(item));
    },
    async giveBack(item, until) {
      takenKeys.delete(keyOf(item));
      if (until > Date.now()) deferredUntil.set(keyOf(item), until);
    },
    async nextAt(after) {
      const nextDueAt = await read(() => selectNextDue(new Date(after).toISOString()));
      const times = [
        ...deferredUntil.values(),
        ...(nextDueAt === null ? [] : [Date.parse(nextDueAt)]),
      ];
      return times.length === 0 ? null : Math.min(...times);
    },
    stop: async () => undefined,
  };
}

/** Highest priority first, without jobs at their concurrency limit. */
function selectDueRuns(now: string, limit: number): Work<Candidate[]> {
  return selectRows(
    asCandidate,
    `SELECT id, job, owner, most - running AS room FROM (
       SELECT id, job, owner, most, priority, due_at, sequence, (
         SELECT count(*) FROM job_runs AS other
         WHERE other.job = due.job AND other.owner = due.owner AND other.state = 'running' AND other.due_at > ?
       ) AS running
       FROM job_runs AS due WHERE due_at <= ?
     ) WHERE running < most ORDER BY priority DESC, due_at, sequence LIMIT ?`,
    [now, now, limit],
  );
}

function asCandidate({ id, job, owner, room }: Row): Candidate {
  const group = runGroup(String(job), owner === "" ? null : String(owner));
  return { kind: "run", id: String(id), group, room: Number(room) };
}

/** Keeps every job within its concurrency limit. */
function withinGroups(candidates: readonly Candidate[]): DueItem[] {
  const counts = new Map<string, number>();
  return candidates.flatMap(({ room, ...item }) => {
    const count = counts.get(item.group) ?? 0;
    counts.set(item.group, count + 1);
    return count < room ? [item] : [];
  });
}
