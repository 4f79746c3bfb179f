/**
 * Small things that several planes have together, each until a time in milliseconds. Calls that come from an old file may
 * have no hash: the chain begins after them.
 */
export const sharedValues = {
  id: 4,
  sql: `
    CREATE TABLE shared_values (
      key text COLLATE "C" PRIMARY KEY,
      until bigint NOT NULL,
      value text NOT NULL
    );
    CREATE INDEX shared_values_by_end ON shared_values (until);

    ALTER TABLE calls ALTER COLUMN hash DROP NOT NULL;
    ALTER TABLE call_checkpoints ALTER COLUMN hash DROP NOT NULL;
  `,
} as const;
