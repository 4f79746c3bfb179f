import { closeSync, fstatSync, ftruncateSync, futimesSync, openSync, rmSync, writeSync } from "node:fs";
import { uniqueId } from "../lib/unique-id.ts";
import type { JournalEntry } from "../model/store.ts";

/** Groups of entries on their way into the store, each in one line: safe from the death of the process. */
export type Spool = {
  /** Undefined when they are safe already; otherwise tells whether they are, at the end of this turn at the latest. */
  add(entries: readonly JournalEntry[]): Promise<boolean> | undefined;
  /** What was added so far is on its way; once it is in the store, the returned function forgets it. */
  leave(): () => void;
  close(): void;
};

/** What comes closer than this after another has come with it. */
const togetherMs = 0.2;

/** So often a spool in use is marked as such: well within the time after which others take it for abandoned. */
const markEveryMs = 15_000;
/** After so long without a write another plane may have taken the file away, if this process was suspended. */
const unseenMs = 1_000;

const nothing = () => undefined;

/** For a store that ends with the process. */
export const noSpool: Spool = { add: nothing, leave: () => nothing, close: nothing };

/** Those of this process, which has several where several planes share a store. */
const own = new Set<string>();

export const isOwnSpool = (path: string): boolean => own.has(path);

/** Files beside the store. Writing a line there costs a tenth of a commit, and survives `kill -9` as well. */
export function createSpool(store: string): Spool {
  const path = `${store}-waiting-${process.pid}-${uniqueId()}`;
  // One is filled while what is in the other is stored.
  let [filled, other] = [createPart(`${path}.a`), createPart(`${path}.b`)];
  const marking = setInterval(() => {
    filled.mark();
    other.mark();
  }, markEveryMs).unref();
  let lines = "";
  let linesCount = 0;
  let written: PromiseWithResolvers<boolean> | undefined;
  let isAlone = false;
  let addedAt = 0;

  const isWritten = (text: string): boolean => {
    try {
      filled.add(text);
      return true;
    } catch {
      return false;
    }
  };
  /** Writing is a system call, and dearer than all the rest: one for whatever comes in the same turn. */
  const write = () => {
    const [text, done] = [lines, written];
    if (done === undefined) return;
    isAlone = linesCount === 1;
    lines = "";
    linesCount = 0;
    written = undefined;
    done.resolve(isWritten(text));
  };
  return {
    add(entries) {
      const line = lineOf(entries);
      // Where one comes at a time there is nobody to wait for.
      const [before, now] = [addedAt, performance.now()];
      addedAt = now;
      isAlone &&= now - before > togetherMs;
      if (isAlone) return isWritten(line) ? undefined : Promise.resolve(false);
      lines += line;
      linesCount += 1;
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
      clearInterval(marking);
      write();
      filled.close();
      other.close();
    },
  };
}

function lineOf(entries: readonly JournalEntry[]): string {
  const texts = entries.map((entry) => {
    const text = entry.kind === "call" ? entry.text : undefined;
    return text === undefined ? JSON.stringify(entry) : `{"kind":"call","call":${text}}`;
  });
  return `[${texts.join(",")}]\n`;
}

function createPart(path: string) {
  let file: number | undefined;
  let isEmpty = true;
  let writtenAt = 0;
  const open = () => {
    own.add(path);
    return openSync(path, "ax", 0o600);
  };
  /** A line in a file that has no name any more is lost with the process. */
  const leaveUnlinked = (now: number) => {
    if (file === undefined || (!isEmpty && now - writtenAt < unseenMs)) return;
    if (fstatSync(file).nlink > 0) return;
    closeSync(file);
    file = undefined;
  };
  return {
    add(line: string): void {
      const now = performance.now();
      leaveUnlinked(now);
      file ??= open();
      writtenAt = now;
      isEmpty = false;
      writeSync(file, line);
    },
    clear(): void {
      if (file === undefined || isEmpty) return;
      ftruncateSync(file, 0);
      isEmpty = true;
    },
    mark(): void {
      if (file === undefined) return;
      const now = new Date();
      try {
        futimesSync(file, now, now);
      } catch {
        // A spool that cannot be marked is found to be gone with the next write.
      }
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
