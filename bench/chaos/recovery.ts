import { setTimeout as sleep } from "node:timers/promises";
import type { Plane } from "../../src/index.ts";
import { kill, markedProcesses } from "./processes.ts";
import { markOf } from "./servers.ts";

/** Kills every server at once and tells after how many milliseconds the last is connected again. */
export async function killAllAndWait(plane: Plane, run: string, limitMs: number) {
  const names = Object.keys(plane.config().servers);
  await Promise.all(names.map((name) => plane.servers.connect(name)));
  const before = new Map((await plane.servers.list()).map(({ name, pid }) => [name, pid]));
  for (const { pid } of names.flatMap((name) => markedProcesses(markOf(run, name)))) kill(pid);

  const killedAt = performance.now();
  const away = new Set(names);
  while (away.size > 0 && performance.now() - killedAt < limitMs) {
    for (const { name, state, pid } of await plane.servers.list()) {
      if (state === "connected" && pid !== before.get(name)) away.delete(name);
    }
    await sleep(10);
  }
  return {
    ms: away.size === 0 ? performance.now() - killedAt : Number.POSITIVE_INFINITY,
    away: [...away],
  };
}
