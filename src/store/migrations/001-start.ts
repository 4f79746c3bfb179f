/**
 * `sequence` is spelled out because an implicit rowid may be renumbered by VACUUM, and paging relies on it.
 * `number` counts the samples of one subject, so that the window is a range at one end of the key.
 */
export const start = {
  id: 1,
  sql: `
    CREATE TABLE calls (
      sequence INTEGER PRIMARY KEY,
      id TEXT NOT NULL UNIQUE,
      at TEXT NOT NULL,
      tool TEXT NOT NULL,
      status TEXT NOT NULL,
      server TEXT,
      user TEXT,
      record TEXT NOT NULL
    ) STRICT;
    CREATE INDEX calls_by_tool ON calls (tool);
    CREATE INDEX calls_by_status ON calls (status);

    CREATE TABLE events (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      at TEXT NOT NULL,
      type TEXT NOT NULL,
      event TEXT NOT NULL
    ) STRICT;

    CREATE TABLE samples (
      subject TEXT NOT NULL,
      number INTEGER NOT NULL,
      at TEXT NOT NULL,
      ok INTEGER NOT NULL,
      latency_ms REAL NOT NULL,
      PRIMARY KEY (subject, number)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE approvals (
      sequence INTEGER PRIMARY KEY,
      id TEXT NOT NULL UNIQUE,
      status TEXT NOT NULL,
      at TEXT NOT NULL,
      record TEXT NOT NULL,
      answer TEXT
    ) STRICT;
    CREATE INDEX approvals_by_status ON approvals (status);
  `,
} as const;
