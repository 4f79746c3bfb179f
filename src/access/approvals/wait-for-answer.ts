import { steadyNow } from "../../lib/async/steady-time.ts";
import type { KeptHeldCall } from "../../model/calls/held-call.ts";
import type { Relay } from "../../model/calls/provider.ts";
import { PlaneError } from "../../model/errors.ts";
import { approvalLeaseMs } from "./held-call.ts";
import type { HeldCalls } from "./held-calls.ts";

/** How often to look whether another process has answered. */
const pollMs = 500;
/** How often a caller hears that its call still waits. */
const progressMs = 10_000;
/** Progress has to grow, and the tool's own begins at 0. */
const progressStep = 1e-6;

export type Waiting = {
  /** On the steady clock. */
  until: number;
  signal: AbortSignal;
  isDone(heldCall: KeptHeldCall): boolean;
  onProgress?: Relay["onProgress"];
};

/** The call once it is as far as that, or as it is when the wait ends. */
export async function waitForAnswer(
  heldCall: KeptHeldCall,
  heldCalls: HeldCalls,
  { until, signal, isDone, onProgress }: Waiting,
): Promise<KeptHeldCall> {
  const tellCaller = createTeller(heldCall, onProgress);
  let changed = Promise.withResolvers<void>();
  const wake = () => changed.resolve();
  const unwatch = heldCalls.watch(heldCall.id, wake);
  signal.addEventListener("abort", wake);
  try {
    // It may have changed before it was watched.
    let latest = await poll(heldCall, heldCalls);
    while (!isDone(latest) && steadyNow() < until && !signal.aborted) {
      tellCaller();
      const timer = setTimeout(wake, Math.min(pollMs, until - steadyNow()));
      await changed.promise;
      clearTimeout(timer);
      changed = Promise.withResolvers();
      latest = await poll(latest, heldCalls);
    }
    return latest;
  } finally {
    unwatch();
    signal.removeEventListener("abort", wake);
  }
}

function createTeller({ id, tool }: KeptHeldCall, onProgress: Relay["onProgress"]): () => void {
  const message = `'${tool}' waits for a person's yes (approval '${id}').`;
  let tellAt = 0;
  let steps = 0;
  return () => {
    if (onProgress === undefined || steadyNow() < tellAt) return;
    tellAt = steadyNow() + progressMs;
    steps += 1;
    onProgress({ progress: steps * progressStep, total: null, message });
  };
}

/** As it is now, with the lease renewed. While the store is unreachable the last known state counts. */
async function poll(lastKnown: KeptHeldCall, heldCalls: HeldCalls): Promise<KeptHeldCall> {
  try {
    const latest = await heldCalls.get(lastKnown.id);
    if (latest === null) throw new Error(`the held call '${lastKnown.id}' is gone`);
    const leftMs = latest.claim === null ? 0 : Date.parse(latest.claim.until) - Date.now();
    if (latest.status === "pending" && leftMs < approvalLeaseMs / 2)
      await heldCalls.renewLease(lastKnown.id);
    return latest;
  } catch (thrown) {
    if (thrown instanceof PlaneError && thrown.data.lost === true) return lastKnown;
    throw thrown;
  }
}
