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
  const found = lstatSync(directory, { throwIfNoEntry: false });
  if (found === undefined) return `${directory} does not exist`;
  if (!found.isDirectory()) return `${directory} is a link or a file, and must be a directory`;
  if (found.uid !== user) return `${directory} belongs to another user`;
  if ((found.mode & 0o077) !== 0) chmodSync(directory, 0o700);
  return null;
}

/** What other users of this machine could change what this program does with, each with its remedy. */
export function exposedTo(
  directory: string,
  files: readonly string[],
): { path: string; what: string; remedy: string }[] {
  const exposed = [
    ...(isWritableByOthers(directory)
      ? [{ path: directory, mode: "go-w", what: "write into" }]
      : []),
    // A group of the user is usual for files, and a project's wait for trust.
    ...files.filter(isOpenToAll).map((path) => ({ path, mode: "o-w", what: "change" })),
  ];
  return exposed.map(({ path, mode, what }) => ({
    path,
    what: `other users can ${what} it, and so change what this plane does`,
    remedy: `chmod ${mode} '${path}'`,
  }));
}

function isOpenToAll(file: string): boolean {
  const found =
    process.getuid === undefined ? undefined : statSync(file, { throwIfNoEntry: false });
  return found !== undefined && (found.mode & 0o002) !== 0;
}

/** Can users other than this one and root write into it? */
export function isWritableByOthers(directory: string): boolean {
  const user = process.getuid?.();
  const found = user === undefined ? undefined : statSync(directory, { throwIfNoEntry: false });
  if (found === undefined) return false;
  return (found.mode & 0o022) !== 0 || (found.uid !== user && found.uid !== 0);
}
