import { PlaneError } from "../errors.ts";
import { isObject } from "../json.ts";
import type { AskedCall } from "./chat.ts";

/** What endpoints call it when a model had to stop before it was done. */
const cutReasons: ReadonlySet<unknown> = new Set([
  "length",
  "max_tokens",
  "max_output_tokens",
  "model_context_window_exceeded",
  "incomplete",
  "content-filter",
  "content_filter",
  "refusal",
]);

export function isCutOff(reason: unknown): boolean {
  return cutReasons.has(reason);
}

/** Of these, what says that the model, or a filter before it, would not go on: no room would have helped. */
const refusals: ReadonlySet<unknown> = new Set(["content-filter", "content_filter", "refusal"]);

export function isRefused(reason: unknown): boolean {
  return refusals.has(reason);
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

/** An empty reply: `what` follows the model's name; `modelMessage` is sent to the model. */
export type EmptyReply = { what: string; remedy: string; modelMessage: string };

export function emptyReplyOf(reason: string): EmptyReply {
  if (reason === "length" || reason === "max_tokens")
    return {
      what: "had no room left before it said anything",
      remedy: "Give it more with 'maxOutputTokens', or ask for less",
      modelMessage: "Your answer had no room left before it began. Answer more briefly.",
    };
  if (isRefused(reason))
    return {
      what: "was stopped by its content filter",
      remedy: "Ask in other words, or ask another model",
      modelMessage:
        "Your answer was stopped by a content filter. Answer in another way, or say that you cannot.",
    };
  return {
    what: "said nothing",
    remedy: "Ask in other words, or ask another model",
    modelMessage: "You said nothing. Answer the question, or call a tool.",
  };
}

/** It was asked once more, and was silent again: asking on changes nothing. */
export function emptyReplyError(model: string, { what, remedy }: EmptyReply): PlaneError {
  return new PlaneError("PROVIDER_FAILED", `Model '${model}' ${what}, twice in a row. ${remedy}.`, {
    data: { sent: true },
  });
}

/** A stream that ended without an end. What was said until then may be half a sentence. */
export function modelBrokeOff(model: string): PlaneError {
  return new PlaneError(
    "PROVIDER_FAILED",
    `Model '${model}' failed: it broke off in the middle of its answer.`,
    {
      data: { sent: true },
    },
  );
}
