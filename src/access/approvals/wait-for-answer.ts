import { PlaneError } from "../../model/errors.ts";
import type { HeldCall, KeptHeldCall } from "../../model/held-call.ts";
import type { HeldCalls } from "./held-calls.ts";
import { lease, leaseMs } from "./states.ts";

/** How often to look whether another process has answered. */
const lookMs = 500;

export type Waiting = {
  /** How long the caller stays; as long as the question is good when left out. */
  waitMs: number | undefined;
  signal: AbortSignal | undefined;
};

/** The call once it is answered or over, or as it is when the caller stays no longer. */
export async function waitForAnswer(
  held: KeptHeldCall,
  heldCalls: HeldCalls,
  { waitMs, signal }: Waiting,
): Promise<KeptHeldCall> {
  const staysUntil = waitMs === undefined ? Number.POSITIVE_INFINITY : Date.now() + waitMs;
  let news = Promise.withResolvers<void>();
  const leave = heldCalls.watch(held.id, () => news.resolve());
  signal?.addEventListener("abort", wake);
  function wake() {
    news.resolve();
  }
  try {
    let current = held;
    while (current.status === "pending" && Date.now() < staysUntil && !signal?.aborted) {
      const timer = setTimeout(wake, Math.min(lookMs, staysUntil - Date.now()));
      await news.promise;
      clearTimeout(timer);
      news = Promise.withResolvers();
      current = await stay(current, heldCalls);
    }
    return current;
  } finally {
    leave();
    signal?.removeEventListener("abort", wake);
  }
}

/** As it is now. A store that is away for a moment has answered nothing, and is no reason to send the caller away. */
async function stay(known: KeptHeldCall, heldCalls: HeldCalls): Promise<KeptHeldCall> {
  try {
    return await look(known.id, heldCalls);
  } catch (thrown) {
    if (thrown instanceof PlaneError && thrown.data.lost === true) return known;
    throw thrown;
  }
}

/** Says from time to time that somebody still waits. */
async function look(id: string, heldCalls: HeldCalls): Promise<KeptHeldCall> {
  const current = await heldCalls.get(id);
  if (current === null) throw new Error(`the held call '${id}' is gone`);
  if (current.status !== "pending" || !isWearing(current)) return current;
  return heldCalls.change(id, (newest) =>
    newest.status === "pending" ? { ...newest, claim: lease(heldCalls.instance, Date.now()) } : newest,
  );
}

function isWearing({ claim }: HeldCall): boolean {
  return claim === null || Date.parse(claim.until) - Date.now() < leaseMs / 2;
}
