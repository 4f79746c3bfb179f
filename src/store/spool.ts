import {
  closeSync,
  ftruncateSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { uniqueId } from "../lib/unique-id.ts";
import type { JournalEntry, Store } from "../model/store.ts";

/** What was left for so long is nobody's any more, whoever has the number of its process by now. */
const abandonedMs = 60_000;

/** Groups of entries on their way into the store, each in one line: safe from the death of the process. */
export type Spool = {
  /** Undefined when they are safe already; otherwise tells whether they are, at the end of this turn at the latest. */
  add(entries: readonly JournalEntry[]): Promise<boolean> | undefined;
  /** What was added so far is on its way; once it is in the store, the returned function forgets it. */
  leave(): () => void;
  close(): void;
};

const nothing = () => undefined;

/** For a store that ends with the process. */
export const noSpool: Spool = { add: nothing, leave: () => nothing, close: nothing };

/** Those of this process, which has several where several planes share a store. */
const own = new Set<string>();

/** Files beside the store. Writing a line there costs a tenth of a commit, and survives `kill -9` as well. */
export function createSpool(store: string): Spool {
  const path = `${store}-waiting-${process.pid}-${uniqueId()}`;
  // One is filled while what is in the other is stored.
  let [filled, other] = [createPart(`${path}.a`), createPart(`${path}.b`)];
  let lines = "";
  let written: PromiseWithResolvers<boolean> | undefined;

  /** Writing is a system call, and dearer than all the rest: one for whatever comes in the same turn. */
  const write = () => {
    const [text, done] = [lines, written];
    if (done === undefined) return;
    lines = "";
    written = undefined;
    try {
      filled.add(text);
      done.resolve(true);
    } catch {
      done.resolve(false);
    }
  };
  return {
    add(entries) {
      lines += lineOf(entries);
      if (written === undefined) {
        written = Promise.withResolvers();
        process.nextTick(write);
      }
      return written.promise;
    },
    leave() {
      write();
      const leaving = filled;
      [filled, other] = [other, filled];
      return leaving.clear;
    },
    close() {
      write();
      filled.close();
      other.close();
    },
  };
}

/** The record of a call is written as JSON once, for here and for the store. */
function lineOf(entries: readonly JournalEntry[]): string {
  const texts = entries.map((entry) => {
    if (entry.kind !== "call") return JSON.stringify(entry);
    entry.text ??= JSON.stringify(entry.call);
    return `{"kind":"call","call":${entry.text}}`;
  });
  return `[${texts.join(",")}]\n`;
}

function createPart(path: string) {
  let file: number | undefined;
  let isEmpty = true;
  const open = () => {
    own.add(path);
    return openSync(path, "ax", 0o600);
  };
  return {
    add(line: string): void {
      file ??= open();
      isEmpty = false;
      writeSync(file, line);
    },
    clear(): void {
      if (file === undefined || isEmpty) return;
      ftruncateSync(file, 0);
      isEmpty = true;
    },
    close(): void {
      if (file === undefined) return;
      closeSync(file);
      file = undefined;
      own.delete(path);
      // What could not be stored is left for whoever opens the store next.
      if (isEmpty) rmSync(path, { force: true });
    },
  };
}

type Recording = Pick<Store, "append" | "call" | "run">;

/** Stores what planes that were killed have left behind. */
export async function recoverSpools(file: string, store: Recording): Promise<void> {
  const prefix = `${basename(file)}-waiting-`;
  for (const name of readdirSync(dirname(file))) {
    const path = join(dirname(file), name);
    if (!name.startsWith(prefix) || own.has(path)) continue;
    if (!isAbandoned(path, Number.parseInt(name.slice(prefix.length), 10))) continue;
    // What cannot be taken over now is left for the next one who opens the store.
    if (await isTaken(path, store)) rmSync(path, { force: true });
  }
}

async function isTaken(path: string, { append, call, run }: Recording): Promise<boolean> {
  try {
    for (const entries of readGroups(path)) {
      const [first] = entries;
      const there =
        first?.kind === "call"
          ? await call(first.call.id)
          : first?.kind === "run"
            ? await run(first.run.id)
            : null;
      if (there === null) await append(entries);
    }
    return true;
  } catch {
    return false;
  }
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
