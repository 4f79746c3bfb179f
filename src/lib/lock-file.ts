import { closeSync, openSync, readFileSync, rmSync, statSync, writeSync } from "node:fs";
import { uniqueId } from "./stamps.ts";

/**
 * Takes the lock and gives the way to let it go, or null while another holder has it. A lock whose file was not
 * touched for `staleMs` belongs to a program that died.
 */
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

/** Not when it was taken for dead meanwhile: then the file is another's. */
function release(lock: string, owner: string): void {
  try {
    if (readFileSync(lock, "utf8") === owner) rmSync(lock, { force: true });
  } catch {
    // It is gone already.
  }
}

/** Two who find the same dead lock must not remove the new one of the quicker, so removing has a lock of its own. */
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
  const held = statSync(file, { throwIfNoEntry: false });
  return held !== undefined && Date.now() - held.mtimeMs > staleMs;
}
