import { sameJson } from "../../lib/same-json.ts";
import { PlaneError } from "../../model/errors.ts";
import type { Answer, GivenAnswer, HeldCall, Remember } from "../../model/held-call.ts";

/** What a person changed the arguments to; null when they are what was shown. Throws what cannot be said to this call. */
export function checkAnswer(held: HeldCall, given: Answer): GivenAnswer["arguments"] {
  if (given.decision === "reject") return null;
  if (given.remember !== undefined) checkRemember(held, given.remember);
  const { arguments: args } = given;
  // An empty object is an edit like any other.
  if (args === undefined || sameJson(args, held.arguments)) return null;
  if (held.allowEdit) return args;
  throw refuse(
    "arguments",
    `The arguments of '${held.id}' cannot be changed: 'approvals.allowEdit' is false. Leave 'arguments' out, or reject it.`,
  );
}

/** What is remembered for less than was meant does no harm; what is remembered for more does. */
function checkRemember({ id, options }: HeldCall, { conversation, forMs, arguments: globs }: Remember): void {
  if (conversation && options.conversation === undefined)
    throw refuse(
      "remember",
      `'${id}' belongs to no conversation, so no yes can be remembered for it alone. Leave 'conversation' out, or give 'forMs'.`,
    );
  if (forMs !== undefined && !(Number.isFinite(forMs) && forMs > 0 && forMs <= maxMs))
    throw refuse("remember", "'remember.forMs' must be a number of milliseconds above 0, at most ten years.");
  if (globs !== undefined && Object.keys(globs).length === 0)
    throw refuse(
      "remember",
      "'remember.arguments' names no argument, which would be a yes to all. Name some, or leave it out.",
    );
}

const maxMs = 10 * 366 * 86_400_000;

function refuse(parameter: string, message: string): PlaneError {
  return new PlaneError("USAGE", message, { data: { parameter } });
}
