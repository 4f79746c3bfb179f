import type { Migration } from "@toolplane/core/lib/migrations";

/**
 * A new schema in one step. Text compares byte by byte in any locale. Records are text: `jsonb` refuses `\u0000` and
 * forgets the order of keys, and the hash of a call covers its text.
 */
export const postgresBaseline: Migration = {
  id: 10,
  sql: `
    CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $body$
    BEGIN
      RAISE EXCEPTION 'what is recorded in % cannot be changed', TG_TABLE_NAME;
    END $body$;

    -- Recorded calls in a hash chain, which removed calls leave at a checkpoint. TRUNCATE counts as removal.
    CREATE TABLE calls (
      sequence bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, id text COLLATE "C" NOT NULL UNIQUE,
      at text COLLATE "C" NOT NULL, tool text COLLATE "C" NOT NULL, status text COLLATE "C" NOT NULL,
      server text COLLATE "C", user_name text COLLATE "C", run text COLLATE "C", record text NOT NULL,
      hash text COLLATE "C", events smallint NOT NULL DEFAULT 0, conversation text COLLATE "C"
    );
    CREATE INDEX calls_by_tool ON calls (tool, sequence);
    CREATE INDEX calls_by_status ON calls (status, sequence);
    CREATE INDEX calls_by_user ON calls (user_name, sequence);
    CREATE INDEX calls_by_run ON calls (run, sequence) WHERE run IS NOT NULL;
    CREATE INDEX calls_by_conversation ON calls (conversation, sequence) WHERE conversation IS NOT NULL;

    CREATE TABLE call_checkpoints (
      sequence bigint PRIMARY KEY, hash text COLLATE "C", at text COLLATE "C" NOT NULL, removed bigint NOT NULL
    );

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

    CREATE TABLE call_minutes (
      minute bigint NOT NULL, user_name text COLLATE "C" NOT NULL, status text COLLATE "C" NOT NULL,
      took integer NOT NULL, calls bigint NOT NULL, PRIMARY KEY (minute, user_name, status, took)
    );

    CREATE TABLE payloads (id text COLLATE "C" PRIMARY KEY, expires_at text COLLATE "C" NOT NULL, body text NOT NULL);
    CREATE INDEX payloads_by_expiry ON payloads (expires_at);

    CREATE TABLE results (
      sequence bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, id text COLLATE "C" NOT NULL UNIQUE,
      user_name text COLLATE "C", expires_at text COLLATE "C" NOT NULL, bytes bigint NOT NULL,
      is_compressed boolean NOT NULL, record text NOT NULL, body bytea NOT NULL
    );
    CREATE INDEX results_by_expiry ON results (expires_at);
    CREATE INDEX results_by_user ON results (user_name, sequence);

    CREATE TABLE runs (
      sequence bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, id text COLLATE "C" NOT NULL UNIQUE,
      at text COLLATE "C" NOT NULL, user_name text COLLATE "C", outcome text COLLATE "C" NOT NULL,
      model text COLLATE "C" NOT NULL, toolset text COLLATE "C", conversation text COLLATE "C" NOT NULL,
      record text NOT NULL, trace text NOT NULL
    );
    CREATE INDEX runs_by_user ON runs (user_name, sequence);
    CREATE INDEX runs_by_time ON runs (at);

    CREATE TABLE events (
      id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, at text COLLATE "C" NOT NULL,
      type text COLLATE "C" NOT NULL, record text NOT NULL
    );

    CREATE TABLE samples (
      sequence bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, subject text COLLATE "C" NOT NULL,
      at text COLLATE "C" NOT NULL, ok boolean NOT NULL, latency_ms double precision NOT NULL
    );
    CREATE INDEX samples_by_subject ON samples (subject, sequence);

    -- What changed something, in a hash chain of its own.
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

    -- Calls that wait for approval, change plans, and remembered answers.
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

    -- Credentials, and small values that several planes share.
    CREATE TABLE secrets (key text COLLATE "C" PRIMARY KEY, value bytea NOT NULL);

    CREATE TABLE api_keys (
      sequence bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, id text COLLATE "C" NOT NULL UNIQUE,
      hash text COLLATE "C" NOT NULL UNIQUE, record text NOT NULL, last_used_at text COLLATE "C",
      revoked_at text COLLATE "C"
    );

    CREATE TABLE shared_values (key text COLLATE "C" PRIMARY KEY, until bigint NOT NULL, value text NOT NULL);
    CREATE INDEX shared_values_by_end ON shared_values (until);

    -- The catalogue: listings, entries and their changes, pinned definitions, vectors.
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

    CREATE TABLE pinned_servers (
      identity text COLLATE "C" PRIMARY KEY, server text COLLATE "C" NOT NULL, at text COLLATE "C" NOT NULL
    );

    CREATE TABLE pins (
      identity text COLLATE "C" NOT NULL, tool text COLLATE "C" NOT NULL, state text COLLATE "C" NOT NULL,
      hash text COLLATE "C", quick_hash text COLLATE "C", clean_by integer, definition text, record text NOT NULL,
      PRIMARY KEY (identity, tool)
    );

    CREATE TABLE vectors (key text COLLATE "C" PRIMARY KEY, made_at bigint NOT NULL, vector text NOT NULL);
    CREATE INDEX vectors_by_age ON vectors (made_at);

    -- Work that is run later.
    CREATE TABLE dead_letters (
      sequence bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, id text COLLATE "C" NOT NULL UNIQUE,
      status text COLLATE "C" NOT NULL, tool text COLLATE "C" NOT NULL, server text COLLATE "C",
      user_name text COLLATE "C", updated_at text COLLATE "C" NOT NULL, due_at text COLLATE "C",
      revision integer NOT NULL, record text NOT NULL
    );
    CREATE INDEX dead_letters_by_status ON dead_letters (status, updated_at);
    CREATE INDEX dead_letters_by_due ON dead_letters (due_at) WHERE due_at IS NOT NULL;

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
};
