import { readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileTrouble } from "../lib/file-trouble.ts";
import type { JournalEntry, Store } from "../model/store.ts";
import { isOwnSpool } from "./spool.ts";

/** Planes mark the spools they use every 15 s; what was not marked for so long is abandoned, even if its process id is in use again. */
const abandonedMs = 60_000;
const takenAtATime = 200;

type Recording = Pick<Store, "append" | "call" | "run">;

/** Stores what planes that were killed have left behind. Never rejects: a plane can do its work without that. */
export async function recoverSpools(file: string, store: Recording): Promise<void> {
  const prefix = `${basename(file)}-waiting-`;
  try {
    for (const name of readdirSync(dirname(file))) {
      const path = join(dirname(file), name);
      if (!name.startsWith(prefix) || isOwnSpool(path)) continue;
      if (!isAbandoned(path, Number.parseInt(name.slice(prefix.length), 10))) continue;
      // What cannot be taken over now is left for the next plane that opens the store.
      if (await isTaken(path, store)) rmSync(path, { force: true });
    }
  } catch (thrown) {
    process.emitWarning(
      `Records that earlier planes left in ${dirname(file)} cannot be read: ${fileTrouble(thrown)}. They stay there.`,
    );
  }
}

async function isTaken(path: string, recording: Recording): Promise<boolean> {
  try {
    const groups = readGroups(path);
    for (let at = 0; at < groups.length; at += takenAtATime)
      await takeOver(groups.slice(at, at + takenAtATime), recording);
    return true;
  } catch {
    return false;
  }
}

/** Together, since whoever starts waits for it, and each commit waits for those of other planes. */
async function takeOver(groups: readonly JournalEntry[][], recording: Recording): Promise<void> {
  const stored = await Promise.all(groups.map((group) => isStored(group, recording)));
  const missing = groups.filter((_, at) => !stored[at]);
  if (missing.length === 0) return;
  try {
    await recording.append(missing.flat());
  } catch {
    // Some may be there twice, or by now: one by one each gets what it deserves.
    for (const group of missing) if (!(await isStored(group, recording))) await recording.append(group);
  }
}

async function isStored([first]: JournalEntry[], { call, run }: Recording): Promise<boolean> {
  if (first?.kind === "call") return (await call(first.call.id)) !== null;
  return first?.kind === "run" && (await run(first.run.id)) !== null;
}

/** A line that was being written when the process died was acknowledged to nobody. */
function readGroups(path: string): JournalEntry[][] {
  const lines = readFileSync(path, "utf8").split("\n").slice(0, -1);
  return lines.flatMap((line) => {
    try {
      return [JSON.parse(line) as JournalEntry[]];
    } catch {
      return [];
    }
  });
}

function isAbandoned(path: string, pid: number): boolean {
  const { mtimeMs = 0 } = statSync(path, { throwIfNoEntry: false }) ?? {};
  return pid === process.pid || !isRunning(pid) || Date.now() - mtimeMs > abandonedMs;
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (thrown) {
    return (thrown as NodeJS.ErrnoException).code === "EPERM";
  }
}
