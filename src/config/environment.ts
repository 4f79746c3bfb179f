import { userInfo } from "node:os";
import type { Environment } from "./secrets/expand-environment.ts";

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

/** The person at this machine; null where the system does not say. */
export function localUser(environment: Environment): string | null {
  try {
    return userInfo().username;
  } catch {
    return environment.USER ?? environment.USERNAME ?? null;
  }
}
