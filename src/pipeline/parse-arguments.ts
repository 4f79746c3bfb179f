import { repairTruncatedJson } from "../lib/repair-json.ts";
import { PlaneError } from "../model/errors.ts";
import { isObject, type JsonObject } from "../model/json.ts";

export type ParsedArguments = { arguments: JsonObject; repaired: boolean };

/** Arguments as a model, a script or a program gives them. What is not an object never runs as `{}`. */
export function parseArguments(given: unknown, tool: string): ParsedArguments {
  if (given === undefined || given === null || given === "") return { arguments: {}, repaired: false };
  if (typeof given !== "string") return { arguments: requireObject(given, tool), repaired: false };
  if (given.trim() === "") return { arguments: {}, repaired: false };
  try {
    const parsed: unknown = JSON.parse(given);
    return { arguments: parsed === null ? {} : requireObject(parsed, tool), repaired: false };
  } catch (thrown) {
    if (thrown instanceof PlaneError) throw thrown;
    const repaired = repairTruncatedJson(given);
    if (isObject(repaired) && Object.keys(repaired).length > 0)
      return { arguments: repaired as JsonObject, repaired: true };
    throw invalid(tool, `are not valid JSON${placeOf(thrown)}`);
  }
}

/** Only the place: the message of a parser repeats the text, and errors are recorded. */
function placeOf(thrown: unknown): string {
  const place = /at position \d+/.exec((thrown as Error).message)?.[0];
  return place === undefined ? "" : ` ${place}`;
}

function requireObject(value: unknown, tool: string): JsonObject {
  if (isObject(value)) return value as JsonObject;
  const kind = Array.isArray(value) ? "a list" : `a ${typeof value}`;
  throw invalid(tool, `must be a JSON object, not ${kind}`);
}

function invalid(tool: string, what: string): PlaneError {
  return new PlaneError("INVALID_ARGUMENTS", `The arguments of '${tool}' ${what}.`, { data: { tool } });
}
