import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname, isAbsolute, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { withoutUndefined } from "../lib/json/plain-data.ts";
import { claimDirectory, userTemporaryDirectory } from "../lib/private-directory.ts";
import { PlaneError } from "../model/errors.ts";
import { packageLauncher } from "../model/servers/package-launcher.ts";
import type { ServerDefinition } from "../model/servers/server.ts";
import { livesOnRoots } from "../model/servers/well-known.ts";
import type { Environment } from "./environment.ts";
import { userFiles } from "./locations.ts";
import type { Merged } from "./merge-settings.ts";
import type { Project } from "./trust/judge-project.ts";

/** `./x` and `--root=..`: what they name depends on where the server starts. */
const relativeArgument = /^((?:--?[\w-]+=)?)(\.{1,2}(?:[\\/].*)?)$/s;

/** The user's own, for every directory they work in: their files, those of their clients, and variables. A file elsewhere belongs to its directory. */
export function isOwnSource(
  file: string,
  environment: Environment,
  project: Project | undefined,
): boolean {
  if (file === "environment" || project?.ofClients?.includes(file)) return true;
  return userFiles(environment).some((userFile) => resolve(userFile) === resolve(file));
}

/** Where servers of this file start, and what their relative paths are relative to. */
export function directoryOfSource(file: string, dataDirectory: string | undefined): string {
  // Variables stand in no directory, and the working directory may be a stranger's.
  if (file === "environment") return startDirectory(dataDirectory);
  return resolve(dirname(file));
}

/** Where each server of a configuration starts. */
export function createPlaces(
  merged: Merged,
  environment: Environment,
  project: Project | undefined,
) {
  const fileOf = (server: string) => merged.originOf(["servers", server])?.file ?? "";
  const directoryOf = (server: string) => directoryOfSource(fileOf(server), project?.dataDirectory);
  return {
    directoryOf,
    /** What `${workspaceFolder}` stands for. */
    folderOf(server: string): string {
      // A plane that belongs to no directory expands it again for that of each caller.
      const own = project?.directory ?? (project === undefined ? "" : resolve("/"));
      if (isOwnSource(fileOf(server), environment, project)) return own;
      return directoryOf(server);
    },
    /** `workspace` is where it works; undefined where that is no matter. */
    placed(
      server: string,
      definition: ServerDefinition,
      workspace: string | null | undefined,
    ): ServerDefinition {
      const directory = directoryOf(server);
      if (workspace === undefined) return withPlaces(definition, directory);
      if (workspace === null)
        throw new PlaneError("CONFIG_INVALID", `Server '${server}' has no directory to work in.`);
      return inWorkspace(definition, {
        directory,
        workspace,
        dataDirectory: project?.dataDirectory,
      });
    },
  };
}

export type LaunchEntry = Pick<
  ServerDefinition,
  "command" | "args" | "cwd" | "transport" | "roots" | "container"
>;

/** Does an entry that stands in no project name the directory that the person works in? What is beside its file is meant there. */
export function asksForWorkspace(entry: LaunchEntry, directory: string): boolean {
  const { args, cwd, transport, roots } = entry;
  if (livesOnRoots(entry)) return true;
  if (transport !== "stdio") return false;
  if (cwd !== undefined) return !isAbsolute(cwd);
  return [...args, ...roots].some((argument) => isMeantInWorkspace(argument, directory));
}

function isMeantInWorkspace(argument: string, directory: string): boolean {
  const [, , path] = relativeArgument.exec(argument) ?? [];
  if (path === undefined) return false;
  return /^[.\\/]+$/.test(path) || !existsSync(resolve(directory, path));
}

/** Why an entry cannot work there at all. */
export function workspaceProblem({ command, args, cwd }: LaunchEntry): string | null {
  const launcher = packageLauncher({ command, args });
  if (cwd === undefined || launcher === null || (launcher.isNpm && process.platform !== "win32"))
    return null;
  return `${launcher.name} looks for packages in the directory where it starts, which may be a stranger's`;
}

/** Relative to the file that has it. */
export function withPlaces(definition: ServerDefinition, directory: string): ServerDefinition {
  return inPlaces(definition, directory, resolve(directory, definition.cwd ?? ""));
}

type Workspace = { directory: string; workspace: string; dataDirectory: string | undefined };

/**
 * In the directory that the person works in and trusts for it. What fetches packages starts elsewhere: there it would
 * take them, and its own settings, from that directory.
 */
export function inWorkspace(written: ServerDefinition, workplace: Workspace): ServerDefinition {
  const { directory, workspace, dataDirectory } = workplace;
  const roots = written.roots.map((root) =>
    isMeantInWorkspace(root, directory) ? resolve(workspace, root) : root,
  );
  const workspaceArguments = livesOnRoots(written) ? [workspace] : [];
  const definition = { ...written, roots, args: [...written.args, ...workspaceArguments] };
  const launcher = packageLauncher(definition);
  const cwd = resolve(workspace, definition.cwd ?? "");
  if (launcher === null) return inPlaces(definition, directory, cwd);
  const start = startDirectory(dataDirectory);
  const args = definition.args.map((argument) =>
    argument.replace(
      relativeArgument,
      (_, flag: string, path: string) => flag + resolve(cwd, path),
    ),
  );
  const env =
    definition.cwd === undefined
      ? {}
      : { npm_config_script_shell: writeShell(start), [shellVariable]: cwd };
  return { ...inPlaces(definition, directory, start), args, env: { ...definition.env, ...env } };
}

function inPlaces(definition: ServerDefinition, directory: string, cwd: string): ServerDefinition {
  const { command, roots, container, openapi, skills } = definition;
  const isCwdWritten = definition.cwd !== undefined;
  return {
    ...definition,
    cwd,
    // What runs in a container is looked for in its image.
    ...(command === undefined || container
      ? {}
      : { command: commandFrom(directory, command, isCwdWritten ? cwd : null) }),
    ...(container && {
      container: {
        ...container,
        mounts: container.mounts.map((mount) => mountFrom(directory, mount)),
      },
    }),
    ...withoutUndefined({
      openapi: openapi === undefined || isAddress(openapi) ? openapi : resolve(directory, openapi),
      skills: skills === undefined ? undefined : resolve(directory, skills),
    }),
    roots: roots.map((root) =>
      isAddress(root) ? root : pathToFileURL(resolve(directory, root)).href,
    ),
  };
}

function isAddress(path: string): boolean {
  return /^[a-z][a-z0-9+.-]*:\/\//i.test(path);
}

function mountFrom(directory: string, mount: string): string {
  const [, source = "", target = ""] = /^(.+?)(:\/[^:]*(?::r[ow])?)$/s.exec(mount) ?? [];
  return resolve(directory, source) + target;
}

/** A bare name is looked for in PATH. Other programs look for a path in `cwd`, so that counts where the first is not there. */
function commandFrom(directory: string, command: string, cwd: string | null): string {
  const isPath = command.includes("/") || (process.platform === "win32" && command.includes("\\"));
  if (!isPath || isAbsolute(command) || command.startsWith("~")) return command;
  const besideFile = resolve(directory, command);
  const insideCwd = resolve(cwd ?? directory, command);
  if (!existsSync(besideFile) && existsSync(insideCwd)) return insideCwd;
  return besideFile;
}

/** A directory of ours in which there is nothing to be found, by a launcher that looks up the tree either. */
export function startDirectory(dataDirectory: string | undefined): string {
  const directory = join(dataDirectory ?? userTemporaryDirectory(), "start");
  const problem = claimDirectory(dirname(directory)) ?? claimDirectory(directory);
  if (problem !== null)
    throw new PlaneError("CONFIG_INVALID", `Servers cannot be started: ${problem}.`);
  const packageFile = join(directory, "package.json");
  if (!existsSync(packageFile)) writeFileSync(packageFile, "{}\n", { mode: 0o600 });
  return directory;
}

const shellVariable = "TOOLPLANE_SERVER_DIRECTORY";

/** npm starts the package with it: the server runs in the directory, and npm does not. */
function writeShell(directory: string): string {
  const file = join(directory, "shell");
  const lines = [
    "#!/bin/sh",
    `cd "$${shellVariable}" || exit 1`,
    `unset npm_config_script_shell ${shellVariable}`,
    'exec /bin/sh "$@"',
  ];
  const text = `${lines.join("\n")}\n`;
  if (existsSync(file) && readFileSync(file, "utf8") === text) return file;
  // Another process may be about to run the one that is there.
  const temporaryFile = `${file}.${process.pid}`;
  writeFileSync(temporaryFile, text, { mode: 0o700 });
  renameSync(temporaryFile, file);
  return file;
}
