import {
  closeSync,
  fstatSync,
  ftruncateSync,
  futimesSync,
  openSync,
  rmSync,
  writeSync,
} from "node:fs";
import { dirname } from "node:path";
import { crc32 } from "node:zlib";
import { uniqueId } from "../lib/ids-and-time.ts";
import { sharedRun, syncContent, syncDirectory } from "../lib/sync-file.ts";
import type { JournalEntry } from "../model/store.ts";

/** A write-ahead spool: entries wait in a file, one group per line, until they are committed to the store. */
export type Spool = {
  /** Undefined when they are written already; otherwise whether they were, at the end of this turn. */
  add(entries: readonly JournalEntry[]): Promise<boolean> | undefined;
  /** Starts a new part; call the returned function once the entries so far are stored. */
  leave(): () => void;
  /** Resolves when what was written before survives a power cut. */
  sync(): Promise<void>;
  /** Since when something waits for that; null where nothing does. */
  unsyncedSince(): number | null;
  /** Was what is in it removed? */
  isGone(): boolean;
  close(): Promise<void>;
};

/** Entries closer than this are written together. */
const batchGapMs = 0.2;

/** How often a spool in use is touched; well below `abandonedMs`. */
const markIntervalMs = 15_000;
/** After this long without a write, another plane may have removed the file of a suspended process. */
const unseenMs = 1_000;

const nothing = () => undefined;

/** For a store that ends with the process. */
export const noSpool: Spool = {
  add: nothing,
  leave: () => nothing,
  sync: async () => undefined,
  unsyncedSince: () => null,
  isGone: () => false,
  close: async () => undefined,
};

/** The spools of this process; several planes may share a store. */
export const ownSpools = new Set<string>();

/** Files beside the store. Writing a line there costs a tenth of a commit, and survives `kill -9` as well. */
export function createSpool(store: string): Spool {
  const path = `${store}-waiting-${process.pid}-${uniqueId()}`;
  // One is filled while what is in the other is stored.
  let filled = createPart(`${path}.a`);
  let resting = createPart(`${path}.b`);
  const marking = setInterval(() => {
    filled.mark();
    resting.mark();
  }, markIntervalMs).unref();
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
  /** One system call for all entries of a turn. */
  const write = () => {
    const text = lines;
    const done = written;
    if (done === undefined) return;
    isAlone = linesCount === 1;
    lines = "";
    linesCount = 0;
    written = undefined;
    done.resolve(isWritten(text));
  };
  const sync = sharedRun(async () => {
    await Promise.all([filled.sync(), resting.sync()]);
  });
  return {
    add(entries) {
      const line = lineOf(entries);
      // A single caller is not delayed.
      const previousAddedAt = addedAt;
      const now = performance.now();
      addedAt = now;
      isAlone &&= now - previousAddedAt > batchGapMs;
      if (isAlone) return isWritten(line) ? undefined : Promise.resolve(false);
      lines += line;
      linesCount += 1;
      if (written === undefined) {
        written = Promise.withResolvers();
        setImmediate(write);
      }
      return written.promise;
    },
    leave() {
      write();
      const leaving = filled;
      [filled, resting] = [resting, filled];
      return leaving.clear;
    },
    sync(): Promise<void> {
      write();
      return sync();
    },
    unsyncedSince() {
      const times = [filled.unsyncedSince(), resting.unsyncedSince()].filter(
        (since) => since !== null,
      );
      return times.length === 0 ? null : Math.min(...times);
    },
    isGone: () => filled.isGone() || resting.isGone(),
    async close() {
      clearInterval(marking);
      write();
      await Promise.all([filled.close(), resting.close()]);
    },
  };
}

/** With a checksum: a line that was damaged on the disk has to be noticed. Earlier versions read it as an unknown entry. */
function lineOf(entries: readonly JournalEntry[]): string {
  const texts = entries.map((entry) => {
    if (entry.kind !== "call" || entry.text === undefined) return JSON.stringify(entry);
    return `{"kind":"call","events":${entry.events ?? 0},"call":${entry.text}}`;
  });
  const text = `[${texts.join(",")}`;
  return `${text}${endOf(text)}\n`;
}

function endOf(text: string): string {
  return `,{"crc":"${crc32(text).toString(16).padStart(8, "0")}"}]`;
}

const checksumPattern = /,\{"crc":"[0-9a-f]{8}"\}\]$/;

/** Null where it is damaged. */
export function parseSpoolLine(line: string): JournalEntry[] | null {
  const text = line.replace(checksumPattern, "");
  const isIntact = text === line || line === text + endOf(text);
  try {
    // Versions before checksums wrote the entries alone.
    return isIntact ? (JSON.parse(text === line ? line : `${text}]`) as JournalEntry[]) : null;
  } catch {
    return null;
  }
}

function createPart(path: string) {
  let file: number | undefined;
  let isEmpty = true;
  let size = 0;
  let writtenAt = 0;
  let unsyncedSince: number | null = null;
  /** Its name is not on the disk yet. */
  let isNew = true;
  let syncing: Promise<void> = Promise.resolve();
  const open = () => {
    ownSpools.add(path);
    isNew = true;
    return openSync(path, "ax", 0o600);
  };
  /** The number of a file that is closed may be that of another file by the time it is synced. */
  const closeSynced = (closing: number) => syncing.then(() => closeSync(closing));
  const syncFile = async (handle: number) => {
    await syncContent(handle);
    if (!isNew) return;
    await syncDirectory(dirname(path));
    isNew = false;
  };
  /** A line in an unlinked file would be lost with the process. */
  const leaveUnlinked = (now: number) => {
    if (file === undefined || (!isEmpty && now - writtenAt < unseenMs)) return;
    if (fstatSync(file).nlink > 0) return;
    void closeSynced(file);
    file = undefined;
    size = 0;
    unsyncedSince = null;
  };
  return {
    add(line: string): void {
      const now = performance.now();
      leaveUnlinked(now);
      file ??= open();
      writtenAt = now;
      isEmpty = false;
      const written = writeSync(file, line);
      // A disk that fills up takes a part of the line, which would spoil the next one.
      if (written !== line.length && written < Buffer.byteLength(line)) {
        ftruncateSync(file, size);
        throw Object.assign(new Error("the line was cut off"), { code: "ENOSPC" });
      }
      size += written;
      unsyncedSince ??= now;
    },
    unsyncedSince: () => unsyncedSince,
    async sync(): Promise<void> {
      const since = unsyncedSince;
      if (file === undefined || since === null) return syncing;
      unsyncedSince = null;
      const synced = syncFile(file);
      syncing = synced.catch(nothing);
      try {
        await synced;
      } catch (thrown) {
        unsyncedSince = since;
        throw thrown;
      }
    },
    clear(): void {
      if (file === undefined || isEmpty) return;
      try {
        ftruncateSync(file, 0);
      } catch {
        // A failing disk: what is stored already is recognised when the spool is recovered.
        return;
      }
      size = 0;
      isEmpty = true;
      unsyncedSince = null;
    },
    isGone: () => file !== undefined && fstatSync(file).nlink === 0,
    mark(): void {
      if (file === undefined) return;
      const now = new Date();
      try {
        futimesSync(file, now, now);
      } catch {
        // A spool that cannot be marked is found to be gone with the next write.
      }
    },
    async close(): Promise<void> {
      if (file === undefined) return;
      const closing = file;
      file = undefined;
      await closeSynced(closing);
      ownSpools.delete(path);
      // Entries that could not be stored are left for the next plane on the store.
      if (isEmpty) rmSync(path, { force: true });
    },
  };
}
