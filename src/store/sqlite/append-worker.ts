import { parentPort, workerData } from "node:worker_threads";
import { createDatabase } from "../sqlite.ts";
import { createJournalTables } from "../tables/records.ts";
import type { Appended } from "./append-elsewhere.ts";
import { createConnection } from "./connection.ts";
import { openDatabase } from "./open-database.ts";
import { type PackedEntries, unpackEntries } from "./pack-entries.ts";
import { storeFailure } from "./store-failure.ts";

const file = String(workerData);
const { append } = createJournalTables(createDatabase(createConnection(await openDatabase(file), file)));
const answer = (said: Appended | "ready") => parentPort?.postMessage(said);

parentPort?.on("message", (packed: PackedEntries) => {
  append(unpackEntries(packed)).then(answer, (thrown) => {
    const { message, data } = storeFailure(file, thrown);
    answer({ failed: { message, data } });
  });
});
answer("ready");
