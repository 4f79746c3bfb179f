/** What servers offered the last time; the identity stands for the whole definition it was listed with. */
export const knownServers = {
  id: 3,
  sql: `
    CREATE TABLE known_servers (
      identity TEXT PRIMARY KEY,
      listed_at TEXT NOT NULL,
      body TEXT NOT NULL
    ) STRICT, WITHOUT ROWID;
  `,
} as const;
