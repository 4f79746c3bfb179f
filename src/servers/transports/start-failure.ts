import { accessSync, constants, statSync } from "node:fs";
import { resolve } from "node:path";

type Start = { command: string; cwd: string | undefined };

/** Why a command could not be started, with the key to change. */
export function startFailure(error: NodeJS.ErrnoException, { command, cwd }: Start): string {
  if (cwd !== undefined && !isDirectory(cwd)) {
    return `directory '${cwd}' ${exists(cwd) ? "is no directory" : "does not exist"}. Check 'cwd'`;
  }
  const where = cwd === undefined ? "" : ` in directory '${cwd}'`;
  // Without a slash it was looked for in PATH.
  const path = /[\\/]/.test(command) ? resolve(cwd ?? ".", command) : undefined;
  if (path !== undefined && isDirectory(path)) {
    return `command '${command}' is a directory${where}. Set 'command' to a program in it`;
  }
  if (path !== undefined && exists(path)) return unusableFile(error, command, path);
  if (error.code === "ENOENT") {
    return `command '${command}' was not found${where}. Check 'command'${cwd ? " and 'cwd'" : ""} and PATH`;
  }
  if (error.code === "EACCES") return `command '${command}' is not executable${where}. Check its permissions`;
  return `command '${command}' could not be started${where}: ${error.message}`;
}

function unusableFile(error: NodeJS.ErrnoException, command: string, path: string): string {
  if (!isExecutable(path)) {
    return `command '${command}' is not executable. Check its permissions (chmod +x), or set 'command' to the program that runs it`;
  }
  if (error.code === "ENOENT") {
    return `the program in the first line (#!) of command '${command}' was not found. Correct that line`;
  }
  if (error.code === "ENOEXEC") {
    return `command '${command}' is no program. Give it a first line that names one (#!), or set 'command' to the program that runs it`;
  }
  return `command '${command}' could not be started: ${error.message}`;
}

function exists(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false }) !== undefined;
}

function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
