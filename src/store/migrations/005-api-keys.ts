/** `hash` is all there is of the secret: what is found by it was shown whole. */
export const apiKeys = {
  id: 5,
  sql: `
    CREATE TABLE api_keys (
      sequence INTEGER PRIMARY KEY,
      id TEXT NOT NULL UNIQUE,
      hash TEXT NOT NULL UNIQUE,
      record TEXT NOT NULL,
      last_used_at TEXT,
      revoked_at TEXT
    ) STRICT;
  `,
} as const;
