import { PlaneError } from "../model/errors.ts";

/** A model that has said nothing: in words after its name, and what it is told. */
export type Silence = { what: string; remedy: string; told: string };

export function silenceOf(reason: string): Silence {
  if (reason === "length" || reason === "max_tokens")
    return {
      what: "had no room left before it said anything",
      remedy: "Give it more with 'maxOutputTokens', or ask for less",
      told: "Your answer had no room left before it began. Answer more briefly.",
    };
  if (reason === "content-filter" || reason === "content_filter")
    return {
      what: "was stopped by its content filter",
      remedy: "Ask in other words, or ask another model",
      told: "Your answer was stopped by a content filter. Answer in another way, or say that you cannot.",
    };
  return {
    what: "said nothing",
    remedy: "Ask in other words, or ask another model",
    told: "You said nothing. Answer the question, or call a tool.",
  };
}

/** It was asked once more, and was silent again: asking on changes nothing. */
export function stayedSilent(model: string, { what, remedy }: Silence): PlaneError {
  return new PlaneError("PROVIDER_FAILED", `Model '${model}' ${what}, twice in a row. ${remedy}.`, {
    data: { sent: true },
  });
}
