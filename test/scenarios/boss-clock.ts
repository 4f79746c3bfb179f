import { bossSchema } from "../../packages/postgres/src/pg-boss.ts";
import type { RunningPostgres } from "../fixtures/postgres.ts";
import { moveClock } from "./work-world.ts";

/** The same for planes on this schema: what waits or is held there has waited and been held for so much longer. */
export async function moveClocks(
  server: RunningPostgres,
  schema: string,
  ms: number,
): Promise<Disposable> {
  const boss = bossSchema(schema);
  // Ours first: what a plane takes too early by its own clock it gives back for as long as was left.
  const moved = moveClock(ms);
  const earlier = (column: string) => `${column} = ${column} - interval '${ms} milliseconds'`;
  await server.run(
    `UPDATE ${boss}.job SET ${earlier("start_after")}, ${earlier("heartbeat_on")};
     UPDATE ${boss}.queue SET ${earlier("monitor_on")}, ${earlier("monitor_claim_on")}`,
  );
  return moved;
}
