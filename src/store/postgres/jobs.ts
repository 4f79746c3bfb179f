import type { Firing, JobRunFilter, JobSchedule, JobStore, KeptJobRun } from "../../model/work/job-run.ts";
import { parseRevised, type Row, removedAtOnce } from "../rows.ts";
import type { Connection } from "./connection.ts";
import type { Messages } from "./pg-boss.ts";
import { type Query, same, where } from "./query.ts";

export function createJobStore({ read, write, change }: Connection, messages: Messages): JobStore {
  return {
    jobSchedule: (job, owner) =>
      read(async (query) => {
        const sql = "SELECT record, revision FROM job_schedules WHERE job = $1 AND owner = $2";
        return first<JobSchedule>(await query(sql, [job, owner ?? ""]));
      }),
    jobSchedules: () =>
      read(async (query) => all<JobSchedule>(await query("SELECT record, revision FROM job_schedules"))),
    putJobSchedules: (schedules) =>
      write((query) => oneByOne(schedules, keyOf, (schedule) => writeSchedule(query, schedule))),
    dueJobSchedules: (now) =>
      read(async (query) => {
        const sql = "SELECT record, revision FROM job_schedules WHERE due_at <= $1 ORDER BY priority DESC, due_at";
        return all<JobSchedule>(await query(sql, [now]));
      }),
    fireJobSchedules: (firings) =>
      write((query) => fireSchedules(query, firings, messages), { notify: messages.notification() }),
    addJobRun: (run) =>
      write(
        async (query) => {
          if (await insertRun(query, run)) {
            await messages.putRuns(query, [run]);
            return run;
          }
          const sql = "SELECT record, revision FROM job_runs WHERE slot = $1";
          return first<KeptJobRun>(await query(sql, [run.slot])) as KeptJobRun;
        },
        { notify: messages.notification() },
      ),
    jobRun: (id) =>
      read(async (query) =>
        first<KeptJobRun>(await query("SELECT record, revision FROM job_runs WHERE id = $1", [id])),
      ),
    replaceJobRun: (run) =>
      run.endedAt === null
        ? change((query) => updateRun(query, run))
        : write((query) => updateRun(query, run), { notify: { what: "jobRun", id: run.id } }),
    // Under a lock: planes count the running jobs of each other.
    claimJobRun: (run, now) => write((query) => claimRun(query, run, now), { lock: "jobs" }),
    jobRuns: (filter) => read((query) => selectRuns(query, filter)),
    activeJobRuns: (job, owner) =>
      read(async (query) => {
        const sql = "SELECT count(*) AS count FROM job_runs WHERE job = $1 AND owner = $2 AND ended_at IS NULL";
        return Number((await query(sql, [job, owner ?? ""])).rows[0]?.count);
      }),
    forgetJobRuns: (before) =>
      write(async (query) => {
        const sql =
          "DELETE FROM job_runs WHERE sequence IN (SELECT sequence FROM job_runs WHERE ended_at < $1 LIMIT $2)";
        return (await query(sql, [before, removedAtOnce.jobRuns])).count;
      }),
  };
}

async function fireSchedules(query: Query, firings: readonly Firing[], messages: Messages): Promise<boolean[]> {
  const made: KeptJobRun[] = [];
  const written = await oneByOne(
    firings,
    ({ schedule }) => keyOf(schedule),
    async ({ schedule, runs }) => {
      const isOurs = await writeSchedule(query, schedule);
      for (const run of isOurs ? runs : []) if (await insertRun(query, run)) made.push(run);
      return isOurs;
    },
  );
  await messages.putRuns(query, made);
  return written;
}

async function writeSchedule(query: Query, schedule: JobSchedule): Promise<boolean> {
  const { job, owner, priority, revision } = schedule;
  const dueAt = schedule.paused === null ? schedule.nextAt : null;
  const written =
    revision === 0
      ? await query(
          `INSERT INTO job_schedules (job, owner, due_at, priority, revision, record) VALUES ($1, $2, $3, $4, 1, $5)
           ON CONFLICT DO NOTHING`,
          [job, owner ?? "", dueAt, priority, JSON.stringify(schedule)],
        )
      : await query(
          `UPDATE job_schedules SET due_at = $1, priority = $2, record = $3, revision = revision + 1
           WHERE job = $4 AND owner = $5 AND revision = $6`,
          [dueAt, priority, JSON.stringify(schedule), job, owner ?? "", revision],
        );
  return written.count === 1;
}

async function insertRun(query: Query, run: KeptJobRun): Promise<boolean> {
  const { count } = await query(
    `INSERT INTO job_runs (id, slot, job, owner, user_name, origin, state, priority, most, due_at, ended_at, revision, record)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13) ON CONFLICT (slot) DO NOTHING`,
    [
      ...[run.id, run.slot, run.job, run.owner ?? "", run.user, run.origin, run.state],
      ...[run.priority, run.most, run.dueAt, run.endedAt, run.revision, JSON.stringify(run)],
    ],
  );
  return count === 1;
}

async function updateRun(query: Query, run: KeptJobRun): Promise<boolean> {
  const { count } = await query(
    `UPDATE job_runs SET state = $1, due_at = $2, ended_at = $3, record = $4, revision = revision + 1
     WHERE id = $5 AND revision = $6`,
    [run.state, run.dueAt, run.endedAt, JSON.stringify(run), run.id, run.revision],
  );
  return count === 1;
}

async function claimRun(query: Query, run: KeptJobRun, now: string): Promise<boolean> {
  const { rows } = await query(
    `SELECT count(*) AS count FROM job_runs
     WHERE job = $1 AND owner = $2 AND state = 'running' AND due_at > $3 AND id <> $4`,
    [run.job, run.owner ?? "", now, run.id],
  );
  return Number(rows[0]?.count) < run.most && (await updateRun(query, run));
}

async function selectRuns(query: Query, filter: JobRunFilter): Promise<KeptJobRun[]> {
  const { sql, values } = where(
    ["job = ?", filter.job],
    ["owner = ?", filter.owner === undefined ? undefined : (filter.owner ?? "")],
    ["state = ?", filter.state],
    ["origin = ?", filter.origin],
    [`(origin = 'schedule' OR ${same("user_name")})`, filter.seenBy],
    ["sequence < (SELECT sequence FROM job_runs WHERE id = ?)", filter.before],
  );
  return all<KeptJobRun>(
    await query(`SELECT record, revision FROM job_runs ${sql} ORDER BY sequence DESC LIMIT $${values.length + 1}`, [
      ...values,
      filter.limit ?? null,
    ]),
  );
}

/** Writes in the order of keys, so that two planes with the same items cannot deadlock. */
async function oneByOne<T>(
  items: readonly T[],
  keyOf: (item: T) => string,
  write: (item: T) => Promise<boolean>,
): Promise<boolean[]> {
  const written: boolean[] = items.map(() => false);
  const keys = items.map((item, at) => ({ item, at, key: keyOf(item) }));
  for (const { item, at } of keys.sort(byKey)) written[at] = await write(item);
  return written;
}

function byKey(one: { key: string }, other: { key: string }): number {
  return one.key < other.key ? -1 : one.key > other.key ? 1 : 0;
}

function keyOf({ job, owner }: JobSchedule): string {
  return JSON.stringify([job, owner]);
}

function all<T extends { revision: number }>({ rows }: { rows: Row[] }): T[] {
  return rows.map(parseRevised<T>);
}

function first<T extends { revision: number }>(answer: { rows: Row[] }): T | null {
  return all<T>(answer)[0] ?? null;
}
