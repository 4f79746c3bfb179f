import {
  accessSync,
  chmodSync,
  closeSync,
  constants,
  fsyncSync,
  mkdirSync,
  openSync,
  readlinkSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, resolve } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileErrorText } from "../../lib/files.ts";
import { tryLock } from "../../lib/lock-file.ts";
import { syncDirectoryNow } from "../../lib/sync-file.ts";
import { PlaneError } from "../../model/errors.ts";

/** Readable for the owner alone: configuration files often hold secrets. */
const newFileMode = 0o600;

/** Writes a whole file or nothing. A link stays a link, an existing file keeps its mode. */
export function writeAtomically(file: string, content: string | Buffer): void {
  try {
    replaceFile(followLinks(file), content);
  } catch (thrown) {
    throw new PlaneError("CONFIG_INVALID", `${file} cannot be written: ${fileErrorText(thrown)}.`, {
      data: { file },
      cause: thrown,
    });
  }
}

function replaceFile(target: string, content: string | Buffer): void {
  mkdirSync(dirname(target), { recursive: true });
  const mode = modeOf(target);
  // A rename would replace a file that its owner made read-only.
  if (mode !== null) accessSync(target, constants.W_OK);
  const temporary = `${target}.${process.pid}.${Date.now().toString(36)}.tmp`;
  try {
    const handle = openSync(temporary, "wx", newFileMode);
    try {
      writeFileSync(handle, content);
      fsyncSync(handle);
    } finally {
      closeSync(handle);
    }
    chmodSync(temporary, mode ?? newFileMode);
    renameSync(temporary, target);
    syncDirectoryNow(dirname(target));
  } catch (thrown) {
    rmSync(temporary, { force: true });
    throw thrown;
  }
}

function modeOf(file: string): number | null {
  const stats = statSync(file, { throwIfNoEntry: false });
  return stats === undefined ? null : stats.mode & 0o7777;
}

export function followLinks(file: string, hops = 40): string {
  let target: string;
  try {
    target = readlinkSync(file);
  } catch {
    return file;
  }
  if (hops === 0) throw new Error("too many symbolic links");
  return followLinks(resolve(dirname(file), target), hops - 1);
}

const maxWaitMs = 5_000;
const pauseMs = 20;
const staleMs = 30_000;

/** One program at a time changes a file: what another one wrote meanwhile would be lost. */
export async function withLock<T>(file: string, change: () => T | Promise<T>): Promise<T> {
  const lock = `${file}.lock`;
  const createdDirectory = mkdirSync(dirname(file), { recursive: true });
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
    if (createdDirectory !== undefined) removeEmpty(dirname(file), createdDirectory);
  }
}

/** Directories that were made for a change that did not come leave nothing behind. */
function removeEmpty(directory: string, topmost: string): void {
  try {
    for (let path = directory; path.length >= topmost.length; path = dirname(path)) rmdirSync(path);
  } catch {}
}
