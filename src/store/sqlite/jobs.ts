import type { JobRunFilter, JobSchedule, KeptJobRun } from "../../model/job-run.ts";
import type { JobStore } from "../../model/job-store.ts";
import type { Prepare } from "./connection.ts";
import { where } from "./where.ts";

type Row = { [column: string]: unknown };

/** So many are removed at a time. */
const removedAtATime = 500;

function selectJobSchedule(prepare: Prepare, job: string, owner: string | null): JobSchedule | null {
  const row = prepare("SELECT record, revision FROM job_schedules WHERE job = ? AND owner = ?").get(
    job,
    owner ?? "",
  );
  return row ? parse<JobSchedule>(row) : null;
}

function selectJobSchedules(prepare: Prepare): JobSchedule[] {
  return prepare("SELECT record, revision FROM job_schedules")
    .all()
    .map(parse<JobSchedule>);
}

/** The most urgent first, then those that have waited longest. */
function selectDueJobSchedules(prepare: Prepare, now: string): JobSchedule[] {
  return prepare(
    "SELECT record, revision FROM job_schedules WHERE due_at <= ? ORDER BY priority DESC, due_at",
  )
    .all(now)
    .map(parse<JobSchedule>);
}

/** One with the revision 0 is new, and is not there twice; another replaces the one that was read. */
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
  return row ? parse<KeptJobRun>(row) : null;
}

function selectJobRunBySlot(prepare: Prepare, slot: string): KeptJobRun | null {
  const row = prepare("SELECT record, revision FROM job_runs WHERE slot = ?").get(slot);
  return row ? parse<KeptJobRun>(row) : null;
}

/** Only what is still as it was read. */
function updateJobRun(prepare: Prepare, run: KeptJobRun): boolean {
  return didChange(
    prepare(
      `UPDATE job_runs SET state = ?, due_at = ?, ended_at = ?, record = ?, revision = revision + 1
       WHERE id = ? AND revision = ?`,
    ).run(run.state, run.dueAt, run.endedAt, JSON.stringify(run), run.id, run.revision),
  );
}

/** The same for one that begins: only where its job has room. */
function claimJobRun(prepare: Prepare, run: KeptJobRun, now: string): boolean {
  const row = prepare(
    `SELECT count(*) AS count FROM job_runs
     WHERE job = ? AND owner = ? AND state = 'running' AND due_at > ? AND id <> ?`,
  ).get(run.job, run.owner ?? "", now, run.id);
  return Number(row?.count) < run.most && updateJobRun(prepare, run);
}

/** Newest first. */
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
    .map(parse<KeptJobRun>);
}

/** How many wait or are under way. */
function countActiveJobRuns(prepare: Prepare, job: string, owner: string | null): number {
  const row = prepare(
    "SELECT count(*) AS count FROM job_runs WHERE job = ? AND owner = ? AND ended_at IS NULL",
  ).get(job, owner ?? "");
  return Number(row?.count);
}

function deleteJobRunsBefore(prepare: Prepare, before: string): number {
  const sql =
    "DELETE FROM job_runs WHERE sequence IN (SELECT sequence FROM job_runs WHERE ended_at < ? LIMIT ?)";
  return Number(prepare(sql).run(before, removedAtATime).changes);
}

function didChange({ changes }: { changes: number | bigint }): boolean {
  return Number(changes) === 1;
}

/** The column knows how often it was changed; the text was written before that. */
function parse<T extends { revision: number }>(row: Row): T {
  return { ...(JSON.parse(String(row.record)) as T), revision: Number(row.revision) };
}

type Connection = {
  read<T>(work: (prepare: Prepare) => T): Promise<T>;
  write<T>(work: (prepare: Prepare) => T): Promise<T>;
};

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
      write((prepare) =>
        insertJobRun(prepare, run) ? run : (selectJobRunBySlot(prepare, run.slot) as KeptJobRun),
      ),
    jobRun: (id) => read((prepare) => selectJobRun(prepare, id)),
    replaceJobRun: (run) => write((prepare) => updateJobRun(prepare, run)),
    claimJobRun: (run, now) => write((prepare) => claimJobRun(prepare, run, now)),
    jobRuns: (filter) => read((prepare) => selectJobRuns(prepare, filter)),
    activeJobRuns: (job, owner) => read((prepare) => countActiveJobRuns(prepare, job, owner)),
    forgetJobRuns: (before) => write((prepare) => deleteJobRunsBefore(prepare, before)),
  };
}
