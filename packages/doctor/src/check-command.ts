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

type SearchPlace = { cwd: string; path: string | undefined };

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
  const searchPlace = { cwd, path: env.PATH ?? environment.PATH };
  const { executable, unusable } = findCommand(command, cwd, searchPlace.path);
  if (executable !== null) return passed("command", `'${command}' is ${executable}.`);
  if (unusable) return unusableFile(unusable);
  return missingCommand(command, searchPlace);
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

function missingCommand(command: string, searchPlace: SearchPlace): DoctorCheck {
  const { cwd, path } = searchPlace;
  const syntaxFix = shellSyntaxFix(command, searchPlace);
  if (!isPath(command)) {
    const directories = `the ${searchPath(path, cwd).length} directories of PATH`;
    const fix = syntaxFix ?? nameFix(command, searchPlace);
    return failed("command", `'${command}' was not found in ${directories}.`, fix);
  }
  const fix = syntaxFix ?? pathFix(command, searchPlace);
  if (isAbsolute(command)) return failed("command", `There is no file ${command}.`, fix);
  return failed("command", `'${command}' was not found in ${cwd}.`, fix);
}

/** No shell reads the command, so shell syntax is taken word for word. */
function shellSyntaxFix(command: string, { cwd, path }: SearchPlace): string | null {
  if (command.startsWith("~/"))
    return `Write the full path in 'command': ${join(homeDirectory() ?? "/", command.slice(2))}.`;
  const [program = "", ...programArguments] = command.trim().split(/\s+/);
  if (programArguments.length === 0 || findCommand(program, cwd, path).executable === null)
    return null;
  return `Set 'command' to '${program}' and move the rest to the front of 'args': ${JSON.stringify(programArguments)}.`;
}

function pathFix(command: string, { cwd }: SearchPlace): string {
  const near = nearestFile(resolve(cwd, command));
  if (near === null) return "Correct the path in 'command'.";
  return `Change 'command' to what is there: ${near}.`;
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

function nameFix(command: string, { cwd, path }: SearchPlace): string {
  const alternative = sameProgram[command];
  if (alternative && findCommand(alternative, cwd, path).executable)
    return `Change 'command' to '${alternative}', which is installed.`;
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
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats?.isDirectory()) return passed("cwd", `It starts in ${path}.`);
  const example = `Change 'cwd' to a directory, for example ${dirname(path)}.`;
  if (stats) return failed("cwd", `${path} is a file, not a directory.`, example);
  const near = nearestFile(path);
  const makeFix = `Create the directory or correct 'cwd': mkdir -p '${path}'.`;
  return failed(
    "cwd",
    `There is no directory ${path}.`,
    near ? `Change 'cwd' to what is there: ${near}.` : makeFix,
  );
}

function nearestFile(path: string): string | null {
  const [near] = nearest(basename(path), entriesOf(dirname(path)), 1);
  if (near === undefined) return null;
  return join(dirname(path), near);
}

type CommandSearch = {
  executable: string | null;
  unusable: { path: string; isDirectory: boolean } | null;
};

/** As the system searches: the first executable file. */
export function findCommand(command: string, cwd: string, path: string | undefined): CommandSearch {
  const candidates = isPath(command)
    ? [resolve(cwd, command)]
    : searchPath(path, cwd).map((directory) => join(directory, command));
  let unusable: CommandSearch["unusable"] = null;
  for (const candidate of candidates.flatMap(withExtensions)) {
    const stats = statSync(candidate, { throwIfNoEntry: false });
    if (!stats) continue;
    if (stats.isFile() && isExecutable(candidate)) return { executable: candidate, unusable: null };
    unusable ??= { path: candidate, isDirectory: stats.isDirectory() };
  }
  return { executable: null, unusable };
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
  if (onWindows) return ["", ".com", ".exe", ".bat", ".cmd"].map((ending) => file + ending);
  return [file];
}

export function renderCommandLine({ command = "", args, env, cwd }: ServerDefinition): string {
  const variables = Object.entries(env).map(
    ([name, value]) => `${name}=${looksSecret(name) ? "'[redacted]'" : quote(redact(value))}`,
  );
  const maskedArgs = maskSecrets(args) as string[];
  const commandWords = [
    ...variables,
    quote(redact(command)),
    ...maskedArgs.map((argument) => quote(redact(argument))),
  ].join(" ");
  if (cwd === undefined) return commandWords;
  return `cd ${quote(cwd)} && ${commandWords}`;
}

function quote(text: string): string {
  if (/^[\w@%+=:,./-]+$/.test(text)) return text;
  return `'${text.replaceAll("'", "'\\''")}'`;
}
