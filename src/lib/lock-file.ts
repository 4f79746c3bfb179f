import { closeSync, openSync, readFileSync, rmSync, statSync, writeSync } from "node:fs";
import { uniqueId } from "./ids-and-time.ts";

/** Returns the release, or null while another holds it. A file untouched for `staleMs` belongs to a dead program. */
export function tryLock(lock: string, staleMs: number): (() => void) | null {
  const owner = uniqueId();
  if (create(lock, owner)) return () => release(lock, owner);
  if (isStale(lock, staleMs)) breakLock(lock, staleMs);
  return null;
}

function create(file: string, text: string): boolean {
  let handle: number;
  try {
    handle = openSync(file, "wx", 0o600);
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw thrown;
  }
  try {
    writeSync(handle, text);
  } finally {
    closeSync(handle);
  }
  return true;
}

/** Not when it was broken meanwhile: then the file is another's. */
function release(lock: string, owner: string): void {
  try {
    if (readFileSync(lock, "utf8") === owner) rmSync(lock, { force: true });
  } catch {}
}

/** Breaking has a lock of its own, so that two do not remove the quicker one's new lock. */
function breakLock(lock: string, staleMs: number): void {
  const breaker = `${lock}.break`;
  if (!create(breaker, "")) {
    if (isStale(breaker, staleMs)) rmSync(breaker, { force: true });
    return;
  }
  try {
    if (isStale(lock, staleMs)) rmSync(lock, { force: true });
  } finally {
    rmSync(breaker, { force: true });
  }
}

function isStale(file: string, staleMs: number): boolean {
  const stats = statSync(file, { throwIfNoEntry: false });
  return stats !== undefined && Date.now() - stats.mtimeMs > staleMs;
}
