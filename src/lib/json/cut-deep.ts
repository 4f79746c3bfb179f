import { endOfString } from "./json-members.ts";

const quote = 0x22;
const openBrace = 0x7b;
const closeBrace = 0x7d;
const openBracket = 0x5b;
const closeBracket = 0x5d;

/** JSON with null for every object and list that is nested deeper. Text that is not JSON stays so. */
export function cutDeep(text: string, deepest: number): string {
  const parts: string[] = [];
  let keptFrom = 0;
  let depth = 0;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code === quote) index = endOfString(text, index);
    else if (code === openBrace || code === openBracket) {
      depth += 1;
      if (depth === deepest + 1) parts.push(text.slice(keptFrom, index), "null");
    } else if (code === closeBrace || code === closeBracket) {
      if (depth === deepest + 1) keptFrom = index + 1;
      depth -= 1;
    }
  }
  parts.push(text.slice(keptFrom));
  return parts.join("");
}

/** A copy of a value with null for what is nested deeper. */
export function cutDeepValue(value: unknown, deepest: number): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (deepest <= 0) return null;
  if (Array.isArray(value)) return value.map((item) => cutDeepValue(item, deepest - 1));
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, cutDeepValue(inner, deepest - 1)]),
  );
}
