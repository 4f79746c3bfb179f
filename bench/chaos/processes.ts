import { readdirSync, readFileSync } from "node:fs";

export type MarkedProcess = { pid: number; command: string };

/** Every living process whose environment or command line carries the mark. The dead that wait to be buried have neither. */
export function markedProcesses(mark: string): MarkedProcess[] {
  const found: MarkedProcess[] = [];
  for (const entry of readdirSync("/proc")) {
    const pid = Number(entry);
    if (!Number.isInteger(pid) || pid === process.pid) continue;
    const command = readQuietly(`/proc/${entry}/cmdline`);
    if (command.includes(mark) || readQuietly(`/proc/${entry}/environ`).includes(mark)) {
      found.push({ pid, command: command.replaceAll("\0", " ").trim() });
    }
  }
  return found;
}

/** Processes end while we look at them, and those of others are not ours to read. */
function readQuietly(file: string): string {
  try {
    return readFileSync(file, "latin1");
  } catch {
    return "";
  }
}

/** False when it was gone already. */
export function kill(pid: number): boolean {
  try {
    return process.kill(pid, "SIGKILL");
  } catch {
    return false;
  }
}
