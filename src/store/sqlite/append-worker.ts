import { parentPort, workerData } from "node:worker_threads";
import { createDatabase } from "../sqlite.ts";
import { createAppend } from "../tables/records.ts";
import type { Appended } from "./append-elsewhere.ts";
import { createSqliteConnection } from "./connection.ts";
import type { Examined, WorkerTask } from "./examine.ts";
import { openDatabase } from "./open-database.ts";
import { type PackedEntries, unpackEntries } from "./pack-entries.ts";
import { damaged, sqliteFailure } from "./store-failure.ts";

const { file, findsDamage = false } = workerData as WorkerTask;
const answer = (message: Appended | Examined | "ready") => parentPort?.postMessage(message);

if (findsDamage) answer({ damage: await findDamage() });
else {
  const database = await openDatabase(file);
  const { append } = createAppend(createDatabase(createSqliteConnection(database, file)));
  parentPort?.on("message", (packed: PackedEntries) => {
    append(unpackEntries(packed)).then(answer, (thrown) => {
      const { message, data } = sqliteFailure(file, thrown);
      answer({ failed: { message, data } });
    });
  });
  answer("ready");
}

async function findDamage(): Promise<string | null> {
  try {
    const database = await openDatabase(file);
    const [first] = database.prepare("PRAGMA quick_check(1)").all();
    database.close();
    return first?.quick_check === "ok" ? null : damaged(file, String(first?.quick_check)).message;
  } catch (thrown) {
    const { message, data } = sqliteFailure(file, thrown);
    return data.damaged === true ? message : null;
  }
}
