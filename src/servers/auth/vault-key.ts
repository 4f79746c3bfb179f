import { randomBytes } from "node:crypto";
import {
  closeSync,
  constants,
  copyFileSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { PlaneError } from "../../model/errors.ts";

export const keyBytes = 32;

/** The key in this directory, made when there is none. Processes that start at once end with the same. */
export function loadVaultKey(directory: string): Buffer {
  const file = join(directory, "vault.key");
  try {
    return readKey(file) ?? createKey(directory, file);
  } catch (thrown) {
    if (thrown instanceof PlaneError) throw thrown;
    const { message } = thrown as Error;
    throw new PlaneError(
      "STORE_FAILED",
      `The key '${file}' that protects stored tokens cannot be read or made (${message}). Give this user access to it.`,
      { cause: thrown },
    );
  }
}

function readKey(file: string): Buffer | null {
  let key: Buffer;
  try {
    key = readFileSync(file);
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw thrown;
  }
  if (key.length === keyBytes) return key;
  throw new PlaneError(
    "STORE_FAILED",
    `The key '${file}' is damaged: it must have ${keyBytes} bytes and has ${key.length}. ` +
      "Restore a copy of it, or remove it and sign in to your servers again.",
  );
}

/** The file gets its name when it is whole, and only if nobody was quicker. */
function createKey(directory: string, file: string): Buffer {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const temporary = `${file}.${randomBytes(8).toString("hex")}.tmp`;
  try {
    const handle = openSync(temporary, "wx", 0o600);
    try {
      writeSync(handle, randomBytes(keyBytes));
      fsyncSync(handle);
    } finally {
      closeSync(handle);
    }
    giveName(temporary, file);
  } finally {
    rmSync(temporary, { force: true });
  }
  return readKey(file) ?? createKey(directory, file);
}

function giveName(temporary: string, file: string): void {
  try {
    linkSync(temporary, file);
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === "EEXIST") return;
    copyWhereNoLinks(temporary, file);
  }
}

/** Some file systems know no hard links. */
function copyWhereNoLinks(temporary: string, file: string): void {
  try {
    copyFileSync(temporary, file, constants.COPYFILE_EXCL);
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code !== "EEXIST") throw thrown;
  }
}
