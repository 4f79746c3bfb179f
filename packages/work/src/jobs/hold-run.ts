import { pause } from "@toolplane/core/lib/async/pause";
import { PlaneError } from "@toolplane/core/model/errors";
import type { KeptJobRun } from "@toolplane/core/model/work/job-run";
import { isRunOver } from "./states.ts";

/** After this time without a renewal a plane counts as dead. */
const leaseMs = 30_000;
/** How often an unreachable store is tried. */
const storePollMs = 250;

type HoldParts = {
  replace(run: KeptJobRun): Promise<boolean>;
  read(id: string): Promise<KeptJobRun | null>;
  /** From then on nothing waits for an unreachable store. */
  stopping: AbortSignal;
};

export type HeldRun = ReturnType<typeof holdRun>;

/** The only writer of a run, for as long as it renews its lease. */
export function holdRun(claimed: KeptJobRun, { replace, read, stopping }: HoldParts) {
  const lost = new AbortController();
  let current = claimed;
  let queue: Promise<unknown> = Promise.resolve();

  /** Waits for the store: only this plane knows what was done. */
  async function replaceWhenBack(next: KeptJobRun): Promise<boolean> {
    for (let wasAway = false; ; wasAway = true) {
      try {
        return (await replace(next)) || (wasAway && isWritten(next, await read(next.id)));
      } catch (thrown) {
        if (!(thrown instanceof PlaneError) || thrown.data.lost !== true || stopping.aborted)
          throw thrown;
        await pause(storePollMs, { signal: stopping, isBackground: true });
      }
    }
  }

  async function writeNow(next: KeptJobRun): Promise<KeptJobRun> {
    if (!lost.signal.aborted && !(await replaceWhenBack(next)))
      lost.abort(new Error("another plane has the run"));
    if (lost.signal.aborted)
      throw new PlaneError(
        "CONFLICT",
        `Run '${next.id}' was taken over or ended by another plane.`,
      );
    current = { ...next, revision: next.revision + 1 };
    return current;
  }

  function write(change: (run: KeptJobRun) => KeptJobRun): Promise<KeptJobRun> {
    const written = queue.then(() => {
      const next = change(current);
      return writeNow(isRunOver(next.state) ? next : { ...next, dueAt: leaseUntil(Date.now()) });
    });
    queue = written.catch(() => undefined);
    return written;
  }

  async function renew(): Promise<void> {
    // A store that fails for a moment may be back before the lease is over.
    await write((run) => run).catch(() => undefined);
  }

  const timer = setInterval(renew, leaseMs / 3).unref();
  return {
    current: () => current,
    /** Writes the change and renews the lease. Rejects once another plane has the run. */
    write,
    /** Renews the lease, and finds out whether the run is still ours. */
    renew,
    /** Another plane has the run, or has ended it. */
    lost: lost.signal as AbortSignal,
    /** Ends the lease now: any plane may continue the run. */
    async release(): Promise<void> {
      clearInterval(timer);
      await queue;
      // An unwritten release only means that the lease runs out by itself.
      await writeNow({ ...current, dueAt: new Date().toISOString() }).catch(() => undefined);
    },
    /** Stops renewing the lease. */
    end: () => clearInterval(timer),
  };
}

export function leaseUntil(now: number): string {
  return new Date(now + leaseMs).toISOString();
}

/** The write arrived and only its answer was lost: a takeover would have counted a start. */
function isWritten(next: KeptJobRun, storedRun: KeptJobRun | null): boolean {
  return (
    storedRun?.revision === next.revision + 1 &&
    storedRun.starts === next.starts &&
    storedRun.state === next.state
  );
}
