import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { tryLock } from "../../lib/lock-file.ts";
import { PlaneError } from "../../model/errors.ts";

const maxWaitMs = 5_000;
const pauseMs = 20;
const staleMs = 30_000;

/** One program at a time changes a file: what another one wrote meanwhile would be lost. */
export async function withLock<T>(file: string, change: () => T | Promise<T>): Promise<T> {
  const lock = `${file}.lock`;
  mkdirSync(dirname(file), { recursive: true });
  const giveUpAt = Date.now() + maxWaitMs;
  let release = tryLock(lock, staleMs);
  while (release === null) {
    if (Date.now() > giveUpAt) {
      throw new PlaneError(
        "CONFIG_INVALID",
        `${file} is being changed by another program. Try again, or remove ${lock}.`,
      );
    }
    await pause(pauseMs);
    release = tryLock(lock, staleMs);
  }
  try {
    return await change();
  } finally {
    release();
  }
}
