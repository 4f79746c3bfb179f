import { existsSync } from "node:fs";
import { userInfo } from "node:os";
import { join } from "node:path";
import type { UnknownObject } from "../model/json.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

export function processEnvironment(): Environment {
  return process.env;
}

export function workingDirectory(): string {
  return process.cwd();
}

/** How this program was started, so that another one can start it too. */
export function ownProgram(): [command: string, ...args: string[]] {
  return [process.execPath, ...(process.argv[1] === undefined ? [] : [process.argv[1]])];
}

/** A server that is started with 'toolplane' is this very program, in a checkout and wherever it is installed. */
export function startedByUs(server: UnknownObject): UnknownObject {
  const file = server.command === "toolplane" ? ownFile() : undefined;
  if (file === undefined) return server;
  const args = Array.isArray(server.args) ? server.args : [];
  return { ...server, command: process.execPath, args: [file, ...args] };
}

/** Beside the sources, and beside or above the pieces of the bundle; undefined inside of another program's bundle. */
function ownFile(): string | undefined {
  return ["../bin.ts", "bin.js", "../bin.js"]
    .map((path) => join(import.meta.dirname, path))
    .find((path) => existsSync(path));
}

export function localUser(environment: Environment): string | null {
  try {
    return userInfo().username;
  } catch {
    return environment.USER ?? environment.USERNAME ?? null;
  }
}
