import { compareText } from "../../lib/text/wording.ts";
import type { Store } from "../../model/store.ts";
import {
  type DeadLetterFilter,
  type DeadLetterPage,
  type DeadLetterStatus,
  type DueDeadLetter,
  deadLetterDueAt,
  deadLetterStatuses,
  type KeptDeadLetter,
} from "../../model/work/dead-letter.ts";
import type { Firing, JobSchedule, JobStore, KeptJobRun } from "../../model/work/job-run.ts";
import {
  beginsWith,
  type Condition,
  change,
  changeOne,
  type Database,
  equalOrNull,
  insert,
  newestFirst,
  parseRevised,
  query,
  replaceRevised,
  select,
  selectFirst,
  selectNumber,
  selectRows,
  textOrNull,
  type Work,
  where,
} from "./database.ts";
import { type SealedRecords, sealedRecords } from "./sealed.ts";

/** Rows removed in one transaction, so that writers do not wait long. */
const removedAtOnce = 500;
const schedules = "SELECT record, revision FROM job_schedules";
const runs = "SELECT id, record, revision FROM job_runs";

export function createJobStore(database: Database): JobStore {
  const { read, write } = database;
  const notify = { what: "dueWork" } as const;
  const schedule = parseRevised<JobSchedule>;
  const sealed = sealedRecords(database, "job_runs");
  return {
    jobSchedule: (job, owner, files) => {
      const key = [job, ownerKey({ owner, files })];
      return read(() => selectFirst(schedule, `${schedules} WHERE job = ? AND owner = ?`, key));
    },
    jobSchedules: () => read(() => selectRows(schedule, schedules)),
    putJobSchedules: (put) => write(() => oneByOne(put, (schedule) => schedule, writeSchedule)),
    dueJobSchedules: (now) =>
      read(() =>
        selectRows(schedule, `${schedules} WHERE due_at <= ? ORDER BY priority DESC, due_at`, [
          now,
        ]),
      ),
    async fireJobSchedules(firings) {
      const fired = await write(() => fireSchedules(sealed, firings), {
        notify,
        due: ({ made: newRuns }) => ({ runs: newRuns }),
      });
      return fired.written;
    },
    addJobRun: (run, ...earlierSlots) =>
      write(() => addRun(sealed, run, earlierSlots), {
        notify,
        due: (storedRun) => (storedRun === run ? { runs: [run] } : {}),
      }),
    jobRun: (id) => read(() => selectFirst(sealed.one<KeptJobRun>, `${runs} WHERE id = ?`, [id])),
    replaceJobRun: (run) =>
      write(
        () => replaceRun(sealed, run),
        run.endedAt === null ? { isSingle: true } : { notify: { what: "jobRun", id: run.id } },
      ),
    // Planes of 0.2 have one lock for all jobs.
    claimJobRun: (run, now) =>
      write(() => claimRun(database, sealed, run, now), { lock: "jobs", isShared: true }),
    jobRuns: (filter) =>
      read(function* () {
        const rows = yield* newestFirst(
          (row) => row,
          "job_runs",
          [
            ["job = ?", filter.job],
            ["owner = ?", filter.owner === null ? "" : filter.owner],
            ["state = ?", filter.state],
            ["origin = ?", filter.origin],
            [`(origin = 'schedule' OR ${equalOrNull("user_name")})`, filter.seenBy],
          ],
          filter,
          "id, record, revision",
        );
        return sealed.several<KeptJobRun>(rows);
      }),
    activeJobRuns: (job, owner) => {
      const sql = "SELECT count(*) FROM job_runs WHERE job = ? AND owner = ? AND ended_at IS NULL";
      return read(() => selectNumber(sql, [job, owner ?? ""]));
    },
    forgetJobRuns: (before) => {
      const sql =
        "DELETE FROM job_runs WHERE sequence IN (SELECT sequence FROM job_runs WHERE ended_at < ? LIMIT ?)";
      return write(() => change(sql, [before, removedAtOnce]), { survives: "process" });
    },
  };
}

/** Writes in the order of keys, so that two planes with the same items cannot deadlock. */
function* oneByOne<T>(
  items: readonly T[],
  scheduleOf: (item: T) => JobSchedule,
  write: (item: T) => Work<boolean>,
): Work<boolean[]> {
  const written = items.map(() => false);
  const keys = items.map((item, index) => ({
    index,
    key: JSON.stringify([scheduleOf(item).job, ownerKey(scheduleOf(item))]),
  }));
  for (const { index } of keys.sort(byKey)) written[index] = yield* write(items[index] as T);
  return written;
}

function byKey(a: { key: string }, b: { key: string }): number {
  return compareText(a.key, b.key);
}

function* fireSchedules(
  sealed: SealedRecords,
  firings: readonly Firing[],
): Work<{ written: boolean[]; made: KeptJobRun[] }> {
  const newRuns: KeptJobRun[] = [];
  const written = yield* oneByOne(
    firings,
    ({ schedule }) => schedule,
    function* (firing) {
      const isOurs = yield* writeSchedule(firing.schedule);
      for (const run of isOurs ? firing.runs : [])
        if (yield* insertRun(sealed, run)) newRuns.push(run);
      return isOurs;
    },
  );
  return { written, made: newRuns };
}

/** Configurations have jobs of one name. Without files it is the owner, as earlier versions write it. */
function ownerKey({
  owner,
  files,
}: Pick<JobSchedule, "owner"> & { files?: readonly string[] | undefined }): string {
  return files === undefined ? (owner ?? "") : `${owner ?? ""}\n${JSON.stringify(files)}`;
}

/** Revision 0 is a new schedule; any other replaces the one that was read. */
function writeSchedule(schedule: JobSchedule): Work<boolean> {
  const { job, priority, revision } = schedule;
  const key = { job, owner: ownerKey(schedule) };
  const dueAt = schedule.paused === null ? schedule.nextAt : null;
  const columns = { due_at: dueAt, priority, record: JSON.stringify(schedule) };
  return revision === 0
    ? insert("job_schedules", { ...key, ...columns, revision: 1 }, "ON CONFLICT DO NOTHING")
    : replaceRevised("job_schedules", { ...key, revision }, columns);
}

function* addRun(
  sealed: SealedRecords,
  run: KeptJobRun,
  earlierSlots: readonly (string | undefined)[],
): Work<KeptJobRun> {
  for (const slot of earlierSlots) {
    const earlierRun = slot === undefined ? null : yield* runIn(sealed, slot);
    if (earlierRun !== null && earlierRun.user === run.user) return earlierRun;
  }
  if (yield* insertRun(sealed, run)) return run;
  return (yield* runIn(sealed, run.slot)) as KeptJobRun;
}

function runIn(sealed: SealedRecords, slot: string): Work<KeptJobRun | null> {
  return selectFirst(sealed.one<KeptJobRun>, `${runs} WHERE slot = ?`, [slot]);
}

/** False when the slot is taken. */
function insertRun(sealed: SealedRecords, run: KeptJobRun): Work<boolean> {
  const { id, slot, job, owner, user, origin, state, priority, most, dueAt, endedAt, revision } =
    run;
  const times = { due_at: dueAt, ended_at: endedAt };
  const columns = {
    id,
    slot,
    job,
    owner: owner ?? "",
    user_name: user,
    origin,
    state,
    priority,
    most,
    ...times,
  };
  return insert(
    "job_runs",
    { ...columns, revision, record: sealed.text(id, run) },
    "ON CONFLICT (slot) DO NOTHING",
  );
}

function replaceRun(sealed: SealedRecords, run: KeptJobRun): Work<boolean> {
  const { id, revision, state, dueAt, endedAt } = run;
  const columns = { state, due_at: dueAt, ended_at: endedAt, record: sealed.text(id, run) };
  return replaceRevised("job_runs", { id, revision }, columns);
}

/** Begins a run only while its job is below its concurrency limit. Planes count the running ones of each other. */
function* claimRun(
  { lockValue }: Database,
  sealed: SealedRecords,
  run: KeptJobRun,
  now: string,
): Work<boolean> {
  yield* lockValue(`job ${JSON.stringify([run.job, run.owner])}`);
  const sql =
    "SELECT count(*) FROM job_runs WHERE job = ? AND owner = ? AND state = 'running' AND due_at > ? AND id <> ?";
  const running = yield* selectNumber(sql, [run.job, run.owner ?? "", now, run.id]);
  return running < run.most && (yield* replaceRun(sealed, run));
}

export function selectNextDue(after: string): Work<string | null> {
  return selectFirst(
    ({ next }) => textOrNull(next),
    `SELECT min(due_at) AS next FROM (
       SELECT min(due_at) AS due_at FROM job_schedules WHERE due_at > ?
       UNION ALL SELECT min(due_at) FROM job_runs WHERE due_at > ?
       UNION ALL SELECT min(due_at) FROM dead_letters WHERE due_at > ?) AS due`,
    [after, after, after],
  );
}

export function createDeadLetterTable(database: Database) {
  const { read, write } = database;
  const sealed = sealedRecords(database, "dead_letters");
  return {
    addDeadLetter: (letter, max) =>
      write(() => insertDeadLetter(database, sealed, letter, max), {
        notify: { what: "deadLetters" },
        due: () => ({ letters: [letter] }),
      }),
    deadLetter: (id) =>
      read(() =>
        selectFirst(
          sealed.one<KeptDeadLetter>,
          "SELECT id, record, revision FROM dead_letters WHERE id = ?",
          [id],
        ),
      ),
    deadLetters: (filter) => read(() => selectDeadLetters(sealed, filter)),
    replaceDeadLetter: (letter) =>
      write(
        () => {
          const { id, revision, status, updatedAt } = letter;
          const columns = { status, updated_at: updatedAt, due_at: deadLetterDueAt(letter) };
          return replaceRevised(
            "dead_letters",
            { id, revision },
            { ...columns, record: sealed.text(id, letter) },
          );
        },
        { due: (isReplaced) => (isReplaced ? { letters: [letter] } : {}) },
      ),
    deleteDeadLetter: (id, revision) =>
      write(() =>
        changeOne("DELETE FROM dead_letters WHERE id = ? AND revision = ?", [id, revision]),
      ),
    dueDeadLetters: (now) => read(() => selectDueDeadLetters(now)),
    forgetEndedDeadLetters: (before) => {
      const sql =
        "DELETE FROM dead_letters WHERE status IN ('resolved', 'abandoned') AND updated_at < ?";
      return write(() => change(sql, [before]), { survives: "process" });
    },
  } satisfies Partial<Store>;
}

/**
 * Beyond `max` the oldest go: ended ones first, and never one that is being retried. Those that several planes add at once
 * are counted by the next.
 */
function* insertDeadLetter(
  { unlocked }: Database,
  sealed: SealedRecords,
  letter: KeptDeadLetter,
  max: number,
): Work<void> {
  const { id, tool, server, principal, status, updatedAt, revision } = letter;
  const columns = {
    id,
    tool,
    server,
    user_name: principal.user,
    status,
    updated_at: updatedAt,
    revision,
  };
  yield* insert("dead_letters", {
    ...columns,
    due_at: deadLetterDueAt(letter),
    record: sealed.text(id, letter),
  });
  const excess = (yield* selectNumber("SELECT count(*) FROM dead_letters")) - max;
  if (excess > 0)
    yield* query(
      `DELETE FROM dead_letters WHERE sequence IN (
         SELECT sequence FROM dead_letters WHERE status <> 'retrying' AND id <> ?
         ORDER BY status IN ('resolved', 'abandoned') DESC, sequence LIMIT ? ${unlocked})`,
      [id, excess],
    );
}

export function selectDueDeadLetters(now: string): Work<DueDeadLetter[]> {
  const sql = "SELECT id, status, tool, server FROM dead_letters WHERE due_at <= ? ORDER BY due_at";
  return selectRows((row) => ({ ...row }) as DueDeadLetter, sql, [now]);
}

function* selectDeadLetters(
  sealed: SealedRecords,
  filter: DeadLetterFilter,
): Work<DeadLetterPage<KeptDeadLetter>> {
  const { tool, server, id, owner, status, cursor, limit } = filter;
  const matching: Condition[] = [
    ["tool = ?", tool],
    ["server = ?", server],
    [beginsWith("id"), id],
    ["user_name = ?", owner],
  ];
  const { sql, values } = where(...matching);
  const counts = yield* query(
    `SELECT status, count(*) AS count FROM dead_letters ${sql} GROUP BY status`,
    values,
  );
  const byStatus = Object.fromEntries(deadLetterStatuses.map((name) => [name, 0])) as Record<
    DeadLetterStatus,
    number
  >;
  for (const row of counts.rows) byStatus[row.status as DeadLetterStatus] = Number(row.count);
  const older: Condition = ["sequence < ?", cursor === undefined ? undefined : Number(cursor)];
  const rows = yield* select(
    (row) => row,
    "sequence, id, record, revision",
    "dead_letters",
    [...matching, ["status = ?", status], older],
    { order: "sequence DESC", limit: limit === undefined ? undefined : limit + 1 },
  );
  const page = limit === undefined ? rows : rows.slice(0, limit);
  return {
    total:
      status === undefined
        ? Object.values(byStatus).reduce((sum, count) => sum + count)
        : byStatus[status],
    byStatus,
    deadLetters: sealed.several<KeptDeadLetter>(page),
    nextCursor: rows.length > page.length ? String(page.at(-1)?.sequence) : null,
  };
}
