/**
 * `due_at` is when something has to be done: a schedule makes a run, a run begins, or whoever does it is gone. A `slot`
 * is taken once, so that several planes make one run of one time.
 */
export const jobs = {
  id: 3,
  sql: `
    CREATE TABLE job_schedules (
      job text COLLATE "C" NOT NULL,
      owner text COLLATE "C" NOT NULL,
      due_at text COLLATE "C",
      priority integer NOT NULL,
      revision integer NOT NULL,
      record text NOT NULL,
      PRIMARY KEY (job, owner)
    );
    CREATE INDEX job_schedules_by_due ON job_schedules (due_at) WHERE due_at IS NOT NULL;

    CREATE TABLE job_runs (
      sequence bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      id text COLLATE "C" NOT NULL UNIQUE,
      slot text COLLATE "C" NOT NULL UNIQUE,
      job text COLLATE "C" NOT NULL,
      owner text COLLATE "C" NOT NULL,
      user_name text COLLATE "C",
      origin text COLLATE "C" NOT NULL,
      state text COLLATE "C" NOT NULL,
      priority integer NOT NULL,
      most integer NOT NULL,
      due_at text COLLATE "C",
      ended_at text COLLATE "C",
      revision integer NOT NULL,
      record text NOT NULL
    );
    CREATE INDEX job_runs_by_due ON job_runs (priority DESC, due_at, sequence) WHERE due_at IS NOT NULL;
    CREATE INDEX job_runs_next ON job_runs (due_at) WHERE due_at IS NOT NULL;
    CREATE INDEX job_runs_running ON job_runs (job, owner, due_at) WHERE state = 'running';
    CREATE INDEX job_runs_by_job ON job_runs (job, owner, sequence);
    CREATE INDEX job_runs_by_end ON job_runs (ended_at) WHERE ended_at IS NOT NULL;
  `,
} as const;
