import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { rename, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { syncDirectory } from "../lib/sync-file.ts";
import type { Loss } from "../model/calls/call-history.ts";
import type { ChainHeads, Store } from "../model/store.ts";

const chains = ["calls", "changes"] as const;
type ChainName = (typeof chains)[number];
type Losses = { [Name in ChainName]?: Loss[] };
type Finder = Pick<Store, "findLoss">;

export type ChainHeadsFile = ReturnType<typeof createChainHeadsFile>;

/** A file that was begun is renamed within milliseconds. */
const abandonedMs = 60_000;
/** Of commits that follow each other quickly the last one is noted; a head that is a little older is in the chain as well. */
const minWriteGapMs = 1_000;

/**
 * Where the chains end, in a file of its own that is written, and synced, soon after each commit. A store whose end is lost to a
 * power cut or a damaged disk, or that was replaced by an older copy, cannot tell by itself.
 */
export function createChainHeadsFile(path: string) {
  const lostPath = `${path}.lost`;
  const earlier = readJson<ChainHeads>(path) ?? {};
  let heads = earlier;
  let pendingWrite: NodeJS.Timeout | undefined;
  let writtenAt = Number.NEGATIVE_INFINITY;
  let written = Promise.resolve();

  /** A disk may take long to replace a file, and calls do not wait for it. */
  function write(): Promise<void> {
    clearTimeout(pendingWrite);
    pendingWrite = undefined;
    writtenAt = performance.now();
    written = written.then(() => replace(JSON.stringify(heads)));
    return written;
  }

  async function replace(text: string): Promise<void> {
    const temporaryPath = `${path}.${process.pid}`;
    try {
      await writeFile(temporaryPath, text, { mode: 0o600, flush: true });
      await rename(temporaryPath, path);
      await syncDirectory(dirname(path));
    } catch {
      // On a full disk the head before it is left, which is in the chain as well.
      await rm(temporaryPath, { force: true }).catch(() => undefined);
    }
  }

  return {
    note(added: ChainHeads): void {
      if (added.calls === undefined && added.changes === undefined) return;
      heads = { ...heads, ...added };
      if (pendingWrite !== undefined) return;
      const waitMs = writtenAt + minWriteGapMs - performance.now();
      if (waitMs <= 0) void write();
      else pendingWrite = setTimeout(() => void write(), waitMs).unref();
    },
    /** Writes what is not written yet. */
    async flush(): Promise<void> {
      await (pendingWrite === undefined ? written : write());
    },
    /** Is there what earlier processes have stored? What is not is noted in a file, which a person deletes. */
    async check(store: Finder): Promise<void> {
      removeAbandoned(path);
      for (const chain of chains) {
        const loss = await findLoss(store, chain, earlier);
        if (loss === null) continue;
        const { [chain]: head, ...remainingHeads } = heads;
        if (head === earlier[chain]) {
          heads = remainingHeads;
          await write();
        }
        const recordedLosses = readJson<Losses>(lostPath) ?? {};
        const losses = { ...recordedLosses, [chain]: [...(recordedLosses[chain] ?? []), loss] };
        writeFileSync(lostPath, JSON.stringify(losses, null, 2), { mode: 0o600 });
        process.emitWarning(warningOf(chain, loss, lostPath));
      }
    },
    /** What was lost before, and what is not there now. */
    async losses(chain: ChainName, store: Finder): Promise<Loss[]> {
      const newLoss = await findLoss(store, chain, heads);
      return [
        ...(readJson<Losses>(lostPath)?.[chain] ?? []),
        ...(newLoss === null ? [] : [newLoss]),
      ];
    },
  };
}

/** What planes have begun that were killed. */
function removeAbandoned(path: string): void {
  const temporaryPrefix = `${basename(path)}.`;
  try {
    for (const name of readdirSync(dirname(path))) {
      if (!name.startsWith(temporaryPrefix) || !/^\d+$/.test(name.slice(temporaryPrefix.length)))
        continue;
      const file = join(dirname(path), name);
      const writtenAt = statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? Date.now();
      if (Date.now() - writtenAt > abandonedMs) rmSync(file, { force: true });
    }
  } catch {
    // They do no harm.
  }
}

async function findLoss(store: Finder, chain: ChainName, heads: ChainHeads): Promise<Loss | null> {
  const head = heads[chain];
  return head === undefined ? null : store.findLoss(chain, head);
}

function warningOf(chain: ChainName, { after, until }: Loss, lostPath: string): string {
  const range = after === null ? chain : `${chain} after ${after}`;
  return `The store has lost records: the ${range} up to ${until} were stored and are gone. It was damaged, or replaced by an older copy. 'toolplane audit verify' says so until you delete ${lostPath}.`;
}

/** Null where there is none, or where it is damaged as well. */
function readJson<T>(path: string): T | null {
  try {
    return JSON.parse(readFileSync(path, "utf8")) as T;
  } catch {
    return null;
  }
}
