import { type DueItem, type DueWork, deadLetterGroup, runGroup } from "../../model/due-work.ts";
import type { Prepare } from "./connection.ts";
import { selectDueDeadLetters } from "./dead-letters.ts";

type Connection = { read<T>(work: (prepare: Prepare) => T): Promise<T> };
type Row = { [column: string]: unknown };
/** Due, with how many more of its group may begin. */
type Candidate = DueItem & { room: number };

/**
 * What is due, read from the records themselves. Planes on one file may be given the same item: the first to write its
 * record has it, and the others have lost nothing.
 */
export function createDueWork({ read }: Connection): DueWork {
  const taken = new Set<string>();
  /** What was given back, and until when. */
  const resting = new Map<string, number>();
  const keyOf = ({ kind, id }: DueItem) => `${kind} ${id}`;

  function isFree(item: DueItem, without: ReadonlySet<string>): boolean {
    return !taken.has(keyOf(item)) && !resting.has(keyOf(item)) && !without.has(item.group);
  }

  /** What others have to do must not hide what we can. */
  async function runs(most: number, without: ReadonlySet<string>): Promise<DueItem[]> {
    const now = new Date().toISOString();
    for (let limit = 2 * most + taken.size; most > 0; limit *= 4) {
      const found = await read((prepare) => selectDueRuns(prepare, now, limit));
      const free = withinGroups(found.filter((item) => isFree(item, without))).slice(0, most);
      if (free.length === most || found.length < limit) return free;
    }
    return [];
  }

  async function deadLetters(most: number, without: ReadonlySet<string>): Promise<DueItem[]> {
    if (most === 0) return [];
    const due = await read((prepare) => selectDueDeadLetters(prepare, new Date().toISOString()));
    return due
      .map((letter): DueItem => ({ kind: "deadLetter", id: letter.id, group: deadLetterGroup(letter) }))
      .filter((item) => isFree(item, without))
      .slice(0, most);
  }

  return {
    lookMs: Number.POSITIVE_INFINITY,
    async take(room, without) {
      for (const [key, until] of resting) if (until <= Date.now()) resting.delete(key);
      const items = [...(await runs(room.run, without)), ...(await deadLetters(room.deadLetter, without))];
      for (const item of items) taken.add(keyOf(item));
      return items;
    },
    async settle(item) {
      taken.delete(keyOf(item));
    },
    async giveBack(item, at) {
      taken.delete(keyOf(item));
      if (at > Date.now()) resting.set(keyOf(item), at);
    },
    async nextAt(after) {
      const next = await read((prepare) => selectNextDue(prepare, new Date(after).toISOString()));
      const times = [...resting.values(), ...(next === null ? [] : [Date.parse(next)])];
      return times.length === 0 ? null : Math.min(...times);
    },
    stop: async () => undefined,
  };
}

/** The most urgent first: without those whose job has no room. */
function selectDueRuns(prepare: Prepare, now: string, limit: number): Candidate[] {
  return prepare(
    `SELECT id, job, owner, most - running AS room FROM (
       SELECT id, job, owner, most, priority, due_at, sequence, (
         SELECT count(*) FROM job_runs AS other
         WHERE other.job = due.job AND other.owner = due.owner AND other.state = 'running' AND other.due_at > ?
       ) AS running
       FROM job_runs AS due WHERE due_at <= ?
     ) WHERE running < most ORDER BY priority DESC, due_at, sequence LIMIT ?`,
  )
    .all(now, now, limit)
    .map(asCandidate);
}

function asCandidate({ id, job, owner, room }: Row): Candidate {
  const group = runGroup(String(job), owner === "" ? null : String(owner));
  return { kind: "run", id: String(id), group, room: Number(room) };
}

/** As many of each job as have room. */
function withinGroups(found: readonly Candidate[]): DueItem[] {
  const counts = new Map<string, number>();
  return found.flatMap(({ room, ...item }) => {
    const count = counts.get(item.group) ?? 0;
    counts.set(item.group, count + 1);
    return count < room ? [item] : [];
  });
}

function selectNextDue(prepare: Prepare, after: string): string | null {
  const row = prepare(
    `SELECT min(due_at) AS next FROM (
       SELECT min(due_at) AS due_at FROM job_schedules WHERE due_at > ?
       UNION ALL SELECT min(due_at) FROM job_runs WHERE due_at > ?
       UNION ALL SELECT min(due_at) FROM dead_letters WHERE due_at > ?)`,
  ).get(after, after, after);
  return typeof row?.next === "string" ? row.next : null;
}
