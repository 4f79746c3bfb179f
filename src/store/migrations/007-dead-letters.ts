/**
 * `due_at` is when something has to be done about an entry: it is to be tried again, or whoever tries it is gone.
 * A place in the order is never given twice, because pages end at one.
 */
export const deadLetters = {
  id: 7,
  sql: `
    CREATE TABLE dead_letters (
      sequence INTEGER PRIMARY KEY AUTOINCREMENT,
      id TEXT NOT NULL UNIQUE,
      status TEXT NOT NULL,
      tool TEXT NOT NULL,
      server TEXT,
      user TEXT,
      updated_at TEXT NOT NULL,
      due_at TEXT,
      revision INTEGER NOT NULL,
      record TEXT NOT NULL
    ) STRICT;
    CREATE INDEX dead_letters_by_status ON dead_letters (status, updated_at);
    CREATE INDEX dead_letters_by_due ON dead_letters (due_at) WHERE due_at IS NOT NULL;
  `,
} as const;
