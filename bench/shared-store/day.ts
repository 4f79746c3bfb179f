import { setTimeout as pause } from "node:timers/promises";
import { openPostgresStore } from "../../packages/postgres/src/postgres.ts";
import { parseStoreAddress } from "../../src/model/config/settings.ts";
import type { Store } from "../../src/model/store.ts";
import { callEntry } from "../../test/contracts/records.ts";
import { startPostgres } from "../../test/fixtures/postgres.ts";

export type DroppedDay = {
  rows: number;
  bytes: number;
  /** Until no one finds it any more, which others wait for. */
  dropMs: number;
  /** Until its files are gone. */
  freeMs: number;
  removed: number;
  /** The longest time that another plane needed to store a call meanwhile. */
  waitedMs: number;
};

const dayBits = 38;
/** The record of a test is shorter than that of a real call. */
const padding = 400;
/** How often another plane stores a call meanwhile. */
const everyMs = 20;
const schema = "days";

/** Yesterday with so many calls, which are copies of a real one, and how long it takes to be rid of them as the store does it. */
export async function dropDay(rows: number): Promise<DroppedDay> {
  await using postgres = await startPostgres();
  const address = parseStoreAddress(postgres.address(schema));
  if (!("kind" in address) || address.kind !== "postgres")
    throw new Error("no address of Postgres");
  const store = await openPostgresStore(address);
  const other = await openPostgresStore(address);
  try {
    await store.append([callEntry("one")]);
    const today = Math.floor(Date.now() / 86_400_000);
    const day = today - 1;
    const name = `calls_${new Date(day * 86_400_000).toISOString().slice(0, 10).replaceAll("-", "")}`;
    const base = `(${day}::bigint << ${dayBits})`;
    await postgres.run(`
      SET search_path = ${schema};
      CREATE TABLE ${name} (LIKE calls INCLUDING DEFAULTS);
      INSERT INTO ${name} SELECT filled.* FROM (SELECT to_jsonb(it) AS of FROM calls AS it LIMIT 1) AS one, generate_series(1, ${rows}) AS at,
        jsonb_populate_record(NULL::calls, one.of || jsonb_build_object('id', 'copy-' || at, 'sequence', ${base} + at,
          'record', (one.of->>'record') || repeat(' ', ${padding}))) AS filled;
      ALTER TABLE calls ATTACH PARTITION ${name} FOR VALUES FROM (${BigInt(day) << BigInt(dayBits)}) TO (${BigInt(today) << BigInt(dayBits)});
      SELECT guard_part('calls', '${name}');
      INSERT INTO stream_days (day, stream, calls, call_bytes) VALUES (${day}, 1, ${rows}, ${rows}::bigint * 1800);
      CHECKPOINT`);
    const [size] = await postgres.run(
      `SELECT pg_total_relation_size('${schema}.${name}') AS bytes`,
    );
    await other.append([callEntry("two")]);
    const before = new Date(today * 86_400_000).toISOString();
    const timed = async (isToEnd: boolean) => {
      const begun = performance.now();
      const first = await store.forgetCalls(before);
      for (let left = first; isToEnd && left > 0; ) left = await store.forgetCalls(before);
      return { removed: first, ms: performance.now() - begun };
    };
    // Its space is given back once nothing is left to remove.
    const dropping = timed(false).then(async (dropped) => ({ dropped, freed: await timed(true) }));
    const waitedMs = await longestAppend(other, dropping);
    const { dropped, freed } = await dropping;
    const left = await postgres.run(`SELECT to_regclass('${schema}.removed_${name}') AS name`);
    if (left[0]?.name !== null) throw new Error("the files of the day are still there");
    return {
      rows,
      bytes: Number(size?.bytes),
      dropMs: dropped.ms,
      freeMs: freed.ms,
      removed: dropped.removed,
      waitedMs,
    };
  } finally {
    await Promise.all([store.close(), other.close()]);
  }
}

async function longestAppend(store: Store, until: Promise<unknown>): Promise<number> {
  let isOver = false;
  void until.finally(() => {
    isOver = true;
  });
  let longest = 0;
  for (let at = 0; !isOver; at += 1) {
    const begun = performance.now();
    await store.append([callEntry(`beside ${at}`)]);
    longest = Math.max(longest, performance.now() - begun);
    await pause(everyMs);
  }
  return longest;
}
