import type { Migration } from "@toolplane/core/lib/migrations";
import { streamTables } from "./stream-tables.ts";

export const postgresMigrations: readonly Migration[] = [
  // The tables of the SQLite store after its migration 13. Text compares byte by byte in any locale. Records are text:
  // `jsonb` refuses `\u0000` and forgets the order of keys, and the hash of a call covers its text.
  {
    id: 1,
    sql: `
    CREATE TABLE calls (
      sequence bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, id text COLLATE "C" NOT NULL UNIQUE,
      at text COLLATE "C" NOT NULL, tool text COLLATE "C" NOT NULL, status text COLLATE "C" NOT NULL,
      server text COLLATE "C", user_name text COLLATE "C", run text COLLATE "C", record text NOT NULL,
      hash text COLLATE "C" NOT NULL
    );
    CREATE INDEX calls_by_tool ON calls (tool, sequence);
    CREATE INDEX calls_by_status ON calls (status, sequence);
    CREATE INDEX calls_by_user ON calls (user_name, sequence);
    CREATE INDEX calls_by_run ON calls (run, sequence) WHERE run IS NOT NULL;

    CREATE TABLE call_checkpoints (
      sequence bigint PRIMARY KEY, hash text COLLATE "C" NOT NULL, at text COLLATE "C" NOT NULL,
      removed bigint NOT NULL
    );

    CREATE TABLE events (
      id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, at text COLLATE "C" NOT NULL,
      type text COLLATE "C" NOT NULL, record text NOT NULL
    );

    CREATE TABLE samples (
      sequence bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, subject text COLLATE "C" NOT NULL,
      at text COLLATE "C" NOT NULL, ok boolean NOT NULL, latency_ms double precision NOT NULL
    );
    CREATE INDEX samples_by_subject ON samples (subject, sequence);

    CREATE TABLE held_calls (
      sequence bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, id text COLLATE "C" NOT NULL UNIQUE,
      plan text COLLATE "C", user_name text COLLATE "C", status text COLLATE "C" NOT NULL, revision integer NOT NULL,
      record text NOT NULL
    );
    CREATE INDEX held_calls_by_status ON held_calls (status);
    CREATE INDEX held_calls_by_plan ON held_calls (plan);

    CREATE TABLE plans (
      sequence bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, id text COLLATE "C" NOT NULL UNIQUE,
      owner text COLLATE "C" NOT NULL, is_open boolean NOT NULL, record text NOT NULL
    );
    CREATE UNIQUE INDEX open_plans ON plans (owner) WHERE is_open;

    CREATE TABLE remembered (id text COLLATE "C" PRIMARY KEY, user_name text COLLATE "C", record text NOT NULL);

    CREATE TABLE secrets (key text COLLATE "C" PRIMARY KEY, value bytea NOT NULL);

    CREATE TABLE api_keys (
      sequence bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, id text COLLATE "C" NOT NULL UNIQUE,
      hash text COLLATE "C" NOT NULL UNIQUE, record text NOT NULL, last_used_at text COLLATE "C",
      revoked_at text COLLATE "C"
    );

    CREATE TABLE known_servers (
      identity text COLLATE "C" PRIMARY KEY, listed_at text COLLATE "C" NOT NULL, record text NOT NULL
    );

    CREATE TABLE entries (
      kind text COLLATE "C" NOT NULL, persona text COLLATE "C" NOT NULL, name text COLLATE "C" NOT NULL,
      record text NOT NULL, PRIMARY KEY (kind, persona, name)
    );

    CREATE TABLE changes (
      id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, kind text COLLATE "C" NOT NULL,
      what text COLLATE "C" NOT NULL, name text COLLATE "C" NOT NULL, persona text COLLATE "C",
      audience text COLLATE "C" NOT NULL, record text NOT NULL
    );
    CREATE INDEX changes_by_name ON changes (name);
    CREATE INDEX changes_by_audience ON changes (audience);

    CREATE TABLE dead_letters (
      sequence bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, id text COLLATE "C" NOT NULL UNIQUE,
      status text COLLATE "C" NOT NULL, tool text COLLATE "C" NOT NULL, server text COLLATE "C",
      user_name text COLLATE "C", updated_at text COLLATE "C" NOT NULL, due_at text COLLATE "C",
      revision integer NOT NULL, record text NOT NULL
    );
    CREATE INDEX dead_letters_by_status ON dead_letters (status, updated_at);
    CREATE INDEX dead_letters_by_due ON dead_letters (due_at) WHERE due_at IS NOT NULL;

    CREATE TABLE results (
      sequence bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, id text COLLATE "C" NOT NULL UNIQUE,
      user_name text COLLATE "C", expires_at text COLLATE "C" NOT NULL, bytes bigint NOT NULL,
      is_compressed boolean NOT NULL, record text NOT NULL, body bytea NOT NULL
    );
    CREATE INDEX results_by_expiry ON results (expires_at);
    CREATE INDEX results_by_user ON results (user_name, sequence);

    CREATE TABLE pinned_servers (
      identity text COLLATE "C" PRIMARY KEY, server text COLLATE "C" NOT NULL, at text COLLATE "C" NOT NULL
    );

    CREATE TABLE pins (
      identity text COLLATE "C" NOT NULL, tool text COLLATE "C" NOT NULL, state text COLLATE "C" NOT NULL,
      hash text COLLATE "C", quick_hash text COLLATE "C", clean_by integer, definition text, record text NOT NULL,
      PRIMARY KEY (identity, tool)
    );

    CREATE TABLE runs (
      sequence bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, id text COLLATE "C" NOT NULL UNIQUE,
      at text COLLATE "C" NOT NULL, user_name text COLLATE "C", outcome text COLLATE "C" NOT NULL,
      model text COLLATE "C" NOT NULL, toolset text COLLATE "C", conversation text COLLATE "C" NOT NULL,
      record text NOT NULL, trace text NOT NULL
    );
    CREATE INDEX runs_by_user ON runs (user_name, sequence);
    CREATE INDEX runs_by_time ON runs (at);
  `,
  },
  // Recorded calls cannot be changed, and can be removed only behind a checkpoint. TRUNCATE counts as removal.
  {
    id: 2,
    sql: `
    CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $body$
    BEGIN
      RAISE EXCEPTION 'what is recorded in % cannot be changed', TG_TABLE_NAME;
    END $body$;

    CREATE FUNCTION refuse_removal() RETURNS trigger LANGUAGE plpgsql AS $body$
    DECLARE edge bigint;
    BEGIN
      EXECUTE format('SELECT coalesce(max(sequence), 0) FROM %I.call_checkpoints', TG_TABLE_SCHEMA) INTO edge;
      IF OLD.sequence > edge THEN
        RAISE EXCEPTION 'recorded calls can only be removed behind a checkpoint';
      END IF;
      RETURN OLD;
    END $body$;

    CREATE TRIGGER calls_are_not_changed BEFORE UPDATE ON calls
      FOR EACH ROW EXECUTE FUNCTION refuse_change();
    CREATE TRIGGER calls_are_not_emptied BEFORE TRUNCATE ON calls
      FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
    CREATE TRIGGER calls_are_not_removed BEFORE DELETE ON calls
      FOR EACH ROW EXECUTE FUNCTION refuse_removal();
    CREATE TRIGGER checkpoints_are_not_changed BEFORE UPDATE OR DELETE ON call_checkpoints
      FOR EACH ROW EXECUTE FUNCTION refuse_change();
    CREATE TRIGGER checkpoints_are_not_emptied BEFORE TRUNCATE ON call_checkpoints
      FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
  `,
  },
  // `due_at` is the next firing, the start of a run, or the end of its lease. A `slot` is unique, so that several planes
  // create one run for one time.
  {
    id: 3,
    sql: `
    CREATE TABLE job_schedules (
      job text COLLATE "C" NOT NULL, owner text COLLATE "C" NOT NULL, due_at text COLLATE "C",
      priority integer NOT NULL, revision integer NOT NULL, record text NOT NULL, PRIMARY KEY (job, owner)
    );
    CREATE INDEX job_schedules_by_due ON job_schedules (due_at) WHERE due_at IS NOT NULL;

    CREATE TABLE job_runs (
      sequence bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, id text COLLATE "C" NOT NULL UNIQUE,
      slot text COLLATE "C" NOT NULL UNIQUE, job text COLLATE "C" NOT NULL, owner text COLLATE "C" NOT NULL,
      user_name text COLLATE "C", origin text COLLATE "C" NOT NULL, state text COLLATE "C" NOT NULL,
      priority integer NOT NULL, most integer NOT NULL, due_at text COLLATE "C", ended_at text COLLATE "C",
      revision integer NOT NULL, record text NOT NULL
    );
    CREATE INDEX job_runs_by_due ON job_runs (priority DESC, due_at, sequence) WHERE due_at IS NOT NULL;
    CREATE INDEX job_runs_next ON job_runs (due_at) WHERE due_at IS NOT NULL;
    CREATE INDEX job_runs_running ON job_runs (job, owner, due_at) WHERE state = 'running';
    CREATE INDEX job_runs_by_job ON job_runs (job, owner, sequence);
    CREATE INDEX job_runs_by_end ON job_runs (ended_at) WHERE ended_at IS NOT NULL;
  `,
  },
  // Shared values with an expiry in milliseconds. Calls imported from an old file may have no hash.
  {
    id: 4,
    sql: `
    CREATE TABLE shared_values (key text COLLATE "C" PRIMARY KEY, until bigint NOT NULL, value text NOT NULL);
    CREATE INDEX shared_values_by_end ON shared_values (until);

    ALTER TABLE calls ALTER COLUMN hash DROP NOT NULL;
    ALTER TABLE call_checkpoints ALTER COLUMN hash DROP NOT NULL;
  `,
  },
  // As migration 16 of the SQLite store; earlier calls are not counted.
  {
    id: 5,
    sql: `
    CREATE TABLE call_minutes (
      minute bigint NOT NULL, user_name text COLLATE "C" NOT NULL, status text COLLATE "C" NOT NULL,
      took integer NOT NULL, calls bigint NOT NULL, PRIMARY KEY (minute, user_name, status, took)
    );
  `,
  },
  // As migration 17 of the SQLite store.
  {
    id: 6,
    sql: `
    CREATE TABLE audit (
      sequence bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, id text COLLATE "C" NOT NULL UNIQUE,
      at text COLLATE "C" NOT NULL, operation text COLLATE "C" NOT NULL, target text COLLATE "C",
      user_name text COLLATE "C", record text NOT NULL, hash text COLLATE "C" NOT NULL
    );
    CREATE INDEX audit_by_operation ON audit (operation, sequence);
    CREATE INDEX audit_by_target ON audit (target, sequence);
    CREATE INDEX audit_by_user ON audit (user_name, sequence);

    CREATE TABLE audit_checkpoints (
      sequence bigint PRIMARY KEY, hash text COLLATE "C" NOT NULL, at text COLLATE "C" NOT NULL, removed bigint NOT NULL
    );

    CREATE FUNCTION refuse_audit_removal() RETURNS trigger LANGUAGE plpgsql AS $body$
    DECLARE edge bigint;
    BEGIN
      EXECUTE format('SELECT coalesce(max(sequence), 0) FROM %I.audit_checkpoints', TG_TABLE_SCHEMA) INTO edge;
      IF OLD.sequence > edge THEN
        RAISE EXCEPTION 'recorded changes can only be removed behind a checkpoint';
      END IF;
      RETURN OLD;
    END $body$;

    CREATE TRIGGER audit_is_not_changed BEFORE UPDATE ON audit FOR EACH ROW EXECUTE FUNCTION refuse_change();
    CREATE TRIGGER audit_is_not_emptied BEFORE TRUNCATE ON audit FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
    CREATE TRIGGER audit_is_not_removed BEFORE DELETE ON audit FOR EACH ROW EXECUTE FUNCTION refuse_audit_removal();
    CREATE TRIGGER audit_checkpoints_are_not_changed BEFORE UPDATE OR DELETE ON audit_checkpoints
      FOR EACH ROW EXECUTE FUNCTION refuse_change();
    CREATE TRIGGER audit_checkpoints_are_not_emptied BEFORE TRUNCATE ON audit_checkpoints
      FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
  `,
  },
  // As migration 18 of the SQLite store.
  {
    id: 7,
    sql: `
    CREATE TABLE vectors (key text COLLATE "C" PRIMARY KEY, made_at bigint NOT NULL, vector text NOT NULL);
    CREATE INDEX vectors_by_age ON vectors (made_at);
  `,
  },
  // As migration 19 of the SQLite store.
  {
    id: 8,
    sql: `
    CREATE TABLE payloads (id text COLLATE "C" PRIMARY KEY, expires_at text COLLATE "C" NOT NULL, body text NOT NULL);
    CREATE INDEX payloads_by_expiry ON payloads (expires_at);
  `,
  },
  // As migration 20 of the SQLite store.
  {
    id: 9,
    sql: "ALTER TABLE calls ADD COLUMN events smallint NOT NULL DEFAULT 0;",
  },
  // As migration 21 of the SQLite store.
  {
    id: 10,
    sql: `
    ALTER TABLE calls ADD COLUMN conversation text COLLATE "C";
    CREATE INDEX calls_by_conversation ON calls (conversation, sequence) WHERE conversation IS NOT NULL;
  `,
  },
  // As migration 22 of the SQLite store.
  {
    id: 11,
    sql: `
    ALTER TABLE calls ADD COLUMN stream integer NOT NULL DEFAULT 0;
    ALTER TABLE call_checkpoints ADD COLUMN stream integer NOT NULL DEFAULT 0;

    CREATE TABLE roots (
      number bigint PRIMARY KEY, at text COLLATE "C" NOT NULL, hash text COLLATE "C" NOT NULL, record text NOT NULL
    );

    CREATE TRIGGER roots_are_not_changed BEFORE UPDATE ON roots FOR EACH ROW EXECUTE FUNCTION refuse_change();
    CREATE TRIGGER roots_are_not_emptied BEFORE TRUNCATE ON roots FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
  `,
  },
  {
    id: 12,
    sql: `
    CREATE TABLE sign_ins (
      kind text COLLATE "C" NOT NULL, id text COLLATE "C" NOT NULL, grant_id text COLLATE "C", uid text COLLATE "C",
      account text COLLATE "C", made_at bigint NOT NULL, used_at bigint, consumed_at bigint, expires_at bigint,
      sealed bytea NOT NULL, PRIMARY KEY (kind, id)
    );
    CREATE INDEX sign_ins_by_grant ON sign_ins (grant_id) WHERE grant_id IS NOT NULL;
    CREATE INDEX sign_ins_by_uid ON sign_ins (uid) WHERE uid IS NOT NULL;
    CREATE INDEX sign_ins_by_account ON sign_ins (account) WHERE account IS NOT NULL;
    CREATE INDEX sign_ins_by_expiry ON sign_ins (expires_at) WHERE expires_at IS NOT NULL;
  `,
  },
  streamTables,
  // As migration 24 of the SQLite store.
  {
    id: 14,
    sql: `
    CREATE TABLE store_versions (version text COLLATE "C" PRIMARY KEY, since text COLLATE "C" NOT NULL);
    CREATE TABLE default_decisions (
      files text COLLATE "C" NOT NULL, change text COLLATE "C" NOT NULL, decision text COLLATE "C" NOT NULL,
      decided_by text COLLATE "C", decided_at text COLLATE "C" NOT NULL, PRIMARY KEY (files, change)
    );
  `,
  },
];
