import { readdirSync, readFileSync, renameSync, rmSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileErrorText } from "../lib/files.ts";
import { countOf } from "../lib/text/wording.ts";
import type { JournalEntry, Store } from "../model/store.ts";
import { ownSpools, parseSpoolLine } from "./spool.ts";

/** A spool that was not touched for this long is abandoned, even if its process id is in use again. */
const abandonedMs = 60_000;
const groupsAtOnce = 200;

type Recording = Pick<Store, "append" | "call" | "run" | "audited" | "sync">;

/** What was damaged is kept under this name, for a person. */
const damagedEnding = ".damaged";

/** Stores the spools of planes that were killed. Never rejects: a plane works without them. */
export async function recoverSpools(file: string, store: Recording): Promise<void> {
  const prefix = `${basename(file)}-waiting-`;
  try {
    for (const name of readdirSync(dirname(file))) {
      const path = join(dirname(file), name);
      if (!name.startsWith(prefix) || name.endsWith(damagedEnding) || ownSpools.has(path)) continue;
      if (isAbandoned(path, Number.parseInt(name.slice(prefix.length), 10)))
        await recover(path, store);
    }
  } catch (thrown) {
    process.emitWarning(
      `Records that earlier planes left in ${dirname(file)} cannot be read: ${fileErrorText(thrown)}. They stay there.`,
    );
  }
}

async function recover(path: string, recording: Recording): Promise<void> {
  let damaged = 0;
  try {
    const groups = readLines(path).map(parseSpoolLine);
    const readable = groups.filter((group) => group !== null);
    damaged = groups.length - readable.length;
    for (let start = 0; start < readable.length; start += groupsAtOnce)
      await takeOver(readable.slice(start, start + groupsAtOnce), recording);
    await recording.sync();
  } catch {
    // What cannot be taken over now is left for the next plane that opens the store.
    return;
  }
  if (damaged === 0) return rmSync(path, { force: true });
  renameSync(path, path + damagedEnding);
  process.emitWarning(
    `${path + damagedEnding} is damaged: ${countOf(damaged, "record")} in it cannot be read, the others were stored. Calls that were answered may be missing in the record.`,
  );
}

/** In one commit, because the start of the plane waits for it. */
async function takeOver(groups: readonly JournalEntry[][], recording: Recording): Promise<void> {
  const stored = await Promise.all(groups.map((group) => isStored(group, recording)));
  const missing = groups.filter((_, index) => !stored[index]);
  if (missing.length === 0) return;
  try {
    await recording.append(missing.flat());
  } catch {
    // Some may be stored by now: try one by one.
    for (const group of missing)
      if (!(await isStored(group, recording))) await recording.append(group);
  }
}

async function isStored(
  [first]: JournalEntry[],
  { call, run, audited }: Recording,
): Promise<boolean> {
  if (first?.kind === "audit") return (await audited(first.record.id)) !== null;
  if (first?.kind === "call") return (await call(first.call.id)) !== null;
  return first?.kind === "run" && (await run(first.run.id)) !== null;
}

/** An end without a line break is a line, too: nothing tells a plane that was killed from a file that was cut off. */
function readLines(path: string): string[] {
  const lines = readFileSync(path, "utf8").split("\n");
  if (lines.at(-1) === "") lines.pop();
  return lines;
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
