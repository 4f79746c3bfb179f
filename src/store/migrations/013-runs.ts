/** Runs of agents, in short and whole, and which of them a call belongs to. */
export const runs = {
  id: 13,
  sql: `
    CREATE TABLE runs (
      sequence INTEGER PRIMARY KEY AUTOINCREMENT,
      id TEXT NOT NULL UNIQUE,
      at TEXT NOT NULL,
      user TEXT,
      outcome TEXT NOT NULL,
      model TEXT NOT NULL,
      toolset TEXT,
      conversation TEXT NOT NULL,
      record TEXT NOT NULL,
      trace TEXT NOT NULL
    ) STRICT;
    CREATE INDEX runs_by_user ON runs (user, sequence);
    CREATE INDEX runs_by_time ON runs (at);

    ALTER TABLE calls ADD COLUMN run TEXT;
    CREATE INDEX calls_by_run ON calls (run, sequence) WHERE run IS NOT NULL;
  `,
} as const;
