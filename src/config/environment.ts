import { userInfo } from "node:os";
import type { Environment } from "./expand.ts";

export function processEnvironment(): Environment {
  return process.env;
}

/** The person at this machine; null where the system does not say. */
export function localUser(environment: Environment): string | null {
  try {
    return userInfo().username;
  } catch {
    return environment.USER ?? environment.USERNAME ?? null;
  }
}
