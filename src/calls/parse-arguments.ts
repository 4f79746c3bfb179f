import { noteExactNumbers } from "../lib/exact-numbers.ts";
import { repairTruncatedJson } from "../lib/repair-json.ts";
import { respellJson } from "../lib/respell-json.ts";
import { PlaneError } from "../model/errors.ts";
import { isObject, type JsonObject } from "../model/json.ts";

export type ParsedArguments = {
  arguments: JsonObject;
  /** Was it completed, or read although it is no valid JSON? */
  repaired: boolean;
  /** What was spelt otherwise than in JSON. */
  respelt?: string[];
};

/**
 * Arguments as a model, a script or a program gives them. What is not an object never runs as `{}`. What can be read
 * in one way only is read; what was cut off is completed for tools that only read, and for others as far as brackets
 * alone are missing.
 */
export function parseArguments(given: unknown, tool: string, onlyReads = true): ParsedArguments {
  if (given === undefined || given === null || given === "") return { arguments: {}, repaired: false };
  if (typeof given !== "string") return { arguments: requireObject(given, tool), repaired: false };
  if (given.trim() === "") return { arguments: {}, repaired: false };
  try {
    return { arguments: parse(given, tool), repaired: false };
  } catch (thrown) {
    if (thrown instanceof PlaneError) throw thrown;
    return repair(given, tool, onlyReads);
  }
}

function parse(text: string, tool: string): JsonObject {
  const parsed: unknown = JSON.parse(text);
  noteExactNumbers(parsed, text);
  return parsed === null ? {} : requireObject(parsed, tool);
}

function repair(given: string, tool: string, onlyReads: boolean): ParsedArguments {
  const read = respellJson(given);
  if (read.text?.startsWith("{"))
    return { arguments: parse(read.text, tool), repaired: true, respelt: read.changes };
  const completed = repairTruncatedJson(given);
  if (completed === undefined || Object.keys(completed.value).length === 0)
    throw invalid(
      tool,
      `are not valid JSON: ${read.text === null ? placeOf(read) : "they must be an object"}`,
    );
  if (completed.isGuess && !onlyReads)
    throw invalid(
      tool,
      "were cut off, and what was to come is not guessed for a tool that may change something. Give them whole",
    );
  return { arguments: completed.value as JsonObject, repaired: true };
}

/** Only the place: errors are recorded, and the text may hold anything. */
function placeOf({
  at,
  line,
  column,
  isEnd,
}: {
  at: number;
  line: number;
  column: number;
  isEnd: boolean;
}): string {
  if (isEnd) return "they end too early";
  return `they break at position ${at} (line ${line}, column ${column})`;
}

function requireObject(value: unknown, tool: string): JsonObject {
  if (isObject(value)) return value as JsonObject;
  const kind = Array.isArray(value) ? "a list" : `a ${typeof value}`;
  throw invalid(tool, `must be a JSON object, not ${kind}`);
}

function invalid(tool: string, what: string): PlaneError {
  return new PlaneError("INVALID_ARGUMENTS", `The arguments of '${tool}' ${what}.`, { data: { tool } });
}
