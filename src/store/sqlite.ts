import { type HealthSample, healthWindow } from "../model/catalogue/health.ts";
import type { RecordSealer, StoreParts } from "../model/config/settings.ts";
import type { Store } from "../model/store.ts";
import { createIdempotentAppend } from "./idempotent-append.ts";
import { createAppendElsewhere } from "./sqlite/append-elsewhere.ts";
import { createSqliteConnection, type SqliteConnection } from "./sqlite/connection.ts";
import { createSqliteDueWork } from "./sqlite/due-work.ts";
import { createExaminer } from "./sqlite/examine.ts";
import { createLogSync } from "./sqlite/log-sync.ts";
import { openDatabase } from "./sqlite/open-database.ts";
import { createSqliteStateStore } from "./sqlite/state.ts";
import { hasLog, reportDamagedLog } from "./sqlite/write-ahead-log.ts";
import { insert, insertText, query, selectNumber, type Work } from "./tables/database.ts";
import { type AppendedDatabase, createAppend } from "./tables/records.ts";
import { createTables } from "./tables/tables.ts";

/** The embedded store: one file, or `":memory:"`, which ends with the process. */
export async function openSqliteStore(
  file: string,
  { durability = "power", sealer = null }: Partial<StoreParts> = {},
): Promise<Store> {
  const wasLeftOpen = hasLog(file);
  if (wasLeftOpen) await reportDamagedLog(file);
  const examiner = createExaminer(file, wasLeftOpen);
  const isSynced = file !== ":memory:" && durability !== "process";
  const log = isSynced ? createLogSync(file) : undefined;
  const connection = createSqliteConnection(await openDatabase(file), file, examiner.note, log);
  const database = createDatabase(connection, sealer);
  const tables = { ...createTables(database), ...createAppend(database) };
  const worker =
    file === ":memory:" ? null : createAppendElsewhere(file, tables.append, examiner.note);
  return {
    ...tables,
    ...(worker && { append: createIdempotentAppend({ ...tables, append: worker.append }) }),
    dueWork: async () => createSqliteDueWork(connection),
    ...createSqliteStateStore(connection),
    ...localOnly,
    sync: connection.sync,
    trouble: examiner.trouble,
    examine: examiner.examine,
    async close() {
      await Promise.all([worker?.close(), examiner.close()]);
      await connection.close();
    },
  };
}

/** A file is always reachable, sends no notifications and has one writer at a time. */
const localOnly: Pick<Store, "onTrouble" | "watch" | "watchRecords" | "isInformed" | "alone"> = {
  onTrouble: () => () => undefined,
  watch: () => () => undefined,
  watchRecords: () => () => undefined,
  isInformed: () => false,
  async alone(_task, work) {
    await work();
    return true;
  },
};

export function createDatabase(
  { read, write }: SqliteConnection,
  sealer: RecordSealer | null = null,
): AppendedDatabase {
  return {
    read,
    sealer,
    bytes: "SELECT page_count * page_size AS bytes FROM pragma_page_count(), pragma_page_size()",
    write,
    recordOf: (table) => (table === "events" ? "event" : "body"),
    isOneOf: (column) => `${column} IN (SELECT value FROM json_each(?))`,
    recordNumber: (...path) => `json_extract(record, '$.${path.join(".")}')`,
    now: { sql: "?", values: () => [Date.now()] },
    // Other streams were imported, and do not grow.
    streamEnds:
      "SELECT stream, sequence, hash FROM calls WHERE stream = 0 ORDER BY sequence DESC LIMIT 1",
    minutes: "call_minutes",
    // Lone surrogates become replacement characters.
    asStored: (text) => text.toWellFormed(),
    unlocked: "",
    *lockValue() {
      // A transaction has the whole file.
    },
    *insertRows(table, rows, onConflict) {
      const sql = insertText(table, Object.keys(rows[0] ?? {}), onConflict);
      for (const row of rows) yield* query(sql, Object.values(row));
    },
    insertSamples,
  };
}

/** `number` counts the samples of one subject, so that its window is a range at one end of the key. */
function* insertSamples(samples: readonly HealthSample[]): Work<void> {
  let sequence = yield* selectNumber("SELECT coalesce(max(sequence), 0) FROM samples");
  for (const [subject, subjectSamples] of Map.groupBy(samples, (sample) => sample.subject)) {
    let newest = yield* selectNumber(
      "SELECT coalesce(max(number), 0) FROM samples WHERE subject = ?",
      [subject],
    );
    // Under load one batch has more than the window holds.
    for (const { at, ok, latencyMs } of subjectSamples.slice(-healthWindow)) {
      sequence += 1;
      newest += 1;
      yield* insert("samples", {
        subject,
        number: newest,
        at,
        ok,
        latency_ms: latencyMs,
        sequence,
      });
    }
    if (newest > healthWindow)
      yield* query("DELETE FROM samples WHERE subject = ? AND number <= ?", [
        subject,
        newest - healthWindow,
      ]);
  }
}
