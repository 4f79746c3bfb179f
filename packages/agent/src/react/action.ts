import { parseLenientJson } from "@toolplane/core/lib/json/lenient-json";
import { isObject } from "@toolplane/core/model/json";
import type { Label, ReactToken } from "./lines.ts";

const escapes: Readonly<Record<string, string>> = { "\n": "\\n", "\t": "\\t" };

/**
 * Finds the end of a JSON object that begins with the first character; braces in texts do not count. Line breaks in
 * texts are escaped on the way: models often forget it, and they can mean nothing else.
 */
function createObjectScan() {
  let objectText = "";
  let depth = 0;
  let isText = false;
  let isEscaped = false;
  let isWhole = false;

  /** True once the object has ended; what comes after it is not taken. */
  function push(text: string): boolean {
    let from = 0;
    for (let index = 0; index < text.length && !isWhole; index++) {
      const character = text.charAt(index);
      const escapedCharacter = isText ? escapes[character] : undefined;
      if (escapedCharacter !== undefined) {
        objectText +=
          text.slice(from, index) + (isEscaped ? escapedCharacter.slice(1) : escapedCharacter);
        from = index + 1;
      }
      if (isEscaped) isEscaped = false;
      else if (isText && character === "\\") isEscaped = true;
      else if (character === '"') isText = !isText;
      else if (!isText && character === "{") depth++;
      else if (!isText && character === "}" && --depth === 0) {
        objectText += text.slice(from, index + 1);
        isWhole = true;
      }
    }
    if (!isWhole) objectText += text.slice(from);
    return isWhole;
  }

  return { push, end: () => ({ text: objectText, isWhole }) };
}

type ReadArguments = { arguments: string } | { problem: string };

/** The text of an object that was found in `Args`. */
function readObject({ text, isWhole }: { text: string; isWhole: boolean }): ReadArguments {
  if (!isWhole) return { problem: "The JSON of Args ends too early." };
  try {
    if (isObject(JSON.parse(text))) return { arguments: text };
    return { problem: notAnObject };
  } catch {
    const lenient = parseLenientJson(text);
    // What can be read in one way goes on as it was written; the path reads it, and says what was misspelt.
    if (lenient.text !== null) return { arguments: text };
    return { problem: `The JSON of Args is broken at position ${lenient.at}.` };
  }
}

const notAnObject = "Args must be a JSON object.";
const emptyWords: ReadonlySet<string> = new Set(["", "none", "null", "n/a"]);

/** What stood behind `Args` and is not an object. */
function readProse(prose: string): ReadArguments {
  const isEmpty = emptyWords.has(prose.replaceAll("`", "").trim().toLowerCase());
  if (isEmpty) return { arguments: "{}" };
  return { problem: notAnObject };
}

export type Action = { name: string; arguments: string };

/** Where in an action: in its name, in lines after it, behind `Args`, or in the object. */
type Part = "name" | "after" | "args" | "object";

/** Reads what stands behind `Action:`, a name and an object. Without an object it is an empty one. */
export function createActionReader() {
  const object = createObjectScan();
  let part: Part = "name";
  let name = "";
  let prose = "";
  let line = "";
  let isProse = false;

  function readLabel(label: Label): "more" | "over" | "answer" {
    if (part === "args") return "over";
    if (label === "args") {
      part = "args";
      return "more";
    }
    return label === "answer" && isNone(cleanName(name)) ? "answer" : "over";
  }

  function pushObject(text: string): "more" | "over" {
    return object.push(text) ? "over" : "more";
  }

  /** Some put the object behind the name. */
  function readName(text: string): "more" | "over" {
    const brace = text.indexOf("{");
    name += brace < 0 ? text : text.slice(0, brace);
    if (brace >= 0) {
      name = withoutLabel(name);
      part = "object";
      return pushObject(text.slice(brace));
    }
    if (!text.endsWith("\n")) return "more";
    if (name.trim() === "") name = "";
    else part = "after";
    return "more";
  }

  /** An object begins with the first thing on a line, except for fences; other lines say nothing. */
  function readLine(text: string): "more" | "over" {
    const brace = isProse ? -1 : text.indexOf("{");
    if (brace >= 0) {
      isProse = !isBlank(line + text.slice(0, brace));
      if (!isProse) part = "object";
    }
    if (part === "object") return pushObject(text.slice(brace));
    line += text;
    if (text.endsWith("\n")) endLine();
    return "more";
  }

  function endLine(): void {
    if (part === "args" && !isBlank(line)) prose += line;
    line = "";
    isProse = false;
  }

  function readWritten(): ReadArguments {
    endLine();
    if (part === "object") return readObject(object.end());
    return readProse(prose);
  }

  return {
    /** `over`: nothing after it counts. `answer`: it was no action, and an answer follows. */
    hear(token: ReactToken): "more" | "over" | "answer" {
      if (part === "object") return pushObject(token.text);
      if (token.kind === "label") return readLabel(token.label);
      if (token.kind === "fence") return "more";
      if (part === "name") return readName(token.text);
      return readLine(token.text);
    },
    end(): Action | { problem: string } {
      const clean = cleanName(name);
      if (clean === "") return { problem: "The Action has no name." };
      const written = readWritten();
      if ("problem" in written) return written;
      return { name: clean, ...written };
    },
  };
}

/** The rest of a fence, or nothing. */
function isBlank(text: string): boolean {
  return /^(json)?$/i.test(text.replaceAll("`", "").trim());
}

function isNone(name: string): boolean {
  return /^(none|null|n\/a)?$/i.test(name);
}

const maxName = 200;

/** What stands between a name and its object on one line: `search Args: {…}`, `search({…})`. */
function withoutLabel(name: string): string {
  if (name.length > maxName) return name;
  return name
    .replace(/(?<![\s:(])[\s:(]+$/, "")
    .replace(/(?:args|arguments|action input)$/i, "")
    .replace(/(?<![\s(])[\s(]+$/, "");
}

const surroundingMarks = "\"'`*“”‘’[]<>";

/** Without what models put around a name. */
function cleanName(written: string): string {
  const name = written.trim();
  let from = 0;
  let to = name.length;
  while (from < to && surroundingMarks.includes(name.charAt(from))) from++;
  while (to > from && `${surroundingMarks}.,;`.includes(name.charAt(to - 1))) to--;
  return name.slice(from, to).trim();
}
