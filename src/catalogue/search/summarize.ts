import { sliceText } from "../../lib/text/cut-text.ts";
import { plainText } from "../../lib/text/plain-text.ts";
import { isObject } from "../../model/json.ts";
import type { Findable } from "./fields.ts";

/** The first sentence on one line, with "…" where it had to be cut. */
export function summarize(description: string, limit: number): string {
  const [paragraph = ""] = plainText(description)
    .trim()
    .split(/\n\s*\n/, 1);
  const text = paragraph.replaceAll(/\s+/g, " ").trim();
  // "e.g. this" and "v1.2" do not end a sentence; the full stop of a Chinese one needs no space.
  const end = /(?<!\b(?:e\.g|i\.e|etc|vs|approx))[.!?](?=\s+[^a-z\s])|[。！？]/.exec(text);
  const first = end === null ? text : text.slice(0, end.index + end[0].length);
  if (first.length <= limit) return first;
  const cut = sliceText(first, 0, limit - 1);
  const word = cut.lastIndexOf(" ");
  return `${(word > limit / 2 ? cut.slice(0, word) : cut).trimEnd()}…`;
}

export function requiredOf({ parameters }: Findable): string[] {
  const { required, properties } = parameters;
  if (!Array.isArray(required)) return [];
  const known = isObject(properties) ? properties : null;
  return required.filter(
    (name): name is string => typeof name === "string" && (known === null || Object.hasOwn(known, name)),
  );
}
