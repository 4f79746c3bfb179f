import { inOrder } from "../lib/in-order.ts";
import type { AgentVerbs, GenerateRequest } from "../model/agent-verbs.ts";
import { PlaneError, reportError, toPlaneError } from "../model/errors.ts";

const usualParallel = 8;

/** Many prompts, some at a time, all on the sessions of one plane. */
export function createGenerateAll(generate: AgentVerbs["generate"]): AgentVerbs["generateAll"] {
  return (requests, options = {}) => {
    const { parallel = usualParallel, signal, ...shared } = options;
    if (!Number.isInteger(parallel) || parallel < 1)
      throw new PlaneError("USAGE", "'parallel' must be a whole number from 1 on.");
    const inOrderOptions = { parallel, ...(signal ? { signal } : {}) };
    return inOrder(requests, inOrderOptions, async (given, index, running) => {
      const request: GenerateRequest = typeof given === "string" ? { prompt: given } : given;
      const either = request.signal ? AbortSignal.any([request.signal, running]) : running;
      try {
        const generation = await generate({ ...shared, ...request, signal: either });
        return { index, generation, error: generation.error };
      } catch (thrown) {
        // What could not begin is told in its place; the others go on.
        return { index, generation: null, error: reportError(toPlaneError(thrown)) };
      }
    });
  };
}
