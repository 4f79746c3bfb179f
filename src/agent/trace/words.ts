import { indentJson } from "../../lib/json/render-json.ts";
import type { AgentRun } from "../../model/agent/agent-run.ts";
import type { ContentBlock } from "../../model/agent/chat.ts";

/** JSON on lines of its own, to the letter as it was written; anything else as it is. */
export function prettyJson(text: string): string {
  const trimmed = text.trim();
  if (!/^[{[]/.test(trimmed)) return text;
  try {
    JSON.parse(trimmed);
  } catch {
    return text;
  }
  return indentJson(trimmed).replaceAll(/^ +/gm, (spaces) => spaces + spaces);
}

export function durationOf(ms: number): string {
  if (ms < 10) return `${Math.round(ms * 10) / 10} ms`;
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  return ms < 60_000 ? `${(ms / 1_000).toFixed(2)} s` : `${(ms / 60_000).toFixed(1)} min`;
}

export function numberOf(count: number): string {
  return count.toLocaleString("en-US");
}

export function momentOf(at: string): string {
  return at.slice(0, 19).replace("T", " ");
}

export const outcomeWords = {
  completed: "completed",
  "max-iterations": "stopped after its last turn",
  budget: "stopped at its budget",
  failed: "failed",
  cancelled: "cancelled",
} as const satisfies Record<AgentRun["outcome"], string>;

/** Why the model stopped each time, where that is known. */
export function finishesOf({ steps }: Pick<AgentRun, "steps">): string {
  return steps.flatMap(({ finish }) => finish ?? []).join(", ");
}

export const cutOffWords = "the answer was cut off at the model's limit";

/** A picture that a text cannot show. */
export function pictureOf({ image_url: { url } }: ContentBlock & { type: "image_url" }): string {
  return url.startsWith("data:") ? `[picture ${url.slice(5).replace(/[;,].*$/s, "")}]` : `[picture ${url}]`;
}
