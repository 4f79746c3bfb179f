/** Small things that several processes have together, each until a time in milliseconds. */
export const sharedValues = {
  id: 15,
  sql: `
    CREATE TABLE shared_values (
      key TEXT PRIMARY KEY,
      until INTEGER NOT NULL,
      value TEXT NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX shared_values_by_end ON shared_values (until);
  `,
} as const;
