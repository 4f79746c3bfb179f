import type { AgentRunner } from "@toolplane/core/agent";
import { type AgentTools, toOffered } from "./agent-tools.ts";
import { createRepeatDetector, runCalls } from "./run-calls.ts";

/** Calls of a model that a program runs itself. */
export function createAnswerCalls(tools: AgentTools): AgentRunner["answerCalls"] {
  return async (calls, { principal, toolset, options, isCut }) => {
    const named = await tools.named({ principal, toolset });
    const called = await runCalls(calls, {
      offered: named.map((namedTool) => toOffered(namedTool, tools.mayChange)),
      // The program that runs the model decides how much of a result it reads.
      call: tools.call(named, { principal, toolset, options: { ...options, maxResultBytes: 0 } }),
      memory: createRepeatDetector(),
      callsLeft: Number.POSITIVE_INFINITY,
      isCut,
      signal: options.signal,
    });
    return called.map(({ observation }) => observation);
  };
}
