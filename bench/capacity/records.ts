import type { World } from "./world.ts";

/** What a record takes in the database: in the table of calls, in its indices, and in all other tables. */
export type RecordBytes = { row: number; indices: number; otherTables: number };

/** A table like that of the calls with so many records, and how long it takes to be rid of it. */
export type Day = {
  rows: number;
  bytes: number;
  /** What it takes to fill it with one statement. */
  insertProcessorMs: number;
  /** Record by record, and the table as a whole. */
  deleteMs: number;
  dropMs: number;
  deleteProcessorMs: number;
  dropProcessorMs: number;
};

export type Sizes = { rows: number; indices: number; others: number; records: number };

/** In the tables as they are: one for all calls, or one for each day. */
export async function sizesOf({ postgres, schema }: World): Promise<Sizes> {
  const [row] = await postgres.run(`
    SELECT sum(pg_table_size(c.oid)) FILTER (WHERE relname LIKE 'calls%') AS rows,
           sum(pg_indexes_size(c.oid)) FILTER (WHERE relname LIKE 'calls%') AS indices,
           sum(pg_total_relation_size(c.oid)) FILTER (WHERE relname NOT LIKE 'calls%') AS others,
           (SELECT count(*) FROM "${schema}".calls) AS records
    FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = relnamespace
    WHERE nspname = '${schema}' AND relkind = 'r'`);
  const { rows, indices, others, records } = row ?? {};
  return {
    rows: Number(rows),
    indices: Number(indices),
    others: Number(others),
    records: Number(records),
  };
}

/** What came with each record; empty tables have their size, too. */
export function bytesBetween(before: Sizes, after: Sizes): RecordBytes {
  const each = (name: keyof Sizes) =>
    (after[name] - before[name]) / (after.records - before.records);
  return { row: each("rows"), indices: each("indices"), otherTables: each("others") };
}

/** Copies of one real record, each with a number and an id of its own. */
export async function measureDay({ postgres, schema, used }: World, rows: number): Promise<Day> {
  const calls = `"${schema}".calls`;
  const day = `"${schema}".one_day`;
  const fill = `
    CREATE TABLE ${day} (LIKE ${calls} INCLUDING ALL);
    INSERT INTO ${day} OVERRIDING SYSTEM VALUE
      SELECT filled.*
      FROM (SELECT to_jsonb(one) AS record FROM ${calls} AS one LIMIT 1) AS copied, generate_series(1, ${rows}) AS number,
        jsonb_populate_record(NULL::${calls}, copied.record ||
          jsonb_build_object('id', (copied.record->>'id') || number, 'sequence', number)) AS filled`;
  const timed = async (sql: string) => {
    const begun = performance.now();
    const before = used().databaseMs;
    await postgres.run(sql);
    return { ms: performance.now() - begun, processorMs: used().databaseMs - before };
  };
  await postgres.run(fill);
  const [size] = await postgres.run(`SELECT pg_total_relation_size('${day}') AS bytes`);
  const deleted = await timed(`DELETE FROM ${day}`);
  await postgres.run(`DROP TABLE ${day}`);
  const filled = await timed(fill);
  const dropped = await timed(`DROP TABLE ${day}`);
  return {
    rows,
    bytes: Number(size?.bytes),
    insertProcessorMs: filled.processorMs,
    deleteMs: deleted.ms,
    dropMs: dropped.ms,
    deleteProcessorMs: deleted.processorMs,
    dropProcessorMs: dropped.processorMs,
  };
}
