import { existsSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { homeDirectory } from "../lib/files.ts";
import { PlaneError } from "../model/errors.ts";
import { isObject } from "../model/json.ts";
import type { Environment } from "./environment.ts";
import { gatewayConfigFiles, ownName } from "./own-entry.ts";
import { readFileText } from "./text/read-file-text.ts";

const nativeNames = ["toolplane.json", "toolplane.yaml", "toolplane.yml"];

/** Where a configuration may be, there or not. */
function candidates(directory: string, environment: Environment): string[] {
  return [...userFiles(environment), join(directory, ".mcp.json"), ...projectFiles(directory)];
}

export function userFiles(environment: Environment): string[] {
  const home = homeDirectory();
  const user =
    environment.XDG_CONFIG_HOME ||
    environment.APPDATA ||
    (home === null ? null : join(home, ".config"));
  if (user === null) return [];
  return nativeNames.map((name) => join(user, "toolplane", name));
}

export function projectFiles(directory: string): string[] {
  return nativeNames.map((name) => join(directory, name));
}

/** The user's file first, then the project's: later ones win. */
export function defaultConfigFiles(directory: string, environment: Environment): string[] {
  return candidates(directory, environment).filter((file) => existsSync(file) && !startsUs(file));
}

/** Those of the default files that come with a project and not from the user. */
export function ofProject(files: readonly string[], environment: Environment): string[] {
  const ownFiles = userFiles(environment).map((file) => resolve(file));
  return files.map((file) => resolve(file)).filter((file) => !ownFiles.includes(file));
}

/** A `.mcp.json` that starts us is the client's: the servers that `connect` left in it are the client's own. */
const maxMebibytes = 32;

function startsUs(file: string): boolean {
  if (basename(file) !== ".mcp.json") return false;
  try {
    const content = readFileText(file, maxMebibytes);
    if (!("text" in content)) return false;
    const { mcpServers } = JSON.parse(content.text);
    const ownEntry = mcpServers?.[ownName];
    return isObject(ownEntry) && gatewayConfigFiles(ownEntry) !== null;
  } catch {
    return false;
  }
}

/** A client would get its own servers twice, so what is found in clients is not for them. */
export function noConfigFound(
  directory: string,
  environment: Environment,
  isForClients = false,
): never {
  const userFile = userFiles(environment)[0];
  const directories = [directory, ...(userFile === undefined ? [] : [dirname(userFile)])];
  throw new PlaneError(
    "CONFIG_INVALID",
    `No configuration found. Looked for ${nativeNames[0]} and .mcp.json in ${directories.join(" and ")}` +
      (isForClients
        ? ". Put Toolplane in front of a client and its servers with 'toolplane connect'. "
        : ", and for servers in the files of your clients. ") +
      "Add a server with 'toolplane add', start with 'toolplane init', or pass --config FILE.",
  );
}

export function defaultDataDirectory(environment: Environment): string {
  if (environment.XDG_DATA_HOME) return join(environment.XDG_DATA_HOME, "toolplane");
  const home = homeDirectory() ?? noHome();
  if (process.platform === "win32") return join(environment.LOCALAPPDATA || home, "toolplane");
  if (process.platform === "darwin")
    return join(home, "Library", "Application Support", "toolplane");
  return join(home, ".local", "share", "toolplane");
}

function noHome(): never {
  throw new PlaneError(
    "CONFIG_INVALID",
    "There is no home directory to keep state in: HOME is not set, and the system does not know this user. " +
      "Name a directory with --data-dir, or set HOME or XDG_DATA_HOME.",
  );
}
