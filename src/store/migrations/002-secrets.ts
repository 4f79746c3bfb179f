/** `value` is sealed before it comes here; the file alone gives nothing away. */
export const secrets = {
  id: 2,
  sql: `
    CREATE TABLE secrets (
      key TEXT PRIMARY KEY,
      value BLOB NOT NULL
    ) STRICT, WITHOUT ROWID;
  `,
} as const;
