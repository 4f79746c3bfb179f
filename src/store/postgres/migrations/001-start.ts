/**
 * The tables of the SQLite store, as they are after its migration 13. Texts compare byte by byte, whatever the
 * language of the database. Records are text and not `jsonb`, which refuses `\u0000` and forgets the order of keys: the
 * hash of a call covers its text.
 */
export const start = {
  id: 1,
  sql: `
    CREATE TABLE calls (
      sequence bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      id text COLLATE "C" NOT NULL UNIQUE,
      at text COLLATE "C" NOT NULL,
      tool text COLLATE "C" NOT NULL,
      status text COLLATE "C" NOT NULL,
      server text COLLATE "C",
      user_name text COLLATE "C",
      run text COLLATE "C",
      record text NOT NULL,
      hash text COLLATE "C" NOT NULL
    );
    CREATE INDEX calls_by_tool ON calls (tool, sequence);
    CREATE INDEX calls_by_status ON calls (status, sequence);
    CREATE INDEX calls_by_user ON calls (user_name, sequence);
    CREATE INDEX calls_by_run ON calls (run, sequence) WHERE run IS NOT NULL;

    CREATE TABLE call_checkpoints (
      sequence bigint PRIMARY KEY,
      hash text COLLATE "C" NOT NULL,
      at text COLLATE "C" NOT NULL,
      removed bigint NOT NULL
    );

    CREATE TABLE events (
      id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      at text COLLATE "C" NOT NULL,
      type text COLLATE "C" NOT NULL,
      record text NOT NULL
    );

    CREATE TABLE samples (
      sequence bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      subject text COLLATE "C" NOT NULL,
      at text COLLATE "C" NOT NULL,
      ok boolean NOT NULL,
      latency_ms double precision NOT NULL
    );
    CREATE INDEX samples_by_subject ON samples (subject, sequence);

    CREATE TABLE held_calls (
      sequence bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      id text COLLATE "C" NOT NULL UNIQUE,
      plan text COLLATE "C",
      user_name text COLLATE "C",
      status text COLLATE "C" NOT NULL,
      revision integer NOT NULL,
      record text NOT NULL
    );
    CREATE INDEX held_calls_by_status ON held_calls (status);
    CREATE INDEX held_calls_by_plan ON held_calls (plan);

    CREATE TABLE plans (
      sequence bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      id text COLLATE "C" NOT NULL UNIQUE,
      owner text COLLATE "C" NOT NULL,
      is_open boolean NOT NULL,
      record text NOT NULL
    );
    CREATE UNIQUE INDEX open_plans ON plans (owner) WHERE is_open;

    CREATE TABLE remembered (
      id text COLLATE "C" PRIMARY KEY,
      user_name text COLLATE "C",
      record text NOT NULL
    );

    CREATE TABLE secrets (
      key text COLLATE "C" PRIMARY KEY,
      value bytea NOT NULL
    );

    CREATE TABLE api_keys (
      sequence bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      id text COLLATE "C" NOT NULL UNIQUE,
      hash text COLLATE "C" NOT NULL UNIQUE,
      record text NOT NULL,
      last_used_at text COLLATE "C",
      revoked_at text COLLATE "C"
    );

    CREATE TABLE known_servers (
      identity text COLLATE "C" PRIMARY KEY,
      listed_at text COLLATE "C" NOT NULL,
      record text NOT NULL
    );

    CREATE TABLE entries (
      kind text COLLATE "C" NOT NULL,
      persona text COLLATE "C" NOT NULL,
      name text COLLATE "C" NOT NULL,
      record text NOT NULL,
      PRIMARY KEY (kind, persona, name)
    );

    CREATE TABLE changes (
      id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      kind text COLLATE "C" NOT NULL,
      what text COLLATE "C" NOT NULL,
      name text COLLATE "C" NOT NULL,
      persona text COLLATE "C",
      audience text COLLATE "C" NOT NULL,
      record text NOT NULL
    );
    CREATE INDEX changes_by_name ON changes (name);
    CREATE INDEX changes_by_audience ON changes (audience);

    CREATE TABLE dead_letters (
      sequence bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      id text COLLATE "C" NOT NULL UNIQUE,
      status text COLLATE "C" NOT NULL,
      tool text COLLATE "C" NOT NULL,
      server text COLLATE "C",
      user_name text COLLATE "C",
      updated_at text COLLATE "C" NOT NULL,
      due_at text COLLATE "C",
      revision integer NOT NULL,
      record text NOT NULL
    );
    CREATE INDEX dead_letters_by_status ON dead_letters (status, updated_at);
    CREATE INDEX dead_letters_by_due ON dead_letters (due_at) WHERE due_at IS NOT NULL;

    CREATE TABLE results (
      sequence bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      id text COLLATE "C" NOT NULL UNIQUE,
      user_name text COLLATE "C",
      expires_at text COLLATE "C" NOT NULL,
      bytes bigint NOT NULL,
      is_compressed boolean NOT NULL,
      record text NOT NULL,
      body bytea NOT NULL
    );
    CREATE INDEX results_by_expiry ON results (expires_at);
    CREATE INDEX results_by_user ON results (user_name, sequence);

    CREATE TABLE pinned_servers (
      identity text COLLATE "C" PRIMARY KEY,
      server text COLLATE "C" NOT NULL,
      at text COLLATE "C" NOT NULL
    );

    CREATE TABLE pins (
      identity text COLLATE "C" NOT NULL,
      tool text COLLATE "C" NOT NULL,
      state text COLLATE "C" NOT NULL,
      hash text COLLATE "C",
      quick_hash text COLLATE "C",
      clean_by integer,
      definition text,
      record text NOT NULL,
      PRIMARY KEY (identity, tool)
    );

    CREATE TABLE runs (
      sequence bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      id text COLLATE "C" NOT NULL UNIQUE,
      at text COLLATE "C" NOT NULL,
      user_name text COLLATE "C",
      outcome text COLLATE "C" NOT NULL,
      model text COLLATE "C" NOT NULL,
      toolset text COLLATE "C",
      conversation text COLLATE "C" NOT NULL,
      record text NOT NULL,
      trace text NOT NULL
    );
    CREATE INDEX runs_by_user ON runs (user_name, sequence);
    CREATE INDEX runs_by_time ON runs (at);
  `,
} as const;
