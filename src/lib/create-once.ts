import { randomBytes } from "node:crypto";
import {
  closeSync,
  constants,
  copyFileSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  rmSync,
  writeSync,
} from "node:fs";
import { dirname } from "node:path";

/** Writes a file for its owner alone. It gets its name when it is whole, and only if nobody was quicker. */
export function createOnce(file: string, content: Uint8Array): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const temporary = `${file}.${randomBytes(8).toString("hex")}.tmp`;
  try {
    const handle = openSync(temporary, "wx", 0o600);
    try {
      writeSync(handle, content);
      fsyncSync(handle);
    } finally {
      closeSync(handle);
    }
    giveName(temporary, file);
  } finally {
    rmSync(temporary, { force: true });
  }
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
