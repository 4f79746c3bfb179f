import type { Store, StoredAmount } from "../../model/store.ts";
import {
  type Database,
  query,
  type Row,
  selectFirst,
  selectNumber,
  textOrNull,
  type Work,
} from "./database.ts";

/** Some rows stand for all of them: no table is read as a whole. */
const sampleSize = 500;
/** From everywhere: a caller decides how large their newest records are, and must not push out the others with them. */
const spreadSize = 200;
/** What indexes and other columns take beside the record. */
const overheadBytes = 450;

type Kind = {
  kind: StoredAmount["kind"];
  table: string;
  /** Counts up; rows are removed at its lower end. */
  key: string;
  /** Its content; `bytes` is a number already. */
  content: readonly string[];
  at: string;
};

const kinds = (recordOf: Database["recordOf"]): readonly Kind[] => [
  { kind: "calls", table: "calls", key: "sequence", content: ["record"], at: "at" },
  { kind: "changes", table: "audit", key: "sequence", content: ["record"], at: "at" },
  { kind: "runs", table: "runs", key: "sequence", content: ["record", "trace"], at: "at" },
  { kind: "events", table: "events", key: "id", content: [recordOf("events")], at: "at" },
  { kind: "results", table: "results", key: "sequence", content: ["bytes"], at: "expires_at" },
  { kind: "payloads", table: "payloads", key: "expires_at", content: ["body"], at: "expires_at" },
  {
    kind: "deadLetters",
    table: "dead_letters",
    key: "sequence",
    content: ["record"],
    at: "updated_at",
  },
  { kind: "jobRuns", table: "job_runs", key: "sequence", content: ["record"], at: "ended_at" },
];

function holdings({
  read,
  recordOf,
  days,
  bytes: bytesOfStore,
}: Database): Promise<StoredAmount[]> {
  return read(function* () {
    const amounts: StoredAmount[] = [];
    for (const kind of kinds(recordOf)) {
      const counted =
        days && (kind.kind === "calls" || kind.kind === "events")
          ? yield* days.counted(kind.kind)
          : null;
      amounts.push(counted === null ? yield* estimate(kind) : yield* withCount(kind, counted));
    }
    // Numbers that were made up cannot make a kind larger than the store.
    const stored = yield* selectNumber(bytesOfStore);
    return amounts.map((amount) => withinStore(amount, stored));
  });
}

/** Days that the store counts, and what is from the time before it did. */
function* withCount(
  kind: Kind,
  { count, bytes }: { count: number; bytes: number },
): Work<StoredAmount> {
  const uncounted = yield* estimate({ ...kind, table: `${kind.table}_before` });
  const { table, key, at } = kind;
  const oldest = yield* selectFirst(
    (row) => textOrNull(row.at),
    `SELECT ${at} AS at FROM ${table} ORDER BY ${key} LIMIT 1`,
  );
  return {
    kind: kind.kind,
    count: uncounted.count + count,
    bytes: uncounted.bytes + bytes,
    oldest,
  };
}

function withinStore(amount: StoredAmount, storedBytes: number): StoredAmount {
  const { count, bytes } = amount;
  if (bytes <= storedBytes) return amount;
  return { ...amount, count: Math.round((count * storedBytes) / bytes), bytes: storedBytes };
}

/** How much of each kind there is. */
export function createHoldings(database: Database): Pick<Store, "holdings" | "callAt"> {
  const { read } = database;
  return {
    holdings: () => holdings(database),
    callAt: (offset) =>
      read(() =>
        selectFirst(
          ({ at }) => textOrNull(at),
          "SELECT at FROM calls ORDER BY sequence LIMIT 1 OFFSET ?",
          [offset],
        ),
      ),
  };
}

function* estimate({ kind, table, key, content, at }: Kind): Work<StoredAmount> {
  const sizes = content.map((column) => (column === "bytes" ? column : `length(${column})`));
  const selection = `SELECT ${key} AS place, ${sizes.join(" + ")} AS size FROM ${table}`;
  const { rows } = yield* query(`${selection} ORDER BY ${key} DESC LIMIT ${sampleSize}`);
  const oldest = yield* selectFirst(
    (row) => row,
    `SELECT ${key} AS place, ${at} AS at FROM ${table} ORDER BY ${key} LIMIT 1`,
  );
  const isAll = rows.length < sampleSize;
  const count = isAll ? rows.length : yield* countFrom(oldest, rows, table, key);
  const keys = isAll ? [] : keysBetween(Number(oldest?.place), Number(rows[0]?.place));
  const sample = yield* spreadSample(rows, `${selection} WHERE ${key}`, keys);
  const bytes = sample.reduce((sum, { size }) => sum + Number(size) + overheadBytes, 0);
  return {
    kind,
    count,
    bytes: sample.length === 0 ? 0 : Math.round((bytes / sample.length) * count),
    oldest: textOrNull(oldest?.at),
  };
}

function* spreadSample(newest: Row[], sql: string, keys: readonly number[]): Work<Row[]> {
  if (keys.length === 0) return newest;
  const { rows } = yield* query(`${sql} IN (${keys.join(", ")})`);
  return rows.length < minSpreadRows ? newest : rows;
}

/** Where nearly all numbers are missing, the newest rows say more. */
const minSpreadRows = 20;

/** None where the key is no number. */
function keysBetween(low: number, high: number): number[] {
  if (!Number.isSafeInteger(low) || !Number.isSafeInteger(high)) return [];
  return Array.from(
    { length: spreadSize },
    (_, index) => low + Math.floor(((high - low) * index) / (spreadSize - 1)),
  );
}

/** Numbers have gaps, about as many before the sample as within it. */
function* countFrom(
  oldest: Row | null,
  rows: readonly Row[],
  table: string,
  key: string,
): Work<number> {
  const [high, low, lowest] = [rows[0]?.place, rows.at(-1)?.place, oldest?.place].map(Number);
  if (high === undefined || low === undefined || lowest === undefined || Number.isNaN(high)) {
    const counted = yield* selectFirst(
      ({ n }) => Number(n),
      `SELECT count(${key}) AS n FROM ${table}`,
    );
    return counted ?? 0;
  }
  return Math.round(((high - lowest + 1) * rows.length) / (high - low + 1));
}
