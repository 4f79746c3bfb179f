import type { ChildProcess } from "node:child_process";
import { createProcessGuard, type ProcessGuard } from "./process-guard.ts";
import { type LaunchOptions, launchChild } from "./transports/child-launch.ts";
import { stopProcessGroup } from "./transports/child-process.ts";

let early: { key: string; child: ChildProcess } | undefined;
let guard: ProcessGuard | undefined;
let first: string | undefined;

/** Tells whether two launches start the same; the parent's variables are the same in one process. */
export function launchKey({ command, args, env, cwd, inheritEnv }: Omit<LaunchOptions, "parentEnvironment">): string {
  return JSON.stringify([command, args, Object.entries(env).sort(), cwd ?? null, inheritEnv ?? null]);
}

/** Starts a server that the command will ask, while the command is still being loaded. */
export function startEarly(options: LaunchOptions): void {
  guard = createProcessGuard();
  guard.prepare();
  const child = tryLaunch(options);
  if (child?.pid === undefined) return;
  guard.watch(child.pid);
  early = { key: launchKey(options), child };
}

/** What is wrong is said when it is started again. */
function tryLaunch(options: LaunchOptions): ChildProcess | undefined {
  try {
    return launchChild(options).on("error", () => undefined);
  } catch {
    return undefined;
  }
}

/** The one that was started early, if it is this one and still runs. */
export function takeEarly(options: LaunchOptions): ChildProcess | undefined {
  const key = launchKey(options);
  first ??= key;
  if (early?.key !== key || early.child.exitCode !== null || early.child.signalCode !== null) return undefined;
  const { child } = early;
  early = undefined;
  return child;
}

/** What watches it goes on to watch the others. */
export function takeGuard(): ProcessGuard {
  const taken = guard ?? createProcessGuard();
  guard = undefined;
  return taken;
}

/** Ends what was not asked for. Returns the key of the first server that this process started. */
export async function endEarly(): Promise<string | undefined> {
  const left = early;
  early = undefined;
  if (left !== undefined) {
    await stopProcessGroup(left.child);
    if (left.child.pid !== undefined) guard?.release(left.child.pid);
  }
  guard?.stop();
  return first;
}
