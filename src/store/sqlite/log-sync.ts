import { close, open } from "node:fs";
import { dirname } from "node:path";
import { promisify } from "node:util";
import { sharedRun, syncContent, syncDirectory } from "../../lib/sync-file.ts";

const openFile = promisify(open);
const closeFile = promisify(close);

export type LogSync = ReturnType<typeof createLogSync>;

/**
 * A commit is in the write-ahead log at once, and on the disk when the system likes. `sync` waits for the disk beside the
 * main thread, for all commits before it together. What a checkpoint has moved to the file was synced by SQLite.
 */
export function createLogSync(file: string) {
  let log: number | undefined;
  let lastSync: Promise<void> = Promise.resolve();

  async function syncLog(): Promise<void> {
    if (log === undefined) {
      // For writing, which Windows wants of those who sync. SQLite locks another file: closing this one drops no lock.
      log = await openFile(`${file}-wal`, "r+").catch(unlessMissing);
      if (log === undefined) return;
      await syncDirectory(dirname(file));
    }
    await syncContent(log);
  }
  const sync = sharedRun(syncLog);

  return {
    sync(): Promise<void> {
      lastSync = sync();
      return lastSync;
    },
    async close(): Promise<void> {
      await lastSync.catch(() => undefined);
      const closing = log;
      log = undefined;
      if (closing !== undefined) await closeFile(closing);
    },
  };
}

/** Where the file system has no log, each commit is synced by SQLite. */
function unlessMissing(thrown: NodeJS.ErrnoException): undefined {
  if (thrown.code !== "ENOENT") throw thrown;
}
