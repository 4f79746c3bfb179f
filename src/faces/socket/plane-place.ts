import { readdirSync, readFileSync, realpathSync } from "node:fs";
import { join, resolve } from "node:path";
import { claimDirectory, strangerIn, userTemporaryDirectory } from "../../lib/private-directory.ts";
import { compareText } from "../../lib/text/wording.ts";
import type { Principal } from "../../model/principal.ts";

/** What the operating system takes as the name of a socket. */
const maxSocketPath = 100;

/** Where the plane of one configuration is found: its socket, and the files that stand beside it. */
export type PlanePlace = {
  id: string;
  dataDirectory: string;
  /** As the configuration was named; empty where none is needed. */
  files: readonly string[];
  /** Its files were found and not named: what they bring waits for trust, so it is another place. */
  isFound: boolean;
  /** A path, or the name of a pipe on Windows. */
  socket: string;
  /** The directories that have to be ours alone. */
  directories: readonly string[];
  /** Who serves there. */
  record: string;
  /** What a background plane says. */
  log: string;
  /** Held for the moment in which a socket is taken over. */
  binding: string;
  /** Held by the client that starts a background plane. */
  starting: string;
};

/** Everything about a plane that others of the same user may know. */
export type PlaneRecord = {
  pid: number;
  version: string;
  files: string[];
  isFound: boolean;
  /** Started by a client, and gone soon after its last client. */
  background: boolean;
  /** Where the user's own servers work that ask for a directory to work in; null where they have none. */
  directory: string | null;
  startedAt: string;
  log: string | null;
  /** Told to clients, which know by it that they reached the plane that wrote this file. */
  key: string;
};

type Where = {
  dataDirectory: string;
  files: readonly string[];
  isFound?: boolean;
  platform?: NodeJS.Platform;
};

/** The same files in the same data directory are the same place, whatever links lead there. */
export function planePlace({
  dataDirectory,
  files,
  isFound = false,
  platform = process.platform,
}: Where): PlanePlace {
  const data = realPath(dataDirectory);
  const id = shortHash(JSON.stringify([data, ...files.map(realPath), ...(isFound ? [null] : [])]));
  const directory = join(data, "planes");
  const beside = (ending: string) => join(directory, `${id}.${ending}`);
  const ownSocket = beside("sock");
  const isTooLong = platform !== "win32" && ownSocket.length > maxSocketPath;
  const short = userTemporaryDirectory();
  const socketPath = isTooLong ? join(short, `${id}.sock`) : ownSocket;
  return {
    id,
    dataDirectory: data,
    files,
    isFound,
    socket: platform === "win32" ? `\\\\.\\pipe\\toolplane-${id}` : socketPath,
    directories: isTooLong ? [directory, short] : [directory],
    record: beside("json"),
    log: beside("log"),
    binding: beside("binding"),
    starting: beside("starting"),
  };
}

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return resolve(path);
  }
}

/** Makes the directories; says what is wrong where another user could put something there, null where all is well. */
export function claimDirectories({ directories }: PlanePlace): string | null {
  for (const directory of directories) {
    const wrong = claimDirectory(directory);
    if (wrong !== null) return wrong;
  }
  return null;
}

/** Null where no plane has written one that can be read. */
export function readPlaneRecord(file: string): PlaneRecord | null {
  try {
    const record = JSON.parse(readFileSync(file, "utf8")) as PlaneRecord;
    return Number.isInteger(record.pid) && Array.isArray(record.files) ? record : null;
  } catch {
    return null;
  }
}

/** The planes that serve from this data directory, one per configuration, in the order in which they were started. Those that were killed are left out. */
export function servingPlanes(dataDirectory: string): PlaneRecord[] {
  const directory = join(realPath(dataDirectory), "planes");
  try {
    if (strangerIn(directory) !== null) return [];
    const names = readdirSync(directory).filter((name) => name.endsWith(".json"));
    return names
      .flatMap((name) => readPlaneRecord(join(directory, name)) ?? [])
      .filter(({ pid }) => isAlive(pid))
      .sort((earlier, later) => compareText(earlier.startedAt, later.startedAt));
  } catch {
    return [];
  }
}

export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (thrown) {
    return (thrown as NodeJS.ErrnoException).code === "EPERM";
  }
}

/** Is it one of those that may describe a server by themselves? See `config/shapes/environment-settings.ts`. */
export function isSettingVariable(name: string): boolean {
  return /^(TOOLPLANE|ATLAS)_MCP_/.test(name);
}

/** Tells texts apart, and keeps no secret: loading the real thing would take longer than all else that a client does. */
export function shortHash(text: string): string {
  let first = 0x811c9dc5;
  let second = 0x1b873593;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    first = Math.imul(first ^ code, 0x01000193);
    second = Math.imul((second ^ code) + (first >>> 15), 0x85ebca6b);
  }
  return [first, second].map((half) => (half >>> 0).toString(16).padStart(8, "0")).join("");
}

/** With where they work. A caller who uses a project's files works in the directory of the project, wherever in it they are. */
export function placedCaller(
  { directory: _, ...principal }: Principal,
  directory: unknown,
  { isFound }: Pick<PlanePlace, "isFound">,
): Principal {
  if (isFound || typeof directory !== "string") return principal;
  return { ...principal, directory: realPath(directory) };
}
