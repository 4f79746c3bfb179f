import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { openPostgresStore } from "../../packages/postgres/src/postgres.ts";
import { parseStoreAddress } from "../../src/model/config/settings.ts";
import { openSqliteStore } from "../../src/store/sqlite.ts";
import { startPostgres } from "../../test/fixtures/postgres.ts";
import { type Bar, isMissed, renderBars, renderTable } from "../report.ts";
import { all, concurrency, type Measured, measure } from "./measure.ts";

const { values } = parseArgs({ options: { json: { type: "boolean" } } });

async function onFile(): Promise<Measured> {
  const directory = await mkdtemp(join(tmpdir(), "toolplane-bench-jobs-"));
  const store = await openSqliteStore(join(directory, "toolplane.db"));
  try {
    return await measure(store);
  } finally {
    await store.close();
    await rm(directory, { recursive: true });
  }
}

async function onPostgres(): Promise<Measured> {
  await using server = await startPostgres();
  const address = parseStoreAddress(server.address());
  if (!("kind" in address) || address.kind !== "postgres")
    throw new Error("This is no address of Postgres.");
  const store = await openPostgresStore(address);
  try {
    return await measure(store);
  } finally {
    await store.close();
  }
}

function barsOf(engine: string, { scanMs, outOfOrder, atATime }: Measured): Bar[] {
  return [
    { name: `${engine}: scan of ${all} schedules`, value: scanMs, limit: 50, unit: "ms" },
    { name: `${engine}: runs out of order`, value: outOfOrder, limit: 0, unit: "" },
    { name: `${engine}: runs at a time`, value: atATime, limit: concurrency, unit: "" },
  ];
}

const file = await onFile();
const postgres = await onPostgres();
const bars = [...barsOf("file", file), ...barsOf("Postgres", postgres)];
if (values.json)
  console.log(
    JSON.stringify({
      measured: {
        file: Object.fromEntries(file.rows),
        postgres: Object.fromEntries(postgres.rows),
      },
      bars,
    }),
  );
else {
  const rows = file.rows.map(([what, ms], at) => [
    what,
    ms.toFixed(2),
    postgres.rows[at]?.[1].toFixed(2) ?? "",
  ]);
  console.log(renderTable(["what", "file, ms", "Postgres, ms"], rows));
  console.log(`\n${renderBars(bars)}`);
}
process.exitCode = bars.some(isMissed) ? 1 : 0;
