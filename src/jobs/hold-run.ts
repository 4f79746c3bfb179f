import { PlaneError } from "../model/errors.ts";
import type { KeptJobRun } from "../model/job-run.ts";
import { isOver } from "./states.ts";

/** A plane that has not said for so long that it is there is taken for dead. */
export const leaseMs = 30_000;

export type HeldRun = {
  current(): KeptJobRun;
  /** Writes the change and renews the lease. Rejects once somebody else has the run. */
  write(change: (run: KeptJobRun) => KeptJobRun): Promise<KeptJobRun>;
  /** Somebody else has the run, or has ended it. */
  lost: AbortSignal;
  /** Nothing is written any more; whoever wants may go on with it. */
  release(): Promise<void>;
  /** No lease is renewed any more. */
  end(): void;
};

/** The only writer of a run, as long as it says from time to time that it is there. */
export function holdRun(claimed: KeptJobRun, replace: (run: KeptJobRun) => Promise<boolean>): HeldRun {
  const lost = new AbortController();
  let current = claimed;
  let queue: Promise<unknown> = Promise.resolve();

  const writeNow = async (next: KeptJobRun): Promise<KeptJobRun> => {
    if (!lost.signal.aborted && !(await replace(next))) lost.abort(new Error("another plane has the run"));
    if (lost.signal.aborted)
      throw new PlaneError("CONFLICT", `Run '${next.id}' was taken over or ended by somebody else.`);
    current = { ...next, revision: next.revision + 1 };
    return current;
  };
  const write: HeldRun["write"] = (change) => {
    const written = queue.then(() => {
      const next = change(current);
      return writeNow(isOver(next.state) ? next : { ...next, dueAt: leaseUntil(Date.now()) });
    });
    queue = written.catch(() => undefined);
    return written;
  };
  // A store that fails for a moment may be back before the lease is over.
  const timer = setInterval(() => void write((run) => run).catch(() => undefined), leaseMs / 3).unref();
  return {
    current: () => current,
    write,
    lost: lost.signal,
    async release() {
      clearInterval(timer);
      await queue;
      await writeNow({ ...current, dueAt: new Date().toISOString() }).catch(() => undefined);
    },
    end: () => clearInterval(timer),
  };
}

export function leaseUntil(now: number): string {
  return new Date(now + leaseMs).toISOString();
}
