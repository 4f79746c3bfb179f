import { isRawJSON } from "../../lib/json/exact-numbers.ts";
import { createPatternReplacer } from "../../lib/text/linear-pattern.ts";
import { redact } from "../../lib/text/redact.ts";
import type { ToolResult } from "../../model/calls/result.ts";
import type { Config } from "../../model/config/config.ts";

type Settings = Config["results"]["redact"];

const mark = "[redacted]";
const longWord = /[A-Za-z0-9+/_=-]{20,512}/g;
/** Bits per character. Written words have less than 3.5, random ones of this length more than 3.8. */
const minEntropy = 3.7;

export function createTextRedactor({
  secrets,
  entropy,
  patterns,
}: Settings): (text: string) => string {
  const replace = createPatternReplacer(patterns, mark);
  return (text) => {
    const withoutSecrets = secrets ? redact(text) : text;
    const withoutRandom = entropy
      ? withoutSecrets.replaceAll(longWord, (candidate) => (isRandom(candidate) ? mark : candidate))
      : withoutSecrets;
    return replace(withoutRandom);
  };
}

/** Replaces secrets in the texts of a result; images and other binary data stay. */
export function createResultRedactor(settings: Settings): (result: ToolResult) => ToolResult {
  const hide = createTextRedactor(settings);

  function walk(value: unknown, key = ""): unknown {
    if (typeof value === "string")
      return key === "data" || key === "blob" || key === "type" ? value : hide(value);
    if (Array.isArray(value)) return value.map((inner) => walk(inner));
    if (typeof value !== "object" || value === null || isRawJSON(value)) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, inner]) => [name, walk(inner, name)]),
    );
  }

  return (result) => walk(result) as ToolResult;
}

/** Of letters and digits, and with no character more likely than another. */
function isRandom(text: string): boolean {
  if (!/\d/.test(text) || !/[A-Za-z]/.test(text)) return false;
  const counts = new Map<string, number>();
  for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1);
  const bits = [...counts.values()].reduce(
    (sum, count) => sum - count * Math.log2(count / text.length),
    0,
  );
  return bits / text.length >= minEntropy;
}
