import type { Migration } from "../../lib/migrations.ts";

export const sqliteMigrations: readonly Migration[] = [
  // `sequence` is spelled out: VACUUM may renumber an implicit rowid, and paging relies on it.
  // `number` counts the samples of one subject, so that its window is a range at one end of the key.
  {
    id: 1,
    sql: `
    CREATE TABLE calls (
      sequence INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, at TEXT NOT NULL, tool TEXT NOT NULL,
      status TEXT NOT NULL, server TEXT, user TEXT, record TEXT NOT NULL
    ) STRICT;
    CREATE INDEX calls_by_tool ON calls (tool);
    CREATE INDEX calls_by_status ON calls (status);

    CREATE TABLE events (
      id INTEGER PRIMARY KEY AUTOINCREMENT, at TEXT NOT NULL, type TEXT NOT NULL, event TEXT NOT NULL
    ) STRICT;

    CREATE TABLE samples (
      subject TEXT NOT NULL, number INTEGER NOT NULL, at TEXT NOT NULL, ok INTEGER NOT NULL, latency_ms REAL NOT NULL,
      PRIMARY KEY (subject, number)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE approvals (
      sequence INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, status TEXT NOT NULL, at TEXT NOT NULL,
      record TEXT NOT NULL, answer TEXT
    ) STRICT;
    CREATE INDEX approvals_by_status ON approvals (status);
  `,
  },
  // `value` is encrypted before it gets here.
  {
    id: 2,
    sql: `
    CREATE TABLE secrets (key TEXT PRIMARY KEY, value BLOB NOT NULL) STRICT, WITHOUT ROWID;
  `,
  },
  // The last listing of each server; `identity` stands for its whole definition.
  {
    id: 3,
    sql: `
    CREATE TABLE known_servers (
      identity TEXT PRIMARY KEY, listed_at TEXT NOT NULL, body TEXT NOT NULL
    ) STRICT, WITHOUT ROWID;
  `,
  },
  // `sequence` orders the samples of all subjects, so that a plane can read what others have added.
  {
    id: 4,
    sql: `
    ALTER TABLE samples ADD COLUMN sequence INTEGER NOT NULL DEFAULT 0;
    UPDATE samples SET sequence = number;
    CREATE INDEX samples_by_sequence ON samples (sequence);
  `,
  },
  // Of the secret only `hash` is stored.
  {
    id: 5,
    sql: `
    CREATE TABLE api_keys (
      sequence INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, hash TEXT NOT NULL UNIQUE, record TEXT NOT NULL,
      last_used_at TEXT, revoked_at TEXT
    ) STRICT;
  `,
  },
  // `persona` is '' for entries without one: a key column cannot be NULL. `audience` says who may see a change.
  {
    id: 6,
    sql: `
    CREATE TABLE entries (
      kind TEXT NOT NULL, persona TEXT NOT NULL, name TEXT NOT NULL, body TEXT NOT NULL,
      PRIMARY KEY (kind, persona, name)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE changes (
      id INTEGER PRIMARY KEY AUTOINCREMENT, kind TEXT NOT NULL, what TEXT NOT NULL, name TEXT NOT NULL, persona TEXT,
      audience TEXT NOT NULL, body TEXT NOT NULL
    ) STRICT;
    CREATE INDEX changes_by_name ON changes (name);
    CREATE INDEX changes_by_audience ON changes (audience);
  `,
  },
  // `due_at` is the next retry, or the end of the lease. AUTOINCREMENT: pages end at a sequence, so none is reused.
  {
    id: 7,
    sql: `
    CREATE TABLE dead_letters (
      sequence INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, status TEXT NOT NULL, tool TEXT NOT NULL,
      server TEXT, user TEXT, updated_at TEXT NOT NULL, due_at TEXT, revision INTEGER NOT NULL, record TEXT NOT NULL
    ) STRICT;
    CREATE INDEX dead_letters_by_status ON dead_letters (status, updated_at);
    CREATE INDEX dead_letters_by_due ON dead_letters (due_at) WHERE due_at IS NOT NULL;
  `,
  },
  // Calls that wait for approval, change plans, and remembered answers.
  {
    id: 8,
    sql: `
    DROP TABLE approvals;

    CREATE TABLE held_calls (
      sequence INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, plan TEXT, user TEXT, status TEXT NOT NULL,
      revision INTEGER NOT NULL, record TEXT NOT NULL
    ) STRICT;
    CREATE INDEX held_calls_by_status ON held_calls (status);
    CREATE INDEX held_calls_by_plan ON held_calls (plan);

    CREATE TABLE plans (
      sequence INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, owner TEXT NOT NULL, is_open INTEGER NOT NULL,
      record TEXT NOT NULL
    ) STRICT;
    CREATE UNIQUE INDEX open_plans ON plans (owner) WHERE is_open = 1;

    CREATE TABLE remembered (id TEXT PRIMARY KEY, user TEXT, record TEXT NOT NULL) STRICT, WITHOUT ROWID;
  `,
  },
  // Most callers may see only their own calls, which may be few among many.
  {
    id: 9,
    sql: "CREATE INDEX calls_by_user ON calls (user, sequence);",
  },
  // Results that were too large to return whole. The index alone gives their total size.
  {
    id: 10,
    sql: `
    CREATE TABLE results (
      sequence INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, user TEXT, expires_at TEXT NOT NULL,
      bytes INTEGER NOT NULL, is_compressed INTEGER NOT NULL, record TEXT NOT NULL, body BLOB NOT NULL
    ) STRICT;
    CREATE INDEX results_by_expiry ON results (expires_at, bytes);
    CREATE INDEX results_by_user ON results (user, sequence);
  `,
  },
  // An audit hash chain: each hash covers the one before it. Removed calls leave a checkpoint with the hash that the
  // rest continues from. Calls of earlier versions have no hash; the chain starts after them.
  {
    id: 11,
    sql: `
    ALTER TABLE calls ADD COLUMN hash TEXT;

    CREATE TABLE call_checkpoints (
      sequence INTEGER PRIMARY KEY, hash TEXT, at TEXT NOT NULL, removed INTEGER NOT NULL
    ) STRICT;

    CREATE TRIGGER calls_are_not_changed BEFORE UPDATE ON calls
    BEGIN SELECT RAISE(ABORT, 'recorded calls cannot be changed'); END;

    CREATE TRIGGER calls_are_not_removed BEFORE DELETE ON calls
    WHEN OLD.sequence > (SELECT coalesce(max(sequence), 0) FROM call_checkpoints)
    BEGIN SELECT RAISE(ABORT, 'recorded calls can only be removed behind a checkpoint'); END;

    CREATE TRIGGER checkpoints_are_not_changed BEFORE UPDATE ON call_checkpoints
    BEGIN SELECT RAISE(ABORT, 'checkpoints cannot be changed'); END;

    CREATE TRIGGER checkpoints_are_not_removed BEFORE DELETE ON call_checkpoints
    BEGIN SELECT RAISE(ABORT, 'checkpoints cannot be removed'); END;
  `,
  },
  // Pinned tool definitions by server.
  {
    id: 12,
    sql: `
    CREATE TABLE pinned_servers (identity TEXT PRIMARY KEY, server TEXT NOT NULL, at TEXT NOT NULL) STRICT;

    CREATE TABLE pins (
      identity TEXT NOT NULL, tool TEXT NOT NULL, state TEXT NOT NULL, hash TEXT, quick_hash TEXT, clean_by INTEGER,
      definition TEXT, record TEXT NOT NULL, PRIMARY KEY (identity, tool)
    ) STRICT, WITHOUT ROWID;
  `,
  },
  // Agent runs, and the run that a call belongs to.
  {
    id: 13,
    sql: `
    CREATE TABLE runs (
      sequence INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, at TEXT NOT NULL, user TEXT,
      outcome TEXT NOT NULL, model TEXT NOT NULL, toolset TEXT, conversation TEXT NOT NULL, record TEXT NOT NULL,
      trace TEXT NOT NULL
    ) STRICT;
    CREATE INDEX runs_by_user ON runs (user, sequence);
    CREATE INDEX runs_by_time ON runs (at);

    ALTER TABLE calls ADD COLUMN run TEXT;
    CREATE INDEX calls_by_run ON calls (run, sequence) WHERE run IS NOT NULL;
  `,
  },
  // `due_at` is the next firing, the start of a run, or the end of its lease. A `slot` is unique, so that several planes
  // create one run for one time.
  {
    id: 14,
    sql: `
    CREATE TABLE job_schedules (
      job TEXT NOT NULL, owner TEXT NOT NULL, due_at TEXT, priority INTEGER NOT NULL, revision INTEGER NOT NULL,
      record TEXT NOT NULL, PRIMARY KEY (job, owner)
    ) STRICT;
    CREATE INDEX job_schedules_by_due ON job_schedules (due_at) WHERE due_at IS NOT NULL;

    CREATE TABLE job_runs (
      sequence INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, slot TEXT NOT NULL UNIQUE,
      job TEXT NOT NULL, owner TEXT NOT NULL, user TEXT, origin TEXT NOT NULL, state TEXT NOT NULL,
      priority INTEGER NOT NULL, most INTEGER NOT NULL, due_at TEXT, ended_at TEXT, revision INTEGER NOT NULL,
      record TEXT NOT NULL
    ) STRICT;
    CREATE INDEX job_runs_by_due ON job_runs (priority DESC, due_at, sequence) WHERE due_at IS NOT NULL;
    CREATE INDEX job_runs_next ON job_runs (due_at) WHERE due_at IS NOT NULL;
    CREATE INDEX job_runs_running ON job_runs (job, owner, due_at) WHERE state = 'running';
    CREATE INDEX job_runs_by_job ON job_runs (job, owner, sequence);
    CREATE INDEX job_runs_by_end ON job_runs (ended_at) WHERE ended_at IS NOT NULL;
  `,
  },
  // Small values that several processes share, each until a time in milliseconds.
  {
    id: 15,
    sql: `
    CREATE TABLE shared_values (
      key TEXT PRIMARY KEY, until INTEGER NOT NULL, value TEXT NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX shared_values_by_end ON shared_values (until);
  `,
  },
  // Calls per minute, so that a chart costs the same for any number of calls. `took` is a histogram bucket
  // (`store/call-minutes.ts`). Earlier calls are counted without a duration.
  {
    id: 16,
    sql: `
    CREATE TABLE call_minutes (
      minute INTEGER NOT NULL, user TEXT NOT NULL, status TEXT NOT NULL, took INTEGER NOT NULL,
      calls INTEGER NOT NULL, PRIMARY KEY (minute, user, status, took)
    ) STRICT, WITHOUT ROWID;

    INSERT INTO call_minutes (minute, user, status, took, calls)
    SELECT unixepoch(at) / 60, coalesce(user, ''), status, -1000, count(*)
    FROM calls
    WHERE sequence > (SELECT max(sequence) FROM calls) - 100000 AND unixepoch(at) IS NOT NULL
    GROUP BY 1, 2, 3;
  `,
  },
  // What changed something, linked by hashes like calls.
  {
    id: 17,
    sql: `
    CREATE TABLE audit (
      sequence INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, at TEXT NOT NULL, operation TEXT NOT NULL,
      target TEXT, user TEXT, record TEXT NOT NULL, hash TEXT NOT NULL
    ) STRICT;
    CREATE INDEX audit_by_operation ON audit (operation, sequence);
    CREATE INDEX audit_by_target ON audit (target, sequence);
    CREATE INDEX audit_by_user ON audit (user, sequence);

    CREATE TABLE audit_checkpoints (
      sequence INTEGER PRIMARY KEY, hash TEXT NOT NULL, at TEXT NOT NULL, removed INTEGER NOT NULL
    ) STRICT;

    CREATE TRIGGER audit_is_not_changed BEFORE UPDATE ON audit
    BEGIN SELECT RAISE(ABORT, 'recorded changes cannot be changed'); END;

    CREATE TRIGGER audit_is_not_removed BEFORE DELETE ON audit
    WHEN OLD.sequence > coalesce((SELECT max(sequence) FROM audit_checkpoints), 0)
    BEGIN SELECT RAISE(ABORT, 'recorded changes can only be removed behind a checkpoint'); END;

    CREATE TRIGGER audit_checkpoints_are_not_changed BEFORE UPDATE ON audit_checkpoints
    BEGIN SELECT RAISE(ABORT, 'checkpoints cannot be changed'); END;

    CREATE TRIGGER audit_checkpoints_are_not_removed BEFORE DELETE ON audit_checkpoints
    BEGIN SELECT RAISE(ABORT, 'checkpoints cannot be removed'); END;
  `,
  },
  // Vectors of tools by a model of the person's own, by the hash of model and text.
  {
    id: 18,
    sql: `
    CREATE TABLE vectors (key TEXT PRIMARY KEY, made_at INTEGER NOT NULL, vector TEXT NOT NULL) STRICT, WITHOUT ROWID;
    CREATE INDEX vectors_by_age ON vectors (made_at);
  `,
  },
  // Arguments and results of calls, where they are kept.
  {
    id: 19,
    sql: `
    CREATE TABLE payloads (id TEXT PRIMARY KEY, expires_at TEXT NOT NULL, body TEXT NOT NULL) STRICT;
    CREATE INDEX payloads_by_expiry ON payloads (expires_at);
  `,
  },
  // The last ones of a call's events, its start and its end, are read from its record: none, one or both.
  {
    id: 20,
    sql: "ALTER TABLE calls ADD COLUMN events INTEGER NOT NULL DEFAULT 0;",
  },
  // The conversation that a call belongs to.
  {
    id: 21,
    sql: `
    ALTER TABLE calls ADD COLUMN conversation TEXT;
    CREATE INDEX calls_by_conversation ON calls (conversation, sequence) WHERE conversation IS NOT NULL;
  `,
  },
  // A file has one chain, stream 0. The others are of planes that shared a database that was imported here. Roots stand
  // for the ends of all streams at one moment.
  {
    id: 22,
    sql: `
    ALTER TABLE calls ADD COLUMN stream INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE call_checkpoints ADD COLUMN stream INTEGER NOT NULL DEFAULT 0;

    CREATE TABLE roots (
      number INTEGER PRIMARY KEY, at TEXT NOT NULL, hash TEXT NOT NULL, record TEXT NOT NULL
    ) STRICT;

    CREATE TRIGGER roots_are_not_changed BEFORE UPDATE ON roots
    BEGIN SELECT RAISE(ABORT, 'roots cannot be changed'); END;
  `,
  },
  // What the authorization server keeps, sealed. `id` and `uid` are hashes: what they stand for opens the door.
  {
    id: 23,
    sql: `
    CREATE TABLE sign_ins (
      kind TEXT NOT NULL, id TEXT NOT NULL, grant_id TEXT, uid TEXT, account TEXT, made_at INTEGER NOT NULL,
      used_at INTEGER, consumed_at INTEGER, expires_at INTEGER, sealed BLOB NOT NULL, PRIMARY KEY (kind, id)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX sign_ins_by_grant ON sign_ins (grant_id) WHERE grant_id IS NOT NULL;
    CREATE INDEX sign_ins_by_uid ON sign_ins (uid) WHERE uid IS NOT NULL;
    CREATE INDEX sign_ins_by_account ON sign_ins (account) WHERE account IS NOT NULL;
    CREATE INDEX sign_ins_by_expiry ON sign_ins (expires_at) WHERE expires_at IS NOT NULL;
  `,
  },
  // The versions of the program that have written here, and what was decided about defaults that changed since.
  {
    id: 24,
    sql: `
    CREATE TABLE store_versions (version TEXT PRIMARY KEY, since TEXT NOT NULL) STRICT, WITHOUT ROWID;
    CREATE TABLE default_decisions (
      files TEXT NOT NULL, change TEXT NOT NULL, decision TEXT NOT NULL, decided_by TEXT, decided_at TEXT NOT NULL,
      PRIMARY KEY (files, change)
    ) STRICT, WITHOUT ROWID;
  `,
  },
];
