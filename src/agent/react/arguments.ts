import { respellJson } from "../../lib/respell-json.ts";
import { isObject } from "../../model/json.ts";

export type ObjectScan = {
  /** True once the object has ended; what comes after it is not taken. */
  push(text: string): boolean;
  /** What was taken, and whether it is whole. */
  end(): { text: string; isWhole: boolean };
};

const escapes: Readonly<Record<string, string>> = { "\n": "\\n", "\t": "\\t" };

/**
 * Finds the end of a JSON object that begins with the first character; braces in texts do not count. Line breaks in
 * texts are escaped on the way: models often forget it, and they can mean nothing else.
 */
export function createObjectScan(): ObjectScan {
  let taken = "";
  let depth = 0;
  let isText = false;
  let isEscaped = false;
  let isWhole = false;

  function push(text: string): boolean {
    let from = 0;
    for (let at = 0; at < text.length && !isWhole; at++) {
      const character = text.charAt(at);
      const instead = isText ? escapes[character] : undefined;
      if (instead !== undefined) {
        taken += text.slice(from, at) + (isEscaped ? instead.slice(1) : instead);
        from = at + 1;
      }
      if (isEscaped) isEscaped = false;
      else if (isText && character === "\\") isEscaped = true;
      else if (character === '"') isText = !isText;
      else if (!isText && character === "{") depth++;
      else if (!isText && character === "}" && --depth === 0) {
        taken += text.slice(from, at + 1);
        isWhole = true;
      }
    }
    if (!isWhole) taken += text.slice(from);
    return isWhole;
  }

  return { push, end: () => ({ text: taken, isWhole }) };
}

export type ReadArguments = { arguments: string } | { problem: string };

/** The text of an object that was found in `Args`. */
export function readObject({ text, isWhole }: { text: string; isWhole: boolean }): ReadArguments {
  if (!isWhole) return { problem: "The JSON of Args ends too early." };
  try {
    return isObject(JSON.parse(text)) ? { arguments: text } : { problem: notAnObject };
  } catch {
    const read = respellJson(text);
    // What can be read in one way goes on as it was written; the path reads it, and says what was misspelt.
    if (read.text !== null) return { arguments: text };
    return {
      problem: `The JSON of Args is broken at position ${read.at}.`,
    };
  }
}

const notAnObject = "Args must be a JSON object.";
const nothing: ReadonlySet<string> = new Set(["", "none", "null", "n/a"]);

/** What stood behind `Args` and is no object. */
export function readProse(prose: string): ReadArguments {
  const isNothing = nothing.has(prose.replaceAll("`", "").trim().toLowerCase());
  return isNothing ? { arguments: "{}" } : { problem: notAnObject };
}
