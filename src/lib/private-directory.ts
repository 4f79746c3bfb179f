import { chmodSync, lstatSync, mkdirSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Each user's own: a shared one would belong to the first of them. */
export function userTemporaryDirectory(): string {
  return join(tmpdir(), `toolplane-${process.getuid?.() ?? "user"}`);
}

/** Makes a directory for this user alone; says what is wrong where another user could put something there, or null. */
export function claimDirectory(directory: string): string | null {
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
  } catch (thrown) {
    return `${directory} cannot be made: ${(thrown as Error).message}`;
  }
  return strangerIn(directory);
}

/** Says why a directory is not ours alone. One of ours that others may enter is closed to them. */
export function strangerIn(directory: string): string | null {
  const user = process.getuid?.();
  if (user === undefined) return null;
  const stats = lstatSync(directory, { throwIfNoEntry: false });
  if (stats === undefined) return `${directory} does not exist`;
  if (!stats.isDirectory()) return `${directory} is a link or a file, and must be a directory`;
  if (stats.uid !== user) return `${directory} belongs to another user`;
  if ((stats.mode & 0o077) !== 0) chmodSync(directory, 0o700);
  return null;
}

/** What other users of this machine could change what this program does with, each with its remedy. */
export function exposedTo(
  directory: string,
  files: readonly string[],
): { path: string; what: string; remedy: string }[] {
  // A group of the user is usual for files, and a project's wait for trust.
  const exposed = files.filter(isOpenToAll).map((path) => ({ path, mode: "o-w", what: "change" }));
  if (isWritableByOthers(directory))
    exposed.unshift({ path: directory, mode: "go-w", what: "write into" });
  return exposed.map(({ path, mode, what }) => ({
    path,
    what: `other users can ${what} it, and so change what this plane does`,
    remedy: `chmod ${mode} '${path}'`,
  }));
}

function isOpenToAll(file: string): boolean {
  if (process.getuid === undefined) return false;
  const stats = statSync(file, { throwIfNoEntry: false });
  return stats !== undefined && (stats.mode & 0o002) !== 0;
}

/** Can users other than this one and root write into it? */
export function isWritableByOthers(directory: string): boolean {
  const user = process.getuid?.();
  if (user === undefined) return false;
  const stats = statSync(directory, { throwIfNoEntry: false });
  if (stats === undefined) return false;
  return (stats.mode & 0o022) !== 0 || (stats.uid !== user && stats.uid !== 0);
}
