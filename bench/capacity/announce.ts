import { setTimeout as pause } from "node:timers/promises";
import { Client } from "pg";
import type { World } from "./world.ts";

/** Enough that the difference is far above the clock ticks in which the kernel counts. */
const listeners = 24;
const announcements = 250;
/** Longer than a listener needs, so that none hears of two at once. */
const pauseMs = 20;
const settleMs = 300;

/** Milliseconds of the database to tell one listener: the same announcements with many listeners and with none. */
export async function measureTelling({ postgres, used }: World): Promise<number> {
  const speaker = await connect(postgres.address("public"));
  const announce = async () => {
    await pause(settleMs);
    const before = used().databaseMs;
    for (let at = 0; at < announcements; at += 1) {
      await speaker.query("SELECT pg_notify('capacity', $1)", [String(at)]);
      await pause(pauseMs);
    }
    await pause(settleMs);
    return used().databaseMs - before;
  };
  const aloneMs = await announce();
  const hearing = await Promise.all(Array.from({ length: listeners }, () => connect(postgres.address("public"))));
  for (const one of hearing) await one.query("LISTEN capacity");
  const toldMs = await announce();
  await Promise.all([speaker, ...hearing].map((one) => one.end()));
  return Math.max(0, toldMs - aloneMs) / (announcements * listeners);
}

async function connect(connectionString: string): Promise<Client> {
  const client = new Client({ connectionString });
  await client.connect();
  return client;
}
