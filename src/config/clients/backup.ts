import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { PlaneError } from "../../model/errors.ts";

/** What a file was before we wrote to it; `bytes` is null when there was none. */
export type Backup = { path: string; bytes: Buffer | null };

function pathsOf(file: string): { copy: string; absent: string } {
  return { copy: `${file}.toolplane-backup`, absent: `${file}.toolplane-absent` };
}

export function readBackup(file: string): Backup | null {
  const { copy, absent } = pathsOf(file);
  if (existsSync(copy)) return { path: copy, bytes: readFileSync(copy) };
  return existsSync(absent) ? { path: absent, bytes: null } : null;
}

/** Replaces an earlier backup. A file that was not there leaves an empty marker. */
export function writeBackup(file: string, bytes: Buffer | null): Backup {
  const { copy, absent } = pathsOf(file);
  const [path, other] = bytes === null ? [absent, copy] : [copy, absent];
  try {
    writeFileSync(path, bytes ?? "", { mode: 0o600 });
  } catch (thrown) {
    throw new PlaneError("CONFIG_INVALID", `${path} cannot be written: ${(thrown as Error).message}.`, {
      cause: thrown,
    });
  }
  rmSync(other, { force: true });
  return { path, bytes };
}

export function removeBackup(file: string): void {
  for (const path of Object.values(pathsOf(file))) rmSync(path, { force: true });
}
