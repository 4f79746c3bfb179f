import { accessSync, constants, readdirSync, statSync } from "node:fs";
import { basename, delimiter, dirname, extname, isAbsolute, join, resolve } from "node:path";
import { homeDirectory } from "../../lib/files.ts";
import { nearest } from "../../lib/text/nearest.ts";
import { looksSecret, redact } from "../../lib/text/redact.ts";
import type { DoctorCheck } from "../../model/config/setup.ts";
import type { ServerDefinition } from "../../model/servers/server.ts";
import { failed, passed, type Trouble } from "./check-configuration.ts";

type Place = { cwd: string; path: string | undefined };

export function checkCommand(
  { command, cwd = ".", env }: ServerDefinition,
  environment: Readonly<Record<string, string | undefined>>,
): DoctorCheck {
  if (command === undefined) {
    const fix = "Add 'command', the program that is the server.";
    return failed("command", { detail: "stdio needs a 'command', and there is none.", fix });
  }
  const place = { cwd, path: env.PATH ?? environment.PATH };
  const search = findCommand(command, cwd, place.path);
  if (search.found !== null) return passed("command", `'${command}' is ${search.found}.`);
  return failed("command", search.unusable ? unusable(search.unusable) : missing(command, search, place));
}

/** Is it looked for inside the working directory? */
export function dependsOnDirectory(command: string | undefined): boolean {
  return command !== undefined && isPath(command) && !isAbsolute(command);
}

const interpreters: Record<string, string> = {
  ".js": "node",
  ".mjs": "node",
  ".cjs": "node",
  ".py": "python3",
};

function unusable({ path, why }: NonNullable<CommandSearch["unusable"]>): Trouble {
  if (why === "directory") {
    const fix = "Change 'command' to a program inside that directory.";
    return { detail: `${path} is a directory and cannot be run.`, fix };
  }
  const interpreter = interpreters[extname(path)];
  const fix = interpreter
    ? `Set 'command' to '${interpreter}' and put '${path}' first in 'args'.`
    : `Make it executable: chmod +x ${quote(path)}`;
  return { detail: `${path} is not executable for this user.`, fix };
}

function missing(command: string, { directories }: CommandSearch, place: Place): Trouble {
  const where = isPath(command) ? `in ${place.cwd}` : `in the ${directories.length} directories of PATH`;
  const detail = isAbsolute(command) ? `There is no file ${command}.` : `'${command}' was not found ${where}.`;
  const fix = unshelled(command, place) ?? (isPath(command) ? pathFix(command, place) : nameFix(command, place));
  return { detail, fix };
}

/** No shell reads the command, so shell syntax is taken word for word. */
function unshelled(command: string, { cwd, path }: Place): string | null {
  if (command.startsWith("~/")) {
    return `Write the full path in 'command': ${join(homeDirectory() ?? "/", command.slice(2))}.`;
  }
  const [program = "", ...words] = command.trim().split(/\s+/);
  if (words.length === 0 || findCommand(program, cwd, path).found === null) return null;
  return `Set 'command' to '${program}' and move the rest to the front of 'args': ${JSON.stringify(words)}.`;
}

function pathFix(command: string, { cwd }: Place): string {
  const directory = dirname(resolve(cwd, command));
  const [near] = nearest(basename(command), entriesOf(directory), 1);
  if (near !== undefined) return `Change 'command' to what is there: ${join(directory, near)}.`;
  return "Correct the path in 'command'.";
}

/** Usual launchers, and where they come from. */
const launchers: Record<string, string> = {
  npx: "Install Node.js from https://nodejs.org; it brings 'npx'.",
  npm: "Install Node.js from https://nodejs.org; it brings 'npm'.",
  node: "Install Node.js from https://nodejs.org.",
  uvx: "Install uv from https://docs.astral.sh/uv; it brings 'uvx'.",
  uv: "Install uv from https://docs.astral.sh/uv.",
  docker: "Install Docker from https://docs.docker.com/get-started/get-docker.",
  python: "Install Python 3 from https://www.python.org/downloads.",
  python3: "Install Python 3 from https://www.python.org/downloads.",
  bunx: "Install Bun from https://bun.sh; it brings 'bunx'.",
  deno: "Install Deno from https://deno.com.",
};
const sameProgram: Record<string, string> = {
  python: "python3",
  python3: "python",
  pip: "pip3",
  docker: "podman",
};

function nameFix(command: string, { cwd, path }: Place): string {
  const other = sameProgram[command];
  if (other && findCommand(other, cwd, path).found) return `Change 'command' to '${other}', which is installed.`;
  const install = launchers[command];
  if (install) return install;
  const near = nearestCommand(command, searchPath(path, cwd).flatMap(entriesOf));
  if (near !== undefined) return `Change 'command' to '${near}', the nearest name in PATH.`;
  return `Install '${command}', or set 'command' to its full path.`;
}

/** Among thousands of short names something is always near, so the likely ones come first. */
function nearestCommand(command: string, installed: readonly string[]): string | undefined {
  const likely = Object.keys(launchers).filter((name) => installed.includes(name));
  const [near] = [...nearest(command, likely, 1), ...(command.length > 3 ? nearest(command, installed, 1) : [])];
  return near;
}

export function checkDirectory(path: string): DoctorCheck {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found?.isDirectory()) return passed("cwd", `It starts in ${path}.`);
  if (found) {
    const fix = `Change 'cwd' to a directory, for example ${dirname(path)}.`;
    return failed("cwd", { detail: `${path} is a file, not a directory.`, fix });
  }
  return failed("cwd", { detail: `There is no directory ${path}.`, fix: missingFix(path) });
}

function missingFix(path: string): string {
  const parent = dirname(path);
  const [near] = nearest(basename(path), entriesOf(parent), 1);
  if (near !== undefined) return `Change 'cwd' to what is there: ${parent}/${near}.`;
  return `Create the directory or correct 'cwd': mkdir -p '${path}'.`;
}

export type CommandSearch = {
  /** Empty where a path was given. */
  directories: string[];
  found: string | null;
  /** Of that name, but not executable. */
  unusable: { path: string; why: "directory" | "not executable" } | null;
};

/** As the system searches: the first executable file. */
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

/** To start the server by hand, without its secrets. */
export function renderCommandLine({ command = "", args, env, cwd }: ServerDefinition): string {
  const variables = Object.entries(env).map(
    ([name, value]) => `${name}=${looksSecret(name) ? "'[redacted]'" : quote(redact(value))}`,
  );
  const words = [...variables, ...[command, ...args].map((word) => quote(redact(word)))].join(" ");
  return cwd === undefined ? words : `cd ${quote(cwd)} && ${words}`;
}

export function quote(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
