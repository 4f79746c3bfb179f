import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const tickMs = 10;

type Times = { parent: number; ownMs: number; endedChildrenMs: number };

/** Milliseconds of the processor a process has used so far; Linux only, 0 elsewhere. */
export function processorMs(pid: number): number {
  return timesOf(String(pid))?.ownMs ?? 0;
}

/** The same with its children, those that have ended too. */
export function familyMs(pid: number): number {
  const own = timesOf(String(pid));
  if (own === null) return 0;
  const others = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  const children = others.flatMap((name) => timesOf(name) ?? []).filter(({ parent }) => parent === pid);
  return children.reduce((sum, { ownMs }) => sum + ownMs, own.ownMs + own.endedChildrenMs);
}

/** All that it has started, directly or not. */
export function descendantsOf(pid: number): number[] {
  const all = readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map((name) => ({ pid: Number(name), parent: timesOf(name)?.parent }));
  const below = (parent: number): number[] =>
    all.filter((one) => one.parent === parent).flatMap((one) => [one.pid, ...below(one.pid)]);
  return below(pid);
}

/** Of the first thread of a process: how long it ran, and how long it was ready and did not run. */
export function firstThreadMs(pid: number): { ranMs: number; waitedMs: number } {
  try {
    const [ran = 0, waited = 0] = readFileSync(`/proc/${pid}/schedstat`, "latin1").split(" ").map(Number);
    return { ranMs: ran / 1e6, waitedMs: waited / 1e6 };
  } catch {
    return { ranMs: 0, waitedMs: 0 };
  }
}

/** The first process of a Postgres server. */
export function postgresPid(dataDirectory: string): number {
  return Number(readFileSync(join(dataDirectory, "postmaster.pid"), "utf8").split("\n")[0]);
}

function timesOf(pid: string): Times | null {
  try {
    // What stands before the last bracket is a name that may have spaces in it.
    const text = readFileSync(`/proc/${pid}/stat`, "latin1");
    const fields = text
      .slice(text.lastIndexOf(") ") + 2)
      .split(" ")
      .map(Number);
    const sum = (...places: number[]) => places.reduce((all, at) => all + (fields[at] ?? 0) * tickMs, 0);
    return { parent: fields[1] ?? 0, ownMs: sum(11, 12), endedChildrenMs: sum(13, 14) };
  } catch {
    return null;
  }
}
