/** Calls that wait for a person, the plans they belong to, and the answers that are good for more than one. */
export const heldCalls = {
  id: 8,
  sql: `
    DROP TABLE approvals;

    CREATE TABLE held_calls (
      sequence INTEGER PRIMARY KEY,
      id TEXT NOT NULL UNIQUE,
      plan TEXT,
      user TEXT,
      status TEXT NOT NULL,
      revision INTEGER NOT NULL,
      record TEXT NOT NULL
    ) STRICT;
    CREATE INDEX held_calls_by_status ON held_calls (status);
    CREATE INDEX held_calls_by_plan ON held_calls (plan);

    CREATE TABLE plans (
      sequence INTEGER PRIMARY KEY,
      id TEXT NOT NULL UNIQUE,
      owner TEXT NOT NULL,
      is_open INTEGER NOT NULL,
      record TEXT NOT NULL
    ) STRICT;
    CREATE UNIQUE INDEX open_plans ON plans (owner) WHERE is_open = 1;

    CREATE TABLE remembered (
      id TEXT PRIMARY KEY,
      user TEXT,
      record TEXT NOT NULL
    ) STRICT, WITHOUT ROWID;
  `,
} as const;
