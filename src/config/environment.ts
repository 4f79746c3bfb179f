import { realpathSync } from "node:fs";
import { userInfo } from "node:os";
import { findOwnFile } from "../lib/own-files.ts";
import { listOrEmpty, type UnknownObject } from "../model/json.ts";
import type { Principal } from "../model/principal.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

export function processEnvironment(): Environment {
  return process.env;
}

/** By the key of the policy that each of them sets. */
export const approvalVariables = {
  askAlways: "FORCE_TOOL_APPROVAL_GLOBALLY",
  askByDefault: "REQUIRE_TOOL_APPROVAL_BY_DEFAULT",
} as const;

export function isOrdered(environment: Environment, name: string): boolean {
  return /^(?:1|true|yes|on)$/i.test(environment[name]?.trim() ?? "");
}

/** What the variables of this process order for the calls that are made from it, also by a plane that serves elsewhere. */
export function orderedApproval(environment: Environment): Pick<Principal, "asks"> {
  if (isOrdered(environment, approvalVariables.askAlways)) return { asks: "always" };
  if (isOrdered(environment, approvalVariables.askByDefault)) return { asks: "byDefault" };
  return {};
}

export function workingDirectory(): string {
  return process.cwd();
}

/** How this program was started, so that another one can start it too. */
export function ownProgram(): [command: string, ...args: string[]] {
  const [, started] = process.argv;
  const file = findOwnFile("program") ?? started;
  if (file === undefined) return [process.execPath];
  // A link, such as the one of a package manager, stays when the version that it leads to goes.
  return [process.execPath, started !== undefined && sameFile(started, file) ? started : file];
}

function sameFile(link: string, file: string): boolean {
  try {
    return realpathSync(link) === realpathSync(file);
  } catch {
    return false;
  }
}

/** A server that is started with 'toolplane' is this very program, in a checkout and wherever it is installed. */
export function startedByUs(server: UnknownObject): UnknownObject {
  const file = server.command === "toolplane" ? findOwnFile("program") : null;
  if (file === null) return server;
  const args = listOrEmpty(server.args);
  return { ...server, command: process.execPath, args: [file, ...args] };
}

export function localUser(environment: Environment): string | null {
  try {
    return userInfo().username;
  } catch {
    return environment.USER ?? environment.USERNAME ?? null;
  }
}
