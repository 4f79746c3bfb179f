import type { AskedCall } from "../model/agent/chat.ts";
import type { CallAnswer, ProcessOptions, Toolset } from "../model/agent.ts";

import { isObject } from "../model/json.ts";

/** What endpoints call it when a model had to stop before it was done. */
const cutReasons: ReadonlySet<unknown> = new Set([
  ...["length", "max_tokens", "max_output_tokens", "model_context_window_exceeded", "incomplete"],
  ...["content-filter", "content_filter"],
]);

export function isCutOff(reason: unknown): boolean {
  return cutReasons.has(reason);
}

/** Is there all of it? What is left out altogether may not have been begun. */
export function hasWholeArguments({ function: { arguments: text } }: AskedCall): boolean {
  try {
    return isObject(JSON.parse(text));
  } catch {
    return false;
  }
}

export function cutOffText(name: string): string {
  return `'${name}' was not run: your reply was cut off before its arguments were whole. Ask for it again in a shorter reply, or do it in smaller parts.`;
}

/** Answers those calls that are whole by making them; the others are never made. */
export async function answerWhole(
  toolset: Pick<Toolset, "answerCalls">,
  calls: readonly AskedCall[],
  isCut: (call: AskedCall) => boolean,
  options: ProcessOptions | undefined,
): Promise<CallAnswer[]> {
  const whole = calls.filter((call) => !isCut(call));
  const answers = whole.length === 0 ? [] : await toolset.answerCalls(whole, options);
  const answerTo = new Map(whole.map((call, at) => [call, answers[at]]));
  return calls.map((call) => answerTo.get(call) ?? refused(call));
}

function refused(call: AskedCall): CallAnswer {
  return { call, content: `Error: ${cutOffText(call.function.name)}`, isError: true };
}
