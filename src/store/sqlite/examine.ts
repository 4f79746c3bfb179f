import { statSync } from "node:fs";
import { pause } from "../../lib/async/pause.ts";
import { ownFile } from "../../lib/own-files.ts";
import { PlaneError } from "../../model/errors.ts";
import type { StoreTrouble } from "../../model/store.ts";

/** What the thread says of the file: null where it is in order, else with the remedy. */
export type Examined = { damage: string | null };
/** With `findsDamage` the thread looks at all of the file and ends; otherwise it stores records. */
export type WorkerTask = { file: string; findsDamage?: boolean };
/** To examine a larger file takes so long that a person has to ask for it. */
const maxBytesUnasked = 1_000_000_000;
/** The clients that wait for a plane to start come first. */
const afterStartMs = 3_000;

/** Whether the file is damaged: found with a statement that needs what is broken, or by looking at all of it in a thread. */
export function createExaminer(file: string, wasLeftOpen: boolean) {
  let trouble: StoreTrouble | null = null;
  let stopWorker: (() => Promise<unknown>) | undefined;
  const closing = new AbortController();

  function reportDamage(reason: string): void {
    if (trouble !== null) return;
    trouble = { since: new Date().toISOString(), reason, isDamaged: true };
    process.emitWarning(reason);
  }

  async function checkFile(): Promise<void> {
    const { Worker } = await import("node:worker_threads");
    const task: WorkerTask = { file, findsDamage: true };
    const worker = new Worker(ownFile("appendWorker"), { workerData: task });
    worker.unref();
    stopWorker = () => worker.terminate();
    const { damage } = await new Promise<Examined>((resolve) => {
      worker.once("message", resolve);
      // A thread that ends without an answer was ended by us, or had no memory.
      worker.once("error", () => resolve({ damage: null }));
      worker.once("exit", () => resolve({ damage: null }));
    });
    stopWorker = undefined;
    if (damage !== null) reportDamage(damage);
  }

  return {
    /** Work on the store that failed may have failed because of damage. */
    note(failure: unknown): void {
      if (failure instanceof PlaneError && failure.data.damaged === true)
        reportDamage(failure.message);
    },
    trouble: () => trouble,
    async examine({ afterCrash = false } = {}): Promise<void> {
      if (
        file === ":memory:" ||
        (afterCrash && (!wasLeftOpen || statSync(file).size > maxBytesUnasked))
      )
        return;
      if (afterCrash) await pause(afterStartMs, { signal: closing.signal, isBackground: true });
      if (!closing.signal.aborted) await checkFile();
    },
    async close(): Promise<void> {
      closing.abort();
      await stopWorker?.();
    },
  };
}
