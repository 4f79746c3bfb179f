import { type DueItem, type DueWork, deadLetterGroup, runGroup } from "../../model/store.ts";
import type { JobRunFilter, JobSchedule, JobStore, KeptJobRun } from "../../model/work/job-run.ts";
import { parseRevised, type Row, removedAtOnce } from "../rows.ts";
import { type Connection, didChange, type Prepare, where } from "./connection.ts";
import { selectDueDeadLetters } from "./dead-letters.ts";

export function createJobStore({ read, write }: Connection): JobStore {
  return {
    jobSchedule: (job, owner) => read((prepare) => selectJobSchedule(prepare, job, owner)),
    jobSchedules: () => read(selectJobSchedules),
    putJobSchedules: (schedules) =>
      write((prepare) => schedules.map((schedule) => writeJobSchedule(prepare, schedule))),
    dueJobSchedules: (now) => read((prepare) => selectDueJobSchedules(prepare, now)),
    fireJobSchedules: (firings) =>
      write((prepare) =>
        firings.map(({ schedule, runs }) => {
          const isOurs = writeJobSchedule(prepare, schedule);
          if (isOurs) for (const run of runs) insertJobRun(prepare, run);
          return isOurs;
        }),
      ),
    addJobRun: (run) =>
      write((prepare) => (insertJobRun(prepare, run) ? run : (selectJobRunBySlot(prepare, run.slot) as KeptJobRun))),
    jobRun: (id) => read((prepare) => selectJobRun(prepare, id)),
    replaceJobRun: (run) => write((prepare) => updateJobRun(prepare, run)),
    claimJobRun: (run, now) => write((prepare) => claimJobRun(prepare, run, now)),
    jobRuns: (filter) => read((prepare) => selectJobRuns(prepare, filter)),
    activeJobRuns: (job, owner) => read((prepare) => countActiveJobRuns(prepare, job, owner)),
    forgetJobRuns: (before) => write((prepare) => deleteJobRunsBefore(prepare, before)),
  };
}

function selectJobSchedule(prepare: Prepare, job: string, owner: string | null): JobSchedule | null {
  const row = prepare("SELECT record, revision FROM job_schedules WHERE job = ? AND owner = ?").get(job, owner ?? "");
  return row ? parseRevised<JobSchedule>(row) : null;
}

function selectJobSchedules(prepare: Prepare): JobSchedule[] {
  return prepare("SELECT record, revision FROM job_schedules")
    .all()
    .map(parseRevised<JobSchedule>);
}

function selectDueJobSchedules(prepare: Prepare, now: string): JobSchedule[] {
  return prepare("SELECT record, revision FROM job_schedules WHERE due_at <= ? ORDER BY priority DESC, due_at")
    .all(now)
    .map(parseRevised<JobSchedule>);
}

/** Revision 0 is a new schedule; any other replaces the one that was read. */
function writeJobSchedule(prepare: Prepare, schedule: JobSchedule): boolean {
  const { job, owner, priority, revision } = schedule;
  const dueAt = schedule.paused === null ? schedule.nextAt : null;
  const record = JSON.stringify(schedule);
  if (revision === 0)
    return didChange(
      prepare(
        "INSERT INTO job_schedules (job, owner, due_at, priority, revision, record) VALUES (?, ?, ?, ?, 1, ?) ON CONFLICT DO NOTHING",
      ).run(job, owner ?? "", dueAt, priority, record),
    );
  return didChange(
    prepare(
      `UPDATE job_schedules SET due_at = ?, priority = ?, record = ?, revision = revision + 1
       WHERE job = ? AND owner = ? AND revision = ?`,
    ).run(dueAt, priority, record, job, owner ?? "", revision),
  );
}

/** False when the slot is taken. */
function insertJobRun(prepare: Prepare, run: KeptJobRun): boolean {
  return didChange(
    prepare(
      `INSERT INTO job_runs (id, slot, job, owner, user, origin, state, priority, most, due_at, ended_at, revision, record)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (slot) DO NOTHING`,
    ).run(
      ...[run.id, run.slot, run.job, run.owner ?? "", run.user, run.origin, run.state],
      ...[run.priority, run.most, run.dueAt, run.endedAt, run.revision, JSON.stringify(run)],
    ),
  );
}

function selectJobRun(prepare: Prepare, id: string): KeptJobRun | null {
  const row = prepare("SELECT record, revision FROM job_runs WHERE id = ?").get(id);
  return row ? parseRevised<KeptJobRun>(row) : null;
}

function selectJobRunBySlot(prepare: Prepare, slot: string): KeptJobRun | null {
  const row = prepare("SELECT record, revision FROM job_runs WHERE slot = ?").get(slot);
  return row ? parseRevised<KeptJobRun>(row) : null;
}

/** Optimistic: false when the row changed since it was read. */
function updateJobRun(prepare: Prepare, run: KeptJobRun): boolean {
  return didChange(
    prepare(
      `UPDATE job_runs SET state = ?, due_at = ?, ended_at = ?, record = ?, revision = revision + 1
       WHERE id = ? AND revision = ?`,
    ).run(run.state, run.dueAt, run.endedAt, JSON.stringify(run), run.id, run.revision),
  );
}

/** Begins a run only while its job is below its concurrency limit. */
function claimJobRun(prepare: Prepare, run: KeptJobRun, now: string): boolean {
  const row = prepare(
    `SELECT count(*) AS count FROM job_runs
     WHERE job = ? AND owner = ? AND state = 'running' AND due_at > ? AND id <> ?`,
  ).get(run.job, run.owner ?? "", now, run.id);
  return Number(row?.count) < run.most && updateJobRun(prepare, run);
}

function selectJobRuns(prepare: Prepare, filter: JobRunFilter): KeptJobRun[] {
  const { sql, values } = where(
    ["job = ?", filter.job],
    ["owner = ?", filter.owner === undefined ? undefined : (filter.owner ?? "")],
    ["state = ?", filter.state],
    ["origin = ?", filter.origin],
    ["(origin = 'schedule' OR user IS ?)", filter.seenBy],
    ["sequence < (SELECT sequence FROM job_runs WHERE id = ?)", filter.before],
  );
  return prepare(`SELECT record, revision FROM job_runs ${sql} ORDER BY sequence DESC LIMIT ?`)
    .all(...values, filter.limit ?? -1)
    .map(parseRevised<KeptJobRun>);
}

function countActiveJobRuns(prepare: Prepare, job: string, owner: string | null): number {
  const row = prepare("SELECT count(*) AS count FROM job_runs WHERE job = ? AND owner = ? AND ended_at IS NULL").get(
    job,
    owner ?? "",
  );
  return Number(row?.count);
}

function deleteJobRunsBefore(prepare: Prepare, before: string): number {
  const sql = "DELETE FROM job_runs WHERE sequence IN (SELECT sequence FROM job_runs WHERE ended_at < ? LIMIT ?)";
  return Number(prepare(sql).run(before, removedAtOnce.jobRuns).changes);
}

/** Due, with how many more of its group may begin. */
type Candidate = DueItem & { room: number };

/** Due work, read from the records. Planes on one file may get the same item; the first to write its record wins. */
export function createDueWork({ read }: Pick<Connection, "read">): DueWork {
  const taken = new Set<string>();
  const deferred = new Map<string, number>();
  const keyOf = ({ kind, id }: DueItem) => `${kind} ${id}`;

  function isFree(item: DueItem, without: ReadonlySet<string>): boolean {
    return !taken.has(keyOf(item)) && !deferred.has(keyOf(item)) && !without.has(item.group);
  }

  /** Asks for more until enough is free: items of other planes must not hide those we can take. */
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
      for (const [key, until] of deferred) if (until <= Date.now()) deferred.delete(key);
      const items = [...(await runs(room.run, without)), ...(await deadLetters(room.deadLetter, without))];
      for (const item of items) taken.add(keyOf(item));
      return items;
    },
    async settle(item) {
      taken.delete(keyOf(item));
    },
    async giveBack(item, at) {
      taken.delete(keyOf(item));
      if (at > Date.now()) deferred.set(keyOf(item), at);
    },
    async nextAt(after) {
      const next = await read((prepare) => selectNextDue(prepare, new Date(after).toISOString()));
      const times = [...deferred.values(), ...(next === null ? [] : [Date.parse(next)])];
      return times.length === 0 ? null : Math.min(...times);
    },
    stop: async () => undefined,
  };
}

/** Highest priority first, without jobs at their concurrency limit. */
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

/** Keeps every job within its concurrency limit. */
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
