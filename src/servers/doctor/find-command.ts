import { accessSync, constants, readdirSync, statSync } from "node:fs";
import { delimiter, isAbsolute, join, resolve } from "node:path";

export type CommandSearch = {
  /** Empty where a path was given, so that nothing had to be searched. */
  directories: string[];
  found: string | null;
  /** A file or directory of that name which cannot be run. */
  unusable: { path: string; why: "directory" | "not executable" } | null;
};

/** What the system's own search would run: the first executable file, whatever else bears the name. */
export function findCommand(command: string, cwd: string, path: string | undefined): CommandSearch {
  const directories = isPath(command) ? [] : searchPath(path, cwd);
  const candidates = isPath(command)
    ? [resolve(cwd, command)]
    : directories.map((directory) => join(directory, command));
  let unusable: CommandSearch["unusable"] = null;
  for (const candidate of candidates.flatMap(withExtensions)) {
    const found = statSync(candidate, { throwIfNoEntry: false });
    if (!found) continue;
    if (found.isFile() && isExecutable(candidate)) return { directories, found: candidate, unusable: null };
    unusable ??= { path: candidate, why: found.isDirectory() ? "directory" : "not executable" };
  }
  return { directories, found: null, unusable };
}

export function isPath(command: string): boolean {
  return isAbsolute(command) || command.includes("/") || (onWindows && command.includes("\\"));
}

export function searchPath(path: string | undefined, cwd: string): string[] {
  const directories = (path ?? (onWindows ? "" : "/usr/bin:/bin")).split(delimiter);
  return directories.filter((directory) => directory !== "").map((directory) => resolve(cwd, directory));
}

export function entriesOf(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}

const onWindows = process.platform === "win32";

function withExtensions(file: string): string[] {
  return onWindows ? ["", ".com", ".exe", ".bat", ".cmd"].map((ending) => file + ending) : [file];
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
