import { sliceText } from "../../../src/lib/text/cut-text.ts";
import { makeVisible } from "../../../src/lib/text/unseen.ts";

const maxDepth = 64;
const maxTexts = 5_000;

/** Shorter texts cannot instruct a model. */
const minText = 8;

export type PlacedText = { where: string; text: string };

const isEscaped = /[~/]/;

/** Every text of a definition with its JSON pointer, including names of properties. */
export function collectTexts(value: unknown, where = ""): PlacedText[] {
  const found: PlacedText[] = [];
  const visit = (at: unknown, pointer: string, depth: number): void => {
    if (found.length >= maxTexts || depth > maxDepth) return;
    if (typeof at === "string") {
      if (at.length >= minText || !isPlain(at)) found.push({ where: pointer, text: at });
    } else if (Array.isArray(at)) {
      for (const [index, item] of at.entries()) visit(item, `${pointer}/${index}`, depth + 1);
    } else if (typeof at === "object" && at !== null) {
      for (const [key, item] of Object.entries(at)) {
        const inner = `${pointer}/${isEscaped.test(key) ? key.replaceAll("~", "~0").replaceAll("/", "~1") : key}`;
        // A long name may be a text.
        if (key.length > 24 || !isPlain(key)) found.push({ where: inner, text: key });
        visit(item, inner, depth + 1);
      }
    }
  };
  visit(value, where, 0);
  return found;
}

/** The lane of all texts in the order that they stand in. */
const whole = "*";
/** What does not continue a sentence. */
const apart = new Set([
  whole,
  "name",
  "properties",
  "required",
  "type",
  "format",
  "$ref",
  "$schema",
]);

/** Texts that are read one after the other: all names, all descriptions and so on, by the key that they stand under. */
export function lanesOf(value: unknown): Map<string, string[]> {
  const lanes = new Map<string, string[]>();
  let count = 0;
  const put = (lane: string, text: string) => {
    if (count++ > 2 * maxTexts) return;
    const texts = lanes.get(lane);
    if (texts) texts.push(text);
    else lanes.set(lane, [text]);
    if (!apart.has(lane)) put(whole, text);
  };
  const visit = (at: unknown, lane: string, depth: number): void => {
    if (typeof at === "string") return put(lane, at);
    if (depth > maxDepth || typeof at !== "object" || at === null) return;
    if (Array.isArray(at)) {
      for (const item of at) visit(item, lane, depth + 1);
      return;
    }
    const areNames = lane === "properties" || lane === "$defs";
    for (const [key, item] of Object.entries(at)) {
      if (areNames) put("properties", key);
      visit(item, areNames ? "" : key, depth + 1);
    }
  };
  visit(value, "", 0);
  return lanes;
}

const beyondPlain = /[^\0-~]/;

function isPlain(text: string): boolean {
  return !beyondPlain.test(text);
}

const around = 60;

export function excerptOf(text: string, from: number, to = from): string {
  const start = Math.max(0, from - around);
  const end = Math.min(text.length, Math.min(to, from + 2 * around) + around);
  const shown = makeVisible(sliceText(text, start, end)).replaceAll(/\s+/g, " ");
  return `${start > 0 ? "…" : ""}${shown}${end < text.length ? "…" : ""}`;
}
