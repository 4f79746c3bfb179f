import { hash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import pg from "pg";
import { uniqueId } from "../../src/lib/ids-and-time.ts";

type Statement = { text: string; values: unknown[] };
type Transaction = readonly Statement[];
type Row = { id: string; record: string; hash: string; sequence?: number; events?: number };
/** What the statements before said: the number of the last event, and the hash of the last record. */
type Read = { last: number; hash: string };

const fixtures = join(import.meta.dirname, "../fixtures/stores");

/** What a released version asked Postgres, recorded from its program: see `fixtures/stores/README.md`. */
function recorded(version: string): Transaction[] {
  const text = gunzipSync(
    readFileSync(join(fixtures, version, "postgres/statements.jsonl.gz")),
  ).toString();
  return text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Transaction);
}

const adds = (table: string, { text }: Statement) => text.startsWith(`INSERT INTO ${table} `);
const isRecord = (statement: Statement) => adds("calls", statement) || adds("audit", statement);
const withBytes = (value: unknown) =>
  typeof value === "object" && value !== null && "hex" in value
    ? Buffer.from(String(value.hex), "hex")
    : value;

/** A plane of another version on the same database, as far as the database can tell. */
export async function openOlderWriter(version: string, connectionString: string) {
  const client = new pg.Client({ connectionString });
  await client.connect();
  await client.query("SET search_path = toolplane");
  const transactions = recorded(version);
  const written: string[] = [];

  /** As the version does it: new ids and numbers, and a hash that continues the chain. */
  function renewed(statement: Statement, read: Read): unknown[] {
    if (!isRecord(statement) && !adds("events", statement)) return statement.values.map(withBytes);
    const rows = (JSON.parse(String(statement.values[0])) as Row[]).map((row) => {
      if (adds("events", statement)) return { ...row, id: ++read.last };
      const id = uniqueId();
      const record = row.record.replaceAll(row.id, id);
      read.hash = hash("sha256", `${read.hash}\n${record}`);
      if (adds("audit", statement)) return { ...row, id, record, hash: read.hash };
      read.last += row.events === 2 ? 2 : 1;
      written.push(id);
      return { ...row, id, record, hash: read.hash, sequence: read.last };
    });
    return [JSON.stringify(rows)];
  }

  async function run(transaction: Transaction): Promise<void> {
    const read: Read = { last: 0, hash: "" };
    for (const statement of transaction) {
      // Several statements at once are possible without values only.
      const values = renewed(statement, read);
      const answer = await (values.length === 0
        ? client.query(statement.text)
        : client.query(statement.text, values));
      const [row] = (answer as { rows?: Record<string, unknown>[] }).rows ?? [];
      if (statement.text.startsWith("SELECT max(id)")) read.last = Number(row?.max);
      if (statement.text.startsWith("SELECT hash")) read.hash = String(row?.hash ?? "");
    }
  }

  return {
    /** Ids of the calls that it has recorded. */
    written,
    /** Everything that the version ever asks, once. */
    async runAll(): Promise<void> {
      const seen = new Set<string>();
      for (const transaction of transactions) {
        const shape = transaction.map(({ text }) => text).join("\n");
        if (!seen.has(shape)) await run(transaction);
        seen.add(shape);
      }
    },
    /** Its records of calls and changes once more. */
    async record(): Promise<void> {
      for (const transaction of transactions.filter((one) => one.some(isRecord)))
        await run(transaction);
    },
    [Symbol.asyncDispose]: () => client.end(),
  };
}
