import type { HeldCall, HeldView, KeptHeldCall } from "../../model/calls/held-call.ts";
import type { JsonObject } from "../../model/json.ts";

const placeholder = "«set by the system»";

/** A held call as people see it. */
export function viewOf({ revision: _, ...held }: KeptHeldCall): HeldView {
  return { ...held, shown: shownArguments(held), adminRequired: held.verdict.rule !== undefined };
}

function shownArguments({ arguments: args, answer, injected }: HeldCall): JsonObject {
  const own = answer?.arguments ?? args;
  // What the caller may name and the system only completes, such as a file, is shown as it was named.
  const others = injected.filter((name) => !Object.hasOwn(args, name));
  return { ...own, ...Object.fromEntries(others.map((name) => [name, placeholder])) };
}
