import { readdirSync, statSync } from "node:fs";
import { basename, delimiter, dirname, extname, isAbsolute, join, resolve } from "node:path";
import { maskSecrets } from "@toolplane/core/config";
import { homeDirectory } from "@toolplane/core/lib/files";
import { nearest } from "@toolplane/core/lib/text/nearest";
import { looksSecret, redact } from "@toolplane/core/lib/text/redact";
import type { DoctorCheck } from "@toolplane/core/model/config/doctor-schema";
import type { ServerDefinition } from "@toolplane/core/model/servers/server";
import { isExecutable } from "@toolplane/core/servers";
import { failed, passed } from "./check-configuration.ts";

type Place = { cwd: string; path: string | undefined };

export function checkCommand(
  { command, cwd = ".", env }: ServerDefinition,
  environment: Readonly<Record<string, string | undefined>>,
): DoctorCheck {
  if (command === undefined)
    return failed(
      "command",
      "stdio needs a 'command', and there is none.",
      "Add 'command', the program that is the server.",
    );
  const place = { cwd, path: env.PATH ?? environment.PATH };
  const { found, unusable } = findCommand(command, cwd, place.path);
  if (found !== null) return passed("command", `'${command}' is ${found}.`);
  return unusable ? unusableFile(unusable) : missing(command, place);
}

export function dependsOnDirectory(command: string | undefined): boolean {
  return command !== undefined && isPath(command) && !isAbsolute(command);
}

const interpreters: Record<string, string> = {
  ".js": "node",
  ".mjs": "node",
  ".cjs": "node",
  ".py": "python3",
};

function unusableFile({ path, isDirectory }: NonNullable<CommandSearch["unusable"]>): DoctorCheck {
  const inside = "Change 'command' to a program inside that directory.";
  if (isDirectory) return failed("command", `${path} is a directory and cannot be run.`, inside);
  const interpreter = interpreters[extname(path)];
  const fix = interpreter
    ? `Set 'command' to '${interpreter}' and put '${path}' first in 'args'.`
    : `Make it executable: chmod +x ${quote(path)}`;
  return failed("command", `${path} is not executable for this user.`, fix);
}

function missing(command: string, place: Place): DoctorCheck {
  const { cwd, path } = place;
  const where = isPath(command)
    ? `in ${cwd}`
    : `in the ${searchPath(path, cwd).length} directories of PATH`;
  const detail = isAbsolute(command)
    ? `There is no file ${command}.`
    : `'${command}' was not found ${where}.`;
  const fix =
    unshelled(command, place) ??
    (isPath(command) ? pathFix(command, place) : nameFix(command, place));
  return failed("command", detail, fix);
}

/** No shell reads the command, so shell syntax is taken word for word. */
function unshelled(command: string, { cwd, path }: Place): string | null {
  if (command.startsWith("~/"))
    return `Write the full path in 'command': ${join(homeDirectory() ?? "/", command.slice(2))}.`;
  const [program = "", ...words] = command.trim().split(/\s+/);
  if (words.length === 0 || findCommand(program, cwd, path).found === null) return null;
  return `Set 'command' to '${program}' and move the rest to the front of 'args': ${JSON.stringify(words)}.`;
}

function pathFix(command: string, { cwd }: Place): string {
  const near = nearestFile(resolve(cwd, command));
  return near === null
    ? "Correct the path in 'command'."
    : `Change 'command' to what is there: ${near}.`;
}

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
  if (other && findCommand(other, cwd, path).found)
    return `Change 'command' to '${other}', which is installed.`;
  const install = launchers[command];
  if (install) return install;
  const near = nearestCommand(command, searchPath(path, cwd).flatMap(entriesOf));
  if (near !== undefined) return `Change 'command' to '${near}', the nearest name in PATH.`;
  return `Install '${command}', or set 'command' to its full path.`;
}

/** Among thousands of short names something is always near, so the likely ones come first. */
function nearestCommand(command: string, installed: readonly string[]): string | undefined {
  const likely = Object.keys(launchers).filter((name) => installed.includes(name));
  const [near] = [
    ...nearest(command, likely, 1),
    ...(command.length > 3 ? nearest(command, installed, 1) : []),
  ];
  return near;
}

export function checkDirectory(path: string): DoctorCheck {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found?.isDirectory()) return passed("cwd", `It starts in ${path}.`);
  const example = `Change 'cwd' to a directory, for example ${dirname(path)}.`;
  if (found) return failed("cwd", `${path} is a file, not a directory.`, example);
  const near = nearestFile(path);
  const make = `Create the directory or correct 'cwd': mkdir -p '${path}'.`;
  return failed(
    "cwd",
    `There is no directory ${path}.`,
    near ? `Change 'cwd' to what is there: ${near}.` : make,
  );
}

function nearestFile(path: string): string | null {
  const [near] = nearest(basename(path), entriesOf(dirname(path)), 1);
  return near === undefined ? null : join(dirname(path), near);
}

type CommandSearch = {
  found: string | null;
  unusable: { path: string; isDirectory: boolean } | null;
};

/** As the system searches: the first executable file. */
export function findCommand(command: string, cwd: string, path: string | undefined): CommandSearch {
  const candidates = isPath(command)
    ? [resolve(cwd, command)]
    : searchPath(path, cwd).map((directory) => join(directory, command));
  let unusable: CommandSearch["unusable"] = null;
  for (const candidate of candidates.flatMap(withExtensions)) {
    const found = statSync(candidate, { throwIfNoEntry: false });
    if (!found) continue;
    if (found.isFile() && isExecutable(candidate)) return { found: candidate, unusable: null };
    unusable ??= { path: candidate, isDirectory: found.isDirectory() };
  }
  return { found: null, unusable };
}

export function isPath(command: string): boolean {
  return isAbsolute(command) || command.includes("/") || (onWindows && command.includes("\\"));
}

export function searchPath(path: string | undefined, cwd: string): string[] {
  const directories = (path ?? (onWindows ? "" : "/usr/bin:/bin")).split(delimiter);
  return directories
    .filter((directory) => directory !== "")
    .map((directory) => resolve(cwd, directory));
}

function entriesOf(directory: string): string[] {
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

export function renderCommandLine({ command = "", args, env, cwd }: ServerDefinition): string {
  const variables = Object.entries(env).map(
    ([name, value]) => `${name}=${looksSecret(name) ? "'[redacted]'" : quote(redact(value))}`,
  );
  const shown = maskSecrets(args) as string[];
  const words = [
    ...variables,
    quote(redact(command)),
    ...shown.map((word) => quote(redact(word))),
  ].join(" ");
  return cwd === undefined ? words : `cd ${quote(cwd)} && ${words}`;
}

function quote(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
