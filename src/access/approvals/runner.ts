import { uniqueId } from "../../lib/unique-id.ts";
import type { HeldYes, Outcome, Requested } from "../../model/call.ts";
import { PlaneError } from "../../model/errors.ts";
import type { Answer, HeldView, KeptHeldCall } from "../../model/held-call.ts";
import type { Principal } from "../../model/principal.ts";
import type { HeldCalls } from "./held-calls.ts";
import { resumed } from "./put-to-people.ts";
import { type createRemembered, isRememberable } from "./remembered.ts";
import { graceMs, isClaimed, isLeftBehind } from "./states.ts";
import { viewOf } from "./view.ts";

/** How often to look for what was approved and left behind by a process that is gone. */
const sweepMs = 10_000;

export type Answered = { approval: HeldView; outcome?: Outcome };

export type RunnerParts = {
  heldCalls: HeldCalls;
  remembered: ReturnType<typeof createRemembered>;
  run(call: Requested): Promise<Outcome>;
  /** Is a yes to this one a yes for the rest of its conversation? */
  remembersConsent(): boolean;
};

/** Runs what was approved, once. */
export function createRunner({ heldCalls, remembered, run, remembersConsent }: RunnerParts) {
  let sweeping: NodeJS.Timeout | undefined;
  let isStopped = false;

  async function resume(held: KeptHeldCall): Promise<Outcome | null> {
    const running = await heldCalls.begin(held.id).catch(unlessConflict);
    return running && run(resumed(running, { id: uniqueId(), at: new Date().toISOString() }));
  }

  async function answer(id: string, given: Answer, by: Principal): Promise<Answered> {
    const before = await heldCalls.get(id);
    if (before && isPlainYes(given) && isLeftBehind(before, Date.now())) {
      heldCalls.requireAnswerer(before, by);
      return ran(before, await resume(before));
    }
    const held = await heldCalls.answer(id, given, by);
    if (given.decision === "reject") return { approval: viewOf(held) };
    await remember(held, given);
    // Whoever waits for it goes on with it.
    return ran(held, isClaimed(held, Date.now()) ? null : await resume(held));
  }

  async function ran(held: KeptHeldCall, outcome: Outcome | null): Promise<Answered> {
    const now = (await heldCalls.get(held.id)) ?? held;
    return { approval: viewOf(now), ...(outcome ? { outcome } : {}) };
  }

  async function remember(held: KeptHeldCall, { remember: asked }: Answer): Promise<void> {
    const { verdict, options } = held;
    if (verdict.verdict !== "ask" || !isRememberable(verdict)) return;
    if (asked !== undefined) await remembered.add(held, asked);
    else if (verdict.consent && options.conversation !== undefined && remembersConsent())
      await remembered.add(held, { for: "tool", conversation: true });
  }

  /** True when something was approved a moment ago and may yet turn out to be left behind. */
  async function sweep(): Promise<boolean> {
    const approved = await heldCalls.list({ status: "approved" });
    const left = approved.filter((held) => isLeftBehind(held, Date.now()));
    // A long call must not keep the others from being looked at.
    for (const held of left) void resume(held).catch(() => undefined);
    // Looking at them is what tells that their time is over.
    await heldCalls.list({ status: "pending" });
    await heldCalls.list({ status: "running" });
    return left.length < approved.length;
  }

  return {
    answer,
    async onEnd({ id }: HeldYes, { ok, call, error }: Outcome): Promise<void> {
      const status = ok ? "done" : error?.data.isVoid === true ? "void" : "failed";
      await heldCalls.finish(id, status, { callId: call.id, ok, code: error?.code ?? null });
    },
    /** From now on what was left behind is run, and what has expired is said to have. */
    start(): void {
      const look = async () => {
        const isSoonDue = await sweep().catch(() => false);
        if (!isStopped) sweeping = setTimeout(look, isSoonDue ? graceMs : sweepMs).unref();
      };
      void look();
    },
    stop(): void {
      isStopped = true;
      clearTimeout(sweeping);
      heldCalls.stop();
    },
  };
}

/** A yes that only says again what somebody has said before. */
function isPlainYes({ decision, arguments: args, remember }: Answer): boolean {
  return decision === "approve" && args === undefined && remember === undefined;
}

/** Another process was faster, which is as good. */
function unlessConflict(thrown: unknown): null {
  if (thrown instanceof PlaneError && thrown.code === "CONFLICT") return null;
  throw thrown;
}
