/** The definitions of tools that are taken for good, by server. */
export const pins = {
  id: 12,
  sql: `
    CREATE TABLE pinned_servers (
      identity TEXT PRIMARY KEY,
      server TEXT NOT NULL,
      at TEXT NOT NULL
    ) STRICT;

    CREATE TABLE pins (
      identity TEXT NOT NULL,
      tool TEXT NOT NULL,
      state TEXT NOT NULL,
      hash TEXT,
      quick_hash TEXT,
      clean_by INTEGER,
      definition TEXT,
      record TEXT NOT NULL,
      PRIMARY KEY (identity, tool)
    ) STRICT, WITHOUT ROWID;
  `,
} as const;
