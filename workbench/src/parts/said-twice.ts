import { isObject, type UnknownObject } from "../../../src/model/json.ts";
import { ExactNumber, readJson } from "../api/exact-json.ts";

/** Servers repeat structured content as a text, for clients that do not know it. Such a text is not shown again. */
export function isSaidTwice(block: UnknownObject, structured: unknown): boolean {
  if (block.type !== "text" || typeof block.text !== "string" || Object.keys(block).length > 2)
    return false;
  const { text } = block;
  if (!/^\s*[[{"\d]/.test(text.slice(0, 50))) return false;
  const structuredText = JSON.stringify(structured);
  if (text === structuredText) return true;
  // Only what has about as much in it can be the same, in another order or with other spaces.
  if (text.length > maxCompared || text.length < structuredText.length) return false;
  try {
    return isSame(readJson(text), structured);
  } catch {
    return false;
  }
}

const maxCompared = 1_000_000;

function isSame(a: unknown, b: unknown): boolean {
  if (a instanceof ExactNumber || b instanceof ExactNumber) return String(a) === String(b);
  if (Array.isArray(a) && Array.isArray(b))
    return a.length === b.length && a.every((member, index) => isSame(member, b[index]));
  if (!isObject(a) || !isObject(b) || Array.isArray(a) || Array.isArray(b)) return a === b;
  const names = Object.keys(a);
  return (
    names.length === Object.keys(b).length &&
    names.every((name) => name in b && isSame(a[name], b[name]))
  );
}
