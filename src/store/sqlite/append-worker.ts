import { parentPort, workerData } from "node:worker_threads";
import type { JournalEntry } from "../../model/store.ts";
import { createDatabase } from "../sqlite.ts";
import { createJournalTables } from "../tables/records.ts";
import type { Appended } from "./append-elsewhere.ts";
import { createConnection } from "./connection.ts";
import { openDatabase } from "./open-database.ts";
import { storeFailure } from "./store-failure.ts";

const file = String(workerData);
const { append } = createJournalTables(createDatabase(createConnection(await openDatabase(file), file)));
const answer = (said: Appended | "ready") => parentPort?.postMessage(said);

parentPort?.on("message", (entries: JournalEntry[]) => {
  append(entries).then(
    () => answer({}),
    (thrown) => {
      const { message, data } = storeFailure(file, thrown);
      answer({ failed: { message, data } });
    },
  );
});
answer("ready");
