import { orCancelled } from "../lib/async/cancellation.ts";
import { TimeLimiter } from "../lib/async/time-limit.ts";
import { rewriteText } from "../lib/json/json-text.ts";
import { errorText } from "../lib/text/error-text.ts";
import type { Executed, Routed } from "../model/calls/call.ts";
import { normalizeResult, type ToolResult } from "../model/calls/result.ts";
import { PlaneError } from "../model/errors.ts";
import type { ExecuteStage } from "../model/extensions/extension.ts";
import { endedError } from "./attempt.ts";
import type { Around } from "./execute.ts";

/** The stages of extensions around the providers, the first outermost. */
export function aroundStages(stages: readonly ExecuteStage[], inner: Around | null): Around | null {
  if (stages.length === 0) return inner;
  return async (call, executing, run) => {
    const { limit } = call.route;
    const limiter = new TimeLimiter(limit.ms, { capMs: limit.ms, caller: executing.cancellation });
    let executed: Executed | undefined;
    let failure: unknown;
    let running: Promise<ToolResult> | undefined;

    function ended() {
      const data = { tool: call.tool.name, callId: call.id, sent: executed !== undefined };
      return endedError(limiter, limit, data, " An extension had the call.");
    }

    async function execute() {
      // Nothing runs for a call that has ended.
      if (limiter.isCancelled) throw ended();
      // The providers have a limit of their own, and progress extends it.
      const goOn = limiter.pause();
      try {
        executed = await (inner ? inner(call, executing, run) : run(call, executing));
        return executed.executed.result;
      } catch (thrown) {
        failure = thrown;
        throw thrown;
      } finally {
        goOn();
      }
    }

    // A tool is executed once, however often a stage asks for its result.
    function innermost() {
      running ??= execute();
      return running;
    }

    try {
      const answer = await orCancelled(runStages(stages, call, limiter, innermost), limiter);
      return withResult(answer, executed ?? call);
    } catch (thrown) {
      // A provider that is at work says itself how the call ended.
      if (limiter.isCancelled) await running?.catch(() => undefined);
      // A failed provider is reported as such, with what it says about another attempt.
      if (failure !== undefined && (thrown === failure || limiter.isCancelled)) throw failure;
      if (limiter.isCancelled) throw ended();
      if (thrown instanceof PlaneError) throw thrown;
      const message = `An extension stopped the call: ${errorText(thrown)}`;
      throw new PlaneError("PROVIDER_FAILED", message, {
        data: { sent: executed !== undefined },
        cause: thrown,
      });
    } finally {
      limiter.clear();
    }
  };
}

function runStages(
  stages: readonly ExecuteStage[],
  call: Routed,
  { signal }: TimeLimiter,
  innermost: () => Promise<ToolResult>,
): Promise<ToolResult> {
  const { id, tool, input, principal } = call;
  const stageCall = { id, tool: tool.name, arguments: input.arguments, principal, signal };
  return stages.reduceRight<() => Promise<ToolResult>>(
    (next, stage) => async () => {
      const answer: unknown = await stage(stageCall, next);
      // Most likely a forgotten `return`; the result of the tool would be lost in silence.
      if (answer === undefined)
        throw new Error("it returned nothing; a stage returns what 'next' gives, or a result");
      return answer as ToolResult;
    },
    innermost,
  )();
}

/** Of the providers, or of a stage that answered instead of them. */
function withResult(answer: ToolResult, call: Executed | Routed): Executed {
  const { result, warnings } = normalizeResult(answer);
  // It may be the object of the provider with other content.
  rewriteText(result);
  const unexecuted = { provider: "extension", attempts: [], warnings: [] };
  const { provider, attempts, ...fields } = "executed" in call ? call.executed : unexecuted;
  return {
    ...call,
    executed: {
      ...fields,
      provider,
      attempts,
      result,
      warnings: [...fields.warnings, ...warnings],
    },
  };
}
