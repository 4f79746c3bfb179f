import type { TimeLimiter } from "../lib/async/time-limit.ts";
import type { TimeLimit } from "../model/calls/call.ts";
import { type ErrorData, PlaneError } from "../model/errors.ts";

/** Why a call that was not finished ended: its time was over, or nobody waits for it any more. */
export function ended(
  limiter: TimeLimiter,
  limit: TimeLimit,
  data: ErrorData & { tool: string },
  also = "",
): PlaneError {
  if (!limiter.expired()) return new PlaneError("CANCELLED", `The call of '${data.tool}' was cancelled.`, { data });
  const { ms, setBy } = limit;
  return new PlaneError(
    "TIMEOUT",
    `'${data.tool}' did not answer within ${ms / 1000} s (limit of the ${setBy}).${also}`,
    { data: { ...data, limitMs: ms, limitSetBy: setBy } },
  );
}
