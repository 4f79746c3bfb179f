import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import type { ServerDefinition } from "../../model/servers/server.ts";
import { childEnvironment } from "./child-environment.ts";
import { findWindowsCommand, type Launch, windowsLaunch } from "./child-process.ts";

const onWindows = process.platform === "win32";

export type LaunchOptions = Pick<ServerDefinition, "args" | "env" | "inheritEnv"> & {
  command: string;
  cwd: string | undefined;
  parentEnvironment: Readonly<Record<string, string | undefined>>;
};

/** A child in its own process group, with three pipes. */
export function launchChild(options: LaunchOptions): ChildProcess {
  const env = childEnvironment({ ...options, parent: options.parentEnvironment });
  // Windows runs `npx.cmd` only inside cmd.exe; elsewhere the system does it.
  const { file, args, verbatim } = onWindows
    ? windowsLaunchOf(options, env)
    : { file: options.command, args: options.args, verbatim: false };
  return spawn(file, [...args], {
    cwd: options.cwd,
    env,
    stdio: ["pipe", "pipe", "pipe"],
    detached: !onWindows,
    windowsHide: true,
    windowsVerbatimArguments: verbatim,
  });
}

function windowsLaunchOf(
  { command, args, cwd = "." }: LaunchOptions,
  env: Readonly<Record<string, string>>,
): Launch {
  const value = (name: string) =>
    env[Object.keys(env).find((key) => key.toUpperCase() === name) ?? ""];
  const search = { path: value("PATH"), pathExt: value("PATHEXT"), cwd, exists: existsSync };
  return windowsLaunch(findWindowsCommand(command, search) ?? command, args, value("COMSPEC"));
}
