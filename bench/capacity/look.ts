import { Client } from "pg";
import type { World } from "./world.ts";

/** Enough that it is far above the clock ticks in which the kernel counts. */
const looks = 3_000;
/** Of planes whose events are followed; `packages/postgres/src/record-watch.ts` has the same. */
export const looksPerSecond = 4;

/** Milliseconds of the database for one look at how far the records go. */
export async function measureLook({ postgres, schema, used }: World): Promise<number> {
  const client = new Client({ connectionString: postgres.address("public") });
  await client.connect();
  await client.query(`SET search_path = "${schema}"`);
  const look = async (count: number) => {
    for (let at = 0; at < count; at += 1) await client.query("SELECT last_settled()");
  };
  await look(looks / 10);
  const before = used().databaseMs;
  await look(looks);
  const tookMs = used().databaseMs - before;
  await client.end();
  return tookMs / looks;
}
