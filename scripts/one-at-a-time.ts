import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { setTimeout } from "node:timers/promises";

const pollMs = 200;
/** Longer than any build takes: another process may have got the number of one that was killed. */
const maxBuildMs = 10 * 60_000;

/** Of several processes that ask at once, one builds and the others wait for it. */
export async function oneAtATime<T>(lock: string, build: () => Promise<T>): Promise<T> {
  mkdirSync(dirname(lock), { recursive: true });
  while (!takeLock(lock)) await setTimeout(pollMs);
  try {
    return await build();
  } finally {
    rmSync(lock, { force: true });
  }
}

function takeLock(lock: string): boolean {
  try {
    writeFileSync(lock, String(process.pid), { flag: "wx" });
    return true;
  } catch {
    // A build that was killed leaves its lock behind.
    if (isLeftBehind(lock)) rmSync(lock, { force: true });
    return false;
  }
}

function isLeftBehind(lock: string): boolean {
  const { mtimeMs = Date.now(), size = 0 } = statSync(lock, { throwIfNoEntry: false }) ?? {};
  if (Date.now() - mtimeMs > maxBuildMs) return true;
  // It is being written at this moment, or gone already.
  if (size === 0) return false;
  try {
    const owner = Number(readFileSync(lock, "utf8"));
    process.kill(owner, 0);
    // In a container, the next process often gets the number of the one that was killed.
    return owner === process.pid;
  } catch (thrown) {
    return (thrown as NodeJS.ErrnoException).code === "ESRCH";
  }
}
