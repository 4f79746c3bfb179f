/**
 * Calls are only ever added: each one's hash covers the one before it, and what is removed because of its age leaves a
 * checkpoint with the hash that the rest goes on from. Calls of earlier versions have no hash; the chain begins after them.
 */
export const callChain = {
  id: 11,
  sql: `
    ALTER TABLE calls ADD COLUMN hash TEXT;

    CREATE TABLE call_checkpoints (
      sequence INTEGER PRIMARY KEY,
      hash TEXT,
      at TEXT NOT NULL,
      removed INTEGER NOT NULL
    ) STRICT;

    CREATE TRIGGER calls_are_not_changed BEFORE UPDATE ON calls
    BEGIN SELECT RAISE(ABORT, 'recorded calls cannot be changed'); END;

    CREATE TRIGGER calls_are_not_removed BEFORE DELETE ON calls
    WHEN OLD.sequence > (SELECT coalesce(max(sequence), 0) FROM call_checkpoints)
    BEGIN SELECT RAISE(ABORT, 'recorded calls can only be removed behind a checkpoint'); END;

    CREATE TRIGGER checkpoints_are_not_changed BEFORE UPDATE ON call_checkpoints
    BEGIN SELECT RAISE(ABORT, 'checkpoints cannot be changed'); END;

    CREATE TRIGGER checkpoints_are_not_removed BEFORE DELETE ON call_checkpoints
    BEGIN SELECT RAISE(ABORT, 'checkpoints cannot be removed'); END;
  `,
} as const;
