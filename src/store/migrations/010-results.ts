/** Results that were too large to be shown whole. The index holds all that is needed to know their size. */
export const results = {
  id: 10,
  sql: `
    CREATE TABLE results (
      sequence INTEGER PRIMARY KEY AUTOINCREMENT,
      id TEXT NOT NULL UNIQUE,
      user TEXT,
      expires_at TEXT NOT NULL,
      bytes INTEGER NOT NULL,
      is_compressed INTEGER NOT NULL,
      record TEXT NOT NULL,
      body BLOB NOT NULL
    ) STRICT;
    CREATE INDEX results_by_expiry ON results (expires_at, bytes);
    CREATE INDEX results_by_user ON results (user, sequence);
  `,
} as const;
