import { openPostgresStore } from "../../packages/postgres/src/postgres.ts";
import { parseStoreAddress } from "../../src/model/config/settings.ts";
import { callEntry } from "../../test/contracts/records.ts";
import { startPostgres } from "../../test/fixtures/postgres.ts";
import { familyMs, postgresPid } from "../replicas/processor.ts";

export type Verified = {
  rows: number;
  records: number;
  ms: number;
  planeMs: number;
  databaseMs: number;
};

const days = 10;
const dayMs = 86_400_000;
const atOnce = 2_000;

/** So many calls of ten days in one chain, and what it costs to follow the chain of one day in the middle. */
export async function verifyDay(rows: number): Promise<Verified> {
  await using postgres = await startPostgres();
  const address = parseStoreAddress(postgres.address("chain"));
  if (!("kind" in address) || address.kind !== "postgres")
    throw new Error("no address of Postgres");
  const store = await openPostgresStore(address);
  try {
    const first = Math.floor(Date.now() / dayMs - days) * dayMs;
    const timeOf = (at: number) =>
      new Date(first + Math.floor((at * days * dayMs) / rows)).toISOString();
    for (let from = 0; from < rows; from += atOnce) {
      const length = Math.min(atOnce, rows - from);
      await store.append(
        Array.from({ length }, (_, at) =>
          callEntry(`call-${from + at}`, { at: timeOf(from + at) }),
        ),
      );
    }
    const [place] = await postgres.run("SHOW data_directory");
    const database = postgresPid(String(place?.data_directory));
    const day = new Date(first + (days / 2) * dayMs).toISOString().slice(0, 10);
    const [cpu, databaseMs, begun] = [process.cpuUsage(), familyMs(database), performance.now()];
    const { ok, calls } = await store.verifyCalls({ since: day, until: day });
    const ms = performance.now() - begun;
    const { user, system } = process.cpuUsage(cpu);
    if (!ok) throw new Error("the chain is broken");
    return {
      rows,
      records: calls,
      ms,
      planeMs: (user + system) / 1_000,
      databaseMs: familyMs(database) - databaseMs,
    };
  } finally {
    await store.close();
  }
}
