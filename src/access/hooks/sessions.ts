import { createLru } from "../../lib/lru.ts";
import type { Injected, Verdict } from "../../model/call.ts";
import type { Principal } from "../../model/principal.ts";
import type { Asked, AskHooks, Judged } from "./ask-in-turn.ts";

/** Of more than these the longest known are forgotten first, and would be asked about again. */
const minSessions = 10_000;

/** A hook sees that a session begins or ends and has nothing to change. */
const changeNothing: Asked["change"] = (payload) => ({ payload });

/** Conversations that hooks were asked about. */
export function createSessions() {
  const begun = createLru<Promise<Judged>>(minSessions);
  const keyOf = ({ user }: Principal, conversation: string) => JSON.stringify([user, conversation]);

  /** Why the conversation of this call may not begin; null when it may, has begun, or there is none. */
  async function refusal(call: Injected, askHooks: AskHooks): Promise<Verdict | null> {
    const { conversation } = call.options;
    if (conversation === undefined) return null;
    const key = keyOf(call.principal, conversation);
    const others = begun.get(key);
    const payload = { face: call.face };
    const asked = others ?? askHooks("SessionStart", { payload, change: changeNothing, mayAsk: false });
    begun.set(key, asked);
    const judged = await asked.catch((thrown) => {
      if (begun.get(key) === asked) begun.delete(key);
      // That another caller gave up is nothing to this one.
      if (others) return null;
      throw thrown;
    });
    if (judged === null) return refusal(call, askHooks);
    if (judged.decision !== "deny") return null;
    begun.delete(key);
    return { verdict: "deny", origin: `hook:${judged.by}`, reason: judged.reason ?? "a hook says so" };
  }

  return {
    refusal,
    async end(principal: Principal, conversation: string, askHooks: AskHooks): Promise<void> {
      begun.delete(keyOf(principal, conversation));
      await askHooks("SessionEnd", { payload: {}, change: changeNothing, mayAsk: false });
    },
  };
}
