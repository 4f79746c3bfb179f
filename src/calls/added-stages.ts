import { signalOf } from "../lib/async/cancellation.ts";
import { rewriteText } from "../lib/json/json-text.ts";
import { errorText } from "../lib/text/error-text.ts";
import type { Executed } from "../model/calls/call.ts";
import { normalizeResult, type ToolResult } from "../model/calls/result.ts";
import { PlaneError } from "../model/errors.ts";
import type { ExecuteStage } from "../model/extensions/extension.ts";
import type { Around } from "./execute.ts";

const never = new AbortController().signal;

/** The stages of extensions around the providers, the first outermost. */
export function aroundStages(stages: readonly ExecuteStage[], inner: Around | null): Around | null {
  if (stages.length === 0) return inner;
  return async (call, executing, run) => {
    let executed: Executed | undefined;
    let failure: unknown;
    const innermost = async () => {
      try {
        executed = await (inner ? inner(call, executing, run) : run(call, executing));
        return executed.executed.result;
      } catch (thrown) {
        failure = thrown;
        throw thrown;
      }
    };
    const shown = {
      id: call.id,
      tool: call.tool.name,
      arguments: call.input.arguments,
      principal: call.principal,
      signal: signalOf(executing.cancellation) ?? never,
    };
    const outermost = stages.reduceRight<() => Promise<ToolResult>>(
      (next, stage) => async () => stage(shown, next),
      innermost,
    );
    const given = await outermost().catch((thrown) => {
      // A failed provider is reported as such, with what it says about another attempt.
      if (thrown === failure || thrown instanceof PlaneError) throw thrown;
      const message = `An extension stopped the call: ${errorText(thrown)}`;
      throw new PlaneError("PROVIDER_FAILED", message, { data: { sent: executed !== undefined }, cause: thrown });
    });
    const { result, warnings } = normalizeResult(given);
    // It may be the object of the provider with other content.
    rewriteText(result);
    const { provider, attempts, ...rest } = executed?.executed ?? { provider: "extension", attempts: [], warnings: [] };
    return {
      ...(executed ?? call),
      executed: { ...rest, provider, attempts, result, warnings: [...rest.warnings, ...warnings] },
    };
  };
}
