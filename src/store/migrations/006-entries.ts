/**
 * What people set while running, and what happened to the catalogue. A persona is '' where an entry is
 * everybody's, because a key has no room for NULL. `audience` says who may see a change, in few different texts.
 */
export const entries = {
  id: 6,
  sql: `
    CREATE TABLE entries (
      kind TEXT NOT NULL,
      persona TEXT NOT NULL,
      name TEXT NOT NULL,
      body TEXT NOT NULL,
      PRIMARY KEY (kind, persona, name)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE changes (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      kind TEXT NOT NULL,
      what TEXT NOT NULL,
      name TEXT NOT NULL,
      persona TEXT,
      audience TEXT NOT NULL,
      body TEXT NOT NULL
    ) STRICT;
    CREATE INDEX changes_by_name ON changes (name);
    CREATE INDEX changes_by_audience ON changes (audience);
  `,
} as const;
