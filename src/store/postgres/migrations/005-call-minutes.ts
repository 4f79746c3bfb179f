/** The same as migration 16 of the SQLite store; what was called before is not counted. */
export const callMinutes = {
  id: 5,
  sql: `
    CREATE TABLE call_minutes (
      minute bigint NOT NULL,
      user_name text COLLATE "C" NOT NULL,
      status text COLLATE "C" NOT NULL,
      took integer NOT NULL,
      calls bigint NOT NULL,
      PRIMARY KEY (minute, user_name, status, took)
    );
  `,
} as const;
