import { closeSync, mkdirSync, openSync, rmSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { PlaneError } from "../../model/errors.ts";

const patienceMs = 5_000;
const pauseMs = 20;
/** A lock this old belongs to a program that died. */
const staleMs = 30_000;

/** One program at a time changes a file: what another one wrote meanwhile would be lost. */
export function withLock<T>(file: string, change: () => T): T {
  const lock = `${file}.lock`;
  mkdirSync(dirname(file), { recursive: true });
  const giveUpAt = Date.now() + patienceMs;
  while (!take(lock)) {
    if (Date.now() > giveUpAt) {
      throw new PlaneError(
        "CONFIG_INVALID",
        `${file} is being changed by another program. Try again, or remove ${lock}.`,
      );
    }
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, pauseMs);
  }
  try {
    return change();
  } finally {
    rmSync(lock, { force: true });
  }
}

function take(lock: string): boolean {
  try {
    closeSync(openSync(lock, "wx", 0o600));
    return true;
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code !== "EEXIST") throw thrown;
    const held = statSync(lock, { throwIfNoEntry: false });
    if (held && Date.now() - held.mtimeMs > staleMs) rmSync(lock, { force: true });
    return false;
  }
}
