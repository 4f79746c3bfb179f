import { PlaneError } from "../model/errors.ts";

/** A stream that ended without an end. What was said until then may be half a sentence. */
export function modelBrokeOff(model: string): PlaneError {
  return new PlaneError("PROVIDER_FAILED", `Model '${model}' failed: it broke off in the middle of its answer.`, {
    data: { sent: true },
  });
}
