import { stableJson } from "../lib/json/stable-json.ts";
import type { AskedCall } from "../model/agent/chat.ts";
import type { Outcome } from "../model/calls/call.ts";

type Kept = { outcome: Promise<Outcome | null>; mayChange: boolean };

export type CallRound = {
  /** What the same call came to, or is coming to, where that still holds. */
  before(call: AskedCall): Promise<Outcome | null> | undefined;
  keep(call: AskedCall, mayChange: boolean, outcome: Promise<Outcome | null>): Promise<Outcome | null>;
  end(): void;
};

/**
 * The calls of a run by name and arguments. Models that are stuck ask for the same again and again. What was read is
 * good until something may have been changed; what was written is not written twice in a row, but once more after
 * something else was: a switch may be turned on, off and on.
 */
export type CallMemory = { round(): CallRound };

export function createCallMemory(): CallMemory {
  const kept = new Map<string, Kept>();
  return {
    round() {
      const made = new Map<string, Kept>();
      return {
        before(call) {
          const key = keyOf(call);
          return (made.get(key) ?? kept.get(key))?.outcome;
        },
        async keep(call, mayChange, outcome) {
          const key = keyOf(call);
          made.set(key, { outcome, mayChange });
          const ended = await outcome;
          // What may go better the next time may be tried again.
          if (ended === null || (!ended.ok && ended.error?.recoverable === true)) made.delete(key);
          return ended;
        },
        end() {
          const changes = [...made].filter(([, { mayChange }]) => mayChange);
          if (changes.length > 0) kept.clear();
          for (const [key, call] of changes.length > 0 ? changes : made) kept.set(key, call);
        },
      };
    },
  };
}

/** However the arguments are spaced and ordered. */
function keyOf({ function: { name, arguments: text } }: AskedCall): string {
  return JSON.stringify([name, canonical(text)]);
}

function canonical(text: string): string {
  if (text.trim() === "") return "{}";
  try {
    return stableJson(JSON.parse(text));
  } catch {
    return text;
  }
}
