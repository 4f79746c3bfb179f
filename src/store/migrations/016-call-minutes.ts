/**
 * How many calls began in each minute, so that a plot of them costs the same however many there are. `took` is a step of
 * time (`store/call-minutes.ts`). Of the last calls from before it is known that there were some, and not how long they took.
 */
export const callMinutes = {
  id: 16,
  sql: `
    CREATE TABLE call_minutes (
      minute INTEGER NOT NULL,
      user TEXT NOT NULL,
      status TEXT NOT NULL,
      took INTEGER NOT NULL,
      calls INTEGER NOT NULL,
      PRIMARY KEY (minute, user, status, took)
    ) STRICT, WITHOUT ROWID;

    INSERT INTO call_minutes (minute, user, status, took, calls)
    SELECT unixepoch(at) / 60, coalesce(user, ''), status, -1000, count(*)
    FROM calls
    WHERE sequence > (SELECT max(sequence) FROM calls) - 100000 AND unixepoch(at) IS NOT NULL
    GROUP BY 1, 2, 3;
  `,
} as const;
