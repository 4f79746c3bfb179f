import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";

/** Processes of one peer. Each peer has a directory of its own, which daemons and children inherit or name. Needs `/proc`. */
export type Process = { pid: number; isEcho: boolean };

function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

const echo = /echo-(stdio|http)\.mjs/;

/** An echo server, or the shell that only starts it. */
function isEcho([command = "", script = "", ...rest]: readonly string[]): boolean {
  if (echo.test(script)) return true;
  return /(^|\/)(sh|bash|dash)$/.test(command) && rest.some((word) => echo.test(word));
}

function parents(): Map<number, number> {
  const found = new Map<number, number>();
  for (const entry of readdirSync("/proc")) {
    if (!/^\d+$/.test(entry) || Number(entry) === process.pid) continue;
    const stat = read(`/proc/${entry}/stat`);
    const [state, parent] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    if (stat !== "" && state !== "Z") found.set(Number(entry), Number(parent));
  }
  return found;
}

function belongsTo(directory: string, pid: number): boolean {
  let cwd = "";
  try {
    cwd = readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    // It has ended, or is another user's.
  }
  if (cwd === directory || cwd.startsWith(`${directory}/`)) return true;
  const words = read(`/proc/${pid}/cmdline`).split("\0");
  return words.some((word) => word.includes(`${directory}/`) || word.endsWith(directory));
}

/** All processes in this directory or with its name in their command line, and their descendants. */
export function processesOf(directory: string): Process[] {
  const parentOf = parents();
  const inside = new Set([...parentOf.keys()].filter((pid) => belongsTo(directory, pid)));
  for (let before = -1; before !== inside.size; ) {
    before = inside.size;
    for (const [pid, parent] of parentOf) if (inside.has(parent)) inside.add(pid);
  }
  return [...inside].map((pid) => ({
    pid,
    isEcho: isEcho(read(`/proc/${pid}/cmdline`).split("\0")),
  }));
}

/** Over all threads, in nanoseconds of the scheduler, or in its ticks where the kernel has no others. */
function cpuSeconds(pid: number): number {
  let ns = 0;
  try {
    for (const thread of readdirSync(`/proc/${pid}/task`)) {
      ns += Number(read(`/proc/${pid}/task/${thread}/schedstat`).split(" ")[0]);
    }
  } catch {
    return 0;
  }
  if (ns > 0) return ns / 1e9;
  const stat = read(`/proc/${pid}/stat`);
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11] ?? 0) + Number(fields[12] ?? 0)) / 100;
}

function rssMegabytes(pid: number): number {
  return Number(/VmRSS:\s+(\d+) kB/.exec(read(`/proc/${pid}/status`))?.[1] ?? 0) / 1024;
}

export type Usage = { cpuSeconds: number; rssMegabytes: number };

export function usageOf(processes: readonly Process[]): Usage {
  const sum = (of: (pid: number) => number) =>
    processes.reduce((total, { pid }) => total + of(pid), 0);
  return { cpuSeconds: sum(cpuSeconds), rssMegabytes: sum(rssMegabytes) };
}

/** Asks first, then kills. */
export async function endAll(directory: string): Promise<void> {
  for (const signal of ["SIGTERM", "SIGKILL", "SIGKILL"] as const) {
    for (const { pid } of processesOf(directory)) {
      try {
        process.kill(pid, signal);
      } catch {
        // It has ended meanwhile.
      }
    }
    for (let attempt = 0; attempt < 40; attempt++) {
      if (processesOf(directory).length === 0) return;
      await pause(30);
    }
  }
}

export function loadAverage(): number {
  return Number(read("/proc/loadavg").split(" ")[0]);
}
