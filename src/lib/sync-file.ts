import { close, closeSync, fdatasync, fsync, fsyncSync, open, openSync } from "node:fs";
import { promisify } from "node:util";

const openFile = promisify(open);
const closeFile = promisify(close);
const syncHandle = promisify(fsync);

/** Waits for the disk in a thread of the system's: the content of an open file survives a power cut then. */
export const syncContent = promisify(fdatasync);

/** Windows has no such call, and keeps names by itself. */
const hasDirectories = process.platform !== "win32";

/** A new or a changed name in a directory survives a power cut once the directory is synced. */
export async function syncDirectory(path: string): Promise<void> {
  if (!hasDirectories) return;
  const directory = await openFile(path, "r");
  try {
    await syncHandle(directory);
  } finally {
    await closeFile(directory);
  }
}

/** The same at once, for what is rare. */
export function syncDirectoryNow(path: string): void {
  if (!hasDirectories) return;
  const directory = openSync(path, "r");
  try {
    fsyncSync(directory);
  } finally {
    closeSync(directory);
  }
}

/** Calls that come together share a run. One that comes during a run waits for the next, which covers what was done before it. */
export function sharedRun(run: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | null = null;
  let next: Promise<void> | null = null;
  const start = (): Promise<void> => {
    next = null;
    const started = run().finally(() => {
      if (running === started) running = null;
    });
    running = started;
    return started;
  };
  return () => {
    if (next !== null) return next;
    if (running === null) return start();
    next = running.then(start, start);
    return next;
  };
}
