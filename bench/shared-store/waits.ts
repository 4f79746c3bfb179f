import pg from "pg";

const everyMs = 20;

export type Waits = {
  samples: number;
  /** Samples in which a plane waited for a lock, by what it waited for. */
  locks: Record<string, number>;
};

/** Looks again and again for sessions of planes that wait for a lock, until it is stopped. */
export async function watchLocks(address: string): Promise<{ stop(): Promise<Waits> }> {
  const client = new pg.Client(address);
  await client.connect();
  const found: Waits = { samples: 0, locks: {} };
  const sql = `SELECT DISTINCT wait_event || ': ' || left(regexp_replace(query, '\\s+', ' ', 'g'), 50) AS what
    FROM pg_stat_activity WHERE application_name = 'toolplane' AND wait_event_type = 'Lock'
    UNION SELECT 'not granted: ' || locktype || ' ' || mode FROM pg_locks WHERE NOT granted`;
  let isStopped = false;
  const watching = (async () => {
    while (!isStopped) {
      const { rows } = await client.query<{ what: string }>(sql);
      found.samples += 1;
      for (const { what } of rows) found.locks[what] = (found.locks[what] ?? 0) + 1;
      await new Promise((resolve) => setTimeout(resolve, everyMs));
    }
  })();
  return {
    async stop() {
      isStopped = true;
      await watching;
      await client.end();
      return found;
    },
  };
}
