/**
 * `due_at` is when something has to be done: a schedule makes a run, a run begins, or whoever does it is gone. A `slot`
 * is taken once, so that several planes make one run of one time.
 */
export const jobs = {
  id: 14,
  sql: `
    CREATE TABLE job_schedules (
      job TEXT NOT NULL,
      owner TEXT NOT NULL,
      due_at TEXT,
      priority INTEGER NOT NULL,
      revision INTEGER NOT NULL,
      record TEXT NOT NULL,
      PRIMARY KEY (job, owner)
    ) STRICT;
    CREATE INDEX job_schedules_by_due ON job_schedules (due_at) WHERE due_at IS NOT NULL;

    CREATE TABLE job_runs (
      sequence INTEGER PRIMARY KEY AUTOINCREMENT,
      id TEXT NOT NULL UNIQUE,
      slot TEXT NOT NULL UNIQUE,
      job TEXT NOT NULL,
      owner TEXT NOT NULL,
      user TEXT,
      origin TEXT NOT NULL,
      state TEXT NOT NULL,
      priority INTEGER NOT NULL,
      most INTEGER NOT NULL,
      due_at TEXT,
      ended_at TEXT,
      revision INTEGER NOT NULL,
      record TEXT NOT NULL
    ) STRICT;
    CREATE INDEX job_runs_by_due ON job_runs (priority DESC, due_at, sequence) WHERE due_at IS NOT NULL;
    CREATE INDEX job_runs_next ON job_runs (due_at) WHERE due_at IS NOT NULL;
    CREATE INDEX job_runs_running ON job_runs (job, owner, due_at) WHERE state = 'running';
    CREATE INDEX job_runs_by_job ON job_runs (job, owner, sequence);
    CREATE INDEX job_runs_by_end ON job_runs (ended_at) WHERE ended_at IS NOT NULL;
  `,
} as const;
