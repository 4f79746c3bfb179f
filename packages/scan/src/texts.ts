import { sliceText } from "@toolplane/core/lib/text/cut-text";
import { makeVisible } from "@toolplane/core/lib/text/unseen";

const maxDepth = 64;
const maxTexts = 5_000;

/** Shorter texts cannot instruct a model. */
const minText = 8;

export type PlacedText = { where: string; text: string };

const isEscaped = /[~/]/;

/** Every text of a definition with its JSON pointer, including names of properties. */
export function collectTexts(value: unknown, where = ""): PlacedText[] {
  const texts: PlacedText[] = [];
  const visit = (node: unknown, pointer: string, depth: number): void => {
    if (texts.length >= maxTexts || depth > maxDepth) return;
    if (typeof node === "string") {
      if (node.length >= minText || !isPlain(node)) texts.push({ where: pointer, text: node });
    } else if (Array.isArray(node)) {
      for (const [index, child] of node.entries()) visit(child, `${pointer}/${index}`, depth + 1);
    } else if (typeof node === "object" && node !== null) {
      for (const [key, child] of Object.entries(node)) {
        const inner = `${pointer}/${isEscaped.test(key) ? key.replaceAll("~", "~0").replaceAll("/", "~1") : key}`;
        // A long name may be a text.
        if (key.length > 24 || !isPlain(key)) texts.push({ where: inner, text: key });
        visit(child, inner, depth + 1);
      }
    }
  };
  visit(value, where, 0);
  return texts;
}

/** The lane of all texts in the order that they stand in. */
const wholeLane = "*";
/** What does not continue a sentence. */
const separateLanes = new Set([
  wholeLane,
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
  const addText = (lane: string, text: string) => {
    if (count++ > 2 * maxTexts) return;
    const texts = lanes.get(lane);
    if (texts) texts.push(text);
    else lanes.set(lane, [text]);
    if (!separateLanes.has(lane)) addText(wholeLane, text);
  };
  const visit = (node: unknown, lane: string, depth: number): void => {
    if (typeof node === "string") return addText(lane, node);
    if (depth > maxDepth || typeof node !== "object" || node === null) return;
    if (Array.isArray(node)) {
      for (const child of node) visit(child, lane, depth + 1);
      return;
    }
    const areNames = lane === "properties" || lane === "$defs";
    for (const [key, child] of Object.entries(node)) {
      if (areNames) addText("properties", key);
      visit(child, areNames ? "" : key, depth + 1);
    }
  };
  visit(value, "", 0);
  return lanes;
}

const beyondPlain = /[^\0-~]/;

function isPlain(text: string): boolean {
  return !beyondPlain.test(text);
}

const contextLength = 60;

export function excerptOf(text: string, from: number, to = from): string {
  const start = Math.max(0, from - contextLength);
  const end = Math.min(text.length, Math.min(to, from + 2 * contextLength) + contextLength);
  const excerpt = makeVisible(sliceText(text, start, end)).replaceAll(/\s+/g, " ");
  return `${start > 0 ? "…" : ""}${excerpt}${end < text.length ? "…" : ""}`;
}
