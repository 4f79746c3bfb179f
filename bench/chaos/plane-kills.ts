import { spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { kill, type MarkedProcess, markedProcesses } from "./processes.ts";

const child = fileURLToPath(new URL("./plane-child.ts", import.meta.url));

export type PlaneKill = { started: number; ms: number; left: MarkedProcess[] };

/** Starts a plane with eleven servers, kills it, and tells how long anything of it lived on. */
export async function killPlane(run: string, limitMs: number): Promise<PlaneKill> {
  const plane = spawn(process.execPath, [child, run], {
    // Whatever the plane starts for itself inherits the mark and is counted too.
    env: { ...process.env, TOOLPLANE_BENCH_MARK: run },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [said] = await Promise.race([once(plane.stdout, "data"), once(plane, "exit")]);
  if (!String(said).includes("ready"))
    throw new Error(`The plane that was to be killed ended with ${said}.`);
  const started = markedProcesses(run).length;
  plane.kill("SIGKILL");
  const killedAt = performance.now();
  let left = markedProcesses(run);
  while (left.length > 0 && performance.now() - killedAt < limitMs) {
    await sleep(20);
    left = markedProcesses(run);
  }
  const ms = performance.now() - killedAt;
  for (const { pid } of left) kill(pid);
  return { started, ms: left.length === 0 ? ms : Number.POSITIVE_INFINITY, left };
}
