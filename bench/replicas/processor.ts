import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const tickMs = 10;

type Kin = { parent: number; endedChildrenMs: number };

/** Milliseconds of the processor that the threads of a process have used so far; Linux only, 0 elsewhere. */
export function processorMs(pid: number): number {
  return threadsOf(pid).reduce((sum, thread) => sum + scheduled(`${pid}/task/${thread}`).ranMs, 0);
}

/** The same with its children, those that have ended too. */
export function familyMs(pid: number): number {
  const own = kinOf(String(pid));
  if (own === null) return 0;
  const children = processes().filter((name) => kinOf(name)?.parent === pid);
  return children.reduce(
    (sum, name) => sum + processorMs(Number(name)),
    processorMs(pid) + own.endedChildrenMs,
  );
}

/** All that it has started, directly or not. */
export function descendantsOf(pid: number): number[] {
  const all = processes().map((name) => ({ pid: Number(name), parent: kinOf(name)?.parent }));
  const below = (parent: number): number[] =>
    all.filter((one) => one.parent === parent).flatMap((one) => [one.pid, ...below(one.pid)]);
  return below(pid);
}

/** Of the first thread of a process: how long it ran, and how long it was ready and did not run. */
export const firstThreadMs = (pid: number) => scheduled(String(pid));

/** To the nanosecond: ticks would hide what an idle session needs. */
function scheduled(place: string): { ranMs: number; waitedMs: number } {
  try {
    const [ran = 0, waited = 0] = readFileSync(`/proc/${place}/schedstat`, "latin1")
      .split(" ")
      .map(Number);
    return { ranMs: ran / 1e6, waitedMs: waited / 1e6 };
  } catch {
    return { ranMs: 0, waitedMs: 0 };
  }
}

const processes = () => readdirSync("/proc").filter((name) => /^\d+$/.test(name));

function threadsOf(pid: number): string[] {
  try {
    return readdirSync(`/proc/${pid}/task`);
  } catch {
    return [];
  }
}

/** The first process of a Postgres server. */
export function postgresPid(dataDirectory: string): number {
  return Number(readFileSync(join(dataDirectory, "postmaster.pid"), "utf8").split("\n")[0]);
}

function kinOf(pid: string): Kin | null {
  try {
    // What stands before the last bracket is a name that may have spaces in it.
    const text = readFileSync(`/proc/${pid}/stat`, "latin1");
    const fields = text
      .slice(text.lastIndexOf(") ") + 2)
      .split(" ")
      .map(Number);
    const endedChildren = (fields[13] ?? 0) + (fields[14] ?? 0);
    return { parent: fields[1] ?? 0, endedChildrenMs: endedChildren * tickMs };
  } catch {
    return null;
  }
}
