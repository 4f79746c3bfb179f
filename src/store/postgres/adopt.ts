import type { KeptDeadLetter } from "../../model/dead-letter.ts";
import type { KeptJobRun } from "../../model/job-run.ts";
import type { Connection } from "./connection.ts";
import type { Messages } from "./messages.ts";
import { parseRecord, type Query } from "./query.ts";

const pageSize = 500;

type Table = "job_runs" | "dead_letters";

/**
 * Sends what is due before then and has no message: left behind by a plane that only made it, by an older version or by
 * an import. Sending one again does nothing.
 */
export async function adopt(write: Connection["write"], messages: Messages, before: string): Promise<void> {
  await adoptFrom(write, "job_runs", before, (query, records) =>
    messages.putRuns(query, records as KeptJobRun[]),
  );
  await adoptFrom(write, "dead_letters", before, (query, records) =>
    messages.putDeadLetters(query, records as KeptDeadLetter[]),
  );
}

async function adoptFrom(
  write: Connection["write"],
  table: Table,
  before: string,
  put: (query: Query, records: unknown[]) => Promise<void>,
): Promise<void> {
  let after = 0;
  for (;;) {
    const rows = await write(async (query) => {
      const found = await query(
        `SELECT sequence, record FROM ${table} WHERE due_at <= $1 AND sequence > $2 ORDER BY sequence LIMIT $3`,
        [before, after, pageSize],
      );
      await put(query, found.rows.map(parseRecord));
      return found.rows;
    });
    if (rows.length < pageSize) return;
    after = Number(rows.at(-1)?.sequence);
  }
}
