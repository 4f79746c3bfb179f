import { withoutUndefined } from "../../lib/json/plain-data.ts";
import { redactDeep } from "../../lib/text/redact.ts";
import type { AgentRun, AgentStep } from "../../model/agent/agent-run.ts";
import { keptMessage, keptText, messagesFor } from "./kept-messages.ts";

/** A run as it is kept: as much of the conversation as its trace says, and nowhere what looks like a secret. */
export function keptRun(run: AgentRun): AgentRun {
  const { question, answer, reasoning, error, steps, trace, messages } = run;
  return {
    // What is added for the caller alone, the conversation to go on with, is not kept.
    ...summaryOf(run),
    question: keptText(question),
    answer: answer === null ? null : keptText(answer),
    reasoning: reasoning === null ? null : keptText(reasoning),
    error: redactDeep(error),
    steps: steps.map(keptStep),
    messages: messagesFor(trace, messages).map(keptMessage),
  };
}

function summaryOf({ id, at, durationMs, user, style, model, toolset, conversation, ...rest }: AgentRun) {
  const { outcome, turns, usage, counters, trace, truncated, waiting, missing } = rest;
  return {
    ...{ id, at, durationMs, user, style, model: keptText(model), toolset, conversation },
    ...{ outcome, turns, usage, counters, trace },
    ...withoutUndefined({ truncated, waiting, missing: redactDeep(missing) }),
  };
}

/** Names and ids of calls are what a model wrote. */
function keptStep(step: AgentStep): AgentStep {
  const calls = step.calls.map((call) => ({ ...call, id: keptText(call.id), tool: keptText(call.tool) }));
  return { ...step, calls };
}
