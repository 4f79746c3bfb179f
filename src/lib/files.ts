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
  statSync,
  writeSync,
} from "node:fs";
import { homedir, userInfo } from "node:os";
import { dirname } from "node:path";
import { syncDirectoryNow } from "./sync-file.ts";

const errorTexts: Readonly<Record<string, string>> = {
  EACCES: "this user may not (permission denied)",
  EEXIST: "it is there already",
  EISDIR: "it is a directory",
  ELOOP: "its links go round",
  EMFILE: "too many files are open",
  ENAMETOOLONG: "its name is too long",
  ENOENT: "there is no such file or directory",
  ENOSPC: "the disk is full",
  ENOTDIR: "a part of its path is not a directory",
  EPERM: "this user may not (permission denied)",
  EROFS: "the disk can only be read",
};

/** For a sentence that names the file already. */
export function fileErrorText(thrown: unknown): string {
  const { code, message } = thrown as NodeJS.ErrnoException;
  return (code === undefined ? undefined : errorTexts[code]) ?? message;
}

/** What cannot be the name of a file is none. */
export function isFile(path: string): boolean {
  try {
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

/** Null where there is none. An empty HOME would be the working directory; an unknown user makes the system throw. */
export function homeDirectory(): string | null {
  try {
    return homedir() || userInfo().homedir || null;
  } catch {
    return null;
  }
}

/** For the owner only. Renamed when complete, unless the file exists by then. */
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
    try {
      linkSync(temporary, file);
    } catch (thrown) {
      // Some file systems have no hard links.
      if (!isThere(thrown)) copyFileSync(temporary, file, constants.COPYFILE_EXCL);
    }
    syncDirectoryNow(dirname(file));
  } catch (thrown) {
    if (!isThere(thrown)) throw thrown;
  } finally {
    rmSync(temporary, { force: true });
  }
}

function isThere(thrown: unknown): boolean {
  return (thrown as NodeJS.ErrnoException).code === "EEXIST";
}
