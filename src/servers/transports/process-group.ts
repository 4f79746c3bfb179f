import type { ChildProcess } from "node:child_process";

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
    signalGroup(child, "SIGTERM");
    if (!(await goneWithin(child, afterTerminateMs))) {
      signalGroup(child, "SIGKILL");
      await goneWithin(child, afterKillMs);
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

function groupAlive(child: ChildProcess): boolean {
  return signalGroup(child, 0);
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
