import { pause } from "../../lib/async/pause.ts";
import { PlaneError } from "../../model/errors.ts";
import type { KeptJobRun } from "../../model/work/job-run.ts";
import { isOver } from "./states.ts";

/** A plane that has not said for so long that it is there is taken for dead. */
const leaseMs = 30_000;
/** How often a store that is away is tried. */
const awayMs = 250;

export type HeldRun = {
  current(): KeptJobRun;
  /** Writes the change and renews the lease. Rejects once another plane has the run. */
  write(change: (run: KeptJobRun) => KeptJobRun): Promise<KeptJobRun>;
  /** Says that we are there, and finds out whether the run is still ours. */
  renew(): Promise<void>;
  /** Another plane has the run, or has ended it. */
  lost: AbortSignal;
  /** Ends the lease now: any plane may go on with it. */
  release(): Promise<void>;
  /** No lease is renewed any more. */
  end(): void;
};

type HoldParts = {
  replace(run: KeptJobRun): Promise<boolean>;
  /** The run as it is kept now. */
  read(id: string): Promise<KeptJobRun | null>;
  /** From then on nothing waits for a store that is away. */
  stopping: AbortSignal;
};

/** The only writer of a run, as long as it says from time to time that it is there. */
export function holdRun(claimed: KeptJobRun, { replace, read, stopping }: HoldParts): HeldRun {
  const lost = new AbortController();
  let current = claimed;
  let queue: Promise<unknown> = Promise.resolve();

  /** Waits for the store: only this plane knows what was done. */
  const replaceWhenBack = async (next: KeptJobRun): Promise<boolean> => {
    for (let wasAway = false; ; wasAway = true) {
      try {
        return (await replace(next)) || (wasAway && isWritten(next, await read(next.id)));
      } catch (thrown) {
        if (!(thrown instanceof PlaneError) || thrown.data.lost !== true || stopping.aborted) throw thrown;
        await pause(awayMs, { signal: stopping, isBackground: true });
      }
    }
  };
  const writeNow = async (next: KeptJobRun): Promise<KeptJobRun> => {
    if (!lost.signal.aborted && !(await replaceWhenBack(next))) lost.abort(new Error("another plane has the run"));
    if (lost.signal.aborted)
      throw new PlaneError("CONFLICT", `Run '${next.id}' was taken over or ended by another plane.`);
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
  const renew = () =>
    write((run) => run).then(
      () => undefined,
      () => undefined,
    );
  const timer = setInterval(renew, leaseMs / 3).unref();
  return {
    current: () => current,
    write,
    renew,
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

/** The write had arrived and only the answer was lost: a takeover would have counted a start. */
function isWritten(next: KeptJobRun, kept: KeptJobRun | null): boolean {
  return kept?.revision === next.revision + 1 && kept.starts === next.starts && kept.state === next.state;
}
