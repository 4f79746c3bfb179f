import { type ChildProcess, spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { taskkillArguments } from "./windows-command.ts";

/** How long a server may take to leave by itself, and then after it was told to. */
const afterStdinMs = 1_000;
const afterTerminateMs = 2_000;
const afterKillMs = 1_000;
const pollMs = 20;

/** Close stdin, then terminate, then kill: the whole group, so that no wrapper leaves its server behind. */
export async function stopProcessGroup(child: ChildProcess): Promise<void> {
  if (child.pid === undefined) return;
  child.stdin?.end();
  child.stdin?.destroy();
  if (!(await goneWithin(child, afterStdinMs))) {
    // Windows has no signals and no groups, but knows who started whom.
    if (process.platform === "win32") endTree(child.pid);
    else signalGroup(child, "SIGTERM");
    if (!(await goneWithin(child, afterTerminateMs))) {
      signalGroup(child, "SIGKILL");
      await exitWithin(child, afterKillMs);
    }
  }
  child.stdout?.destroy();
  child.stderr?.destroy();
}

async function goneWithin(child: ChildProcess, limitMs: number): Promise<boolean> {
  const until = Date.now() + limitMs;
  await exitWithin(child, limitMs);
  while (groupAlive(child)) {
    if (Date.now() >= until) return false;
    await new Promise((resolve) => setTimeout(resolve, pollMs));
  }
  return true;
}

function exitWithin(child: ChildProcess, limitMs: number): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      child.off("exit", done);
      resolve();
    };
    const timer = setTimeout(done, limitMs);
    child.once("exit", done);
  });
}

/** What has ended and waits to be buried by somebody else can be signalled, but is not alive. */
function groupAlive(child: ChildProcess): boolean {
  return signalGroup(child, 0) && (process.platform !== "linux" || hasRunning(child.pid));
}

function hasRunning(group: number | undefined): boolean {
  return readdirSync("/proc").some((entry) => {
    if (!/^\d+$/.test(entry)) return false;
    try {
      const stat = readFileSync(`/proc/${entry}/stat`, "utf8");
      // The name in parentheses may hold anything; what follows it does not.
      const [state, , itsGroup] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
      return Number(itsGroup) === group && state !== "Z" && state !== "X";
    } catch {
      return false;
    }
  });
}

function endTree(pid: number): void {
  spawn("taskkill", taskkillArguments(pid), { stdio: "ignore", windowsHide: true })
    .on("error", () => undefined)
    .unref();
}

/** False when there is nobody left to signal. */
function signalGroup(child: ChildProcess, signal: NodeJS.Signals | 0): boolean {
  if (child.pid === undefined) return false;
  const target = process.platform === "win32" ? child.pid : -child.pid;
  try {
    return process.kill(target, signal);
  } catch {
    return false;
  }
}
