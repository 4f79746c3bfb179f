import type { LoadedExtension } from "../config/config.ts";
import { expandEnvironment } from "../config/config.ts";
import { nearest } from "../lib/text/nearest.ts";
import { sentence } from "../lib/text/wording.ts";
import { PlaneError } from "../model/errors.ts";
import type { Extension, ExtensionLife } from "../model/extensions/extension.ts";
import { isObject, type JsonObject } from "../model/json.ts";
import type { ExtensionsContext } from "./context.ts";

type Problem = { path: string; message: string };

export const emptyInput: JsonObject = {
  type: "object",
  properties: {},
  additionalProperties: false,
};

/** All that is wrong at once. The keys that are not known are named, which the validator does not. */
export async function checkAgainst(
  schema: JsonObject,
  value: JsonObject,
  { calls }: Pick<ExtensionsContext, "calls">,
): Promise<readonly Problem[]> {
  const { properties, additionalProperties } = schema;
  const known = isObject(properties) ? Object.keys(properties) : [];
  const isKnown = (key: string) => additionalProperties !== false || known.includes(key);
  const entries = Object.entries(value);
  const unknown = entries
    .filter(([key]) => !isKnown(key))
    .map(([path]) => ({ path, message: unknownKey(path, known) }));
  const rest = Object.fromEntries(entries.filter(([key]) => isKnown(key))) as JsonObject;
  return [...unknown, ...(await calls.checkSchema(schema, unknown.length === 0 ? value : rest))];
}

function unknownKey(key: string, known: readonly string[]): string {
  if (known.length === 0) return "is unknown; nothing can be set";
  const [near] = nearest(key, known, 1);
  return `is unknown; known are ${known.join(", ")}${near === undefined ? "" : ` (did you mean '${near}'?)`}`;
}

/** The settings with variables and secrets in their places. Rejects with everything that is wrong with them. */
export async function checkedSettings(
  { extension, settings: written, directory }: LoadedExtension & { extension: Extension },
  context: Pick<ExtensionsContext, "calls" | "environment" | "settings">,
): Promise<JsonObject> {
  const wrong: Problem[] = [];
  const say = (path: readonly (string | number)[], message: string) =>
    wrong.push({ path: path.join("."), message });
  const expanded = expandEnvironment(
    written,
    context.environment,
    (name, path) => say(path, `refers to the variable ${name}, which is not set`),
    ({ message, hint }, path) => say(path, `cannot be used: ${message}. ${hint}`),
  ) as JsonObject;
  const problems = [
    ...wrong,
    ...(await checkAgainst(extension.settings ?? emptyInput, expanded, context)),
  ];
  if (problems.length > 0)
    throw new PlaneError(
      "CONFIG_INVALID",
      `Its settings are wrong: ${sentence(renderAll(problems))}`,
    );
  return context.settings.withSecrets(expanded, directory);
}

/** A path is a JSON pointer of the validator, or a key. */
export function renderAll(problems: readonly Problem[]): string {
  const named = problems.map(
    ({ path, message }) => [path.replace(/^\//, "").replaceAll("/", "."), message] as const,
  );
  return named
    .map(([name, message]) => (name === "" ? message : `'${name}' ${message}`))
    .join("; ");
}

const steps: readonly string[] = ["start", "reload", "stop"];

/** What `setup` returned. A misspelled step would never be called. */
export function lifeOf(given: unknown): ExtensionLife {
  if (given === undefined || given === null) return {};
  if (!isObject(given))
    throw new Error(
      `it returns ${Array.isArray(given) ? "a list" : `a ${typeof given}`}; ${mayReturn}`,
    );
  for (const [key, step] of Object.entries(given)) {
    const [near] = nearest(key, steps, 1);
    if (!steps.includes(key))
      throw new Error(
        `it returns '${key}'${near === undefined ? "" : `, and '${near}' may be meant`}; ${mayReturn}`,
      );
    if (step !== undefined && typeof step !== "function")
      throw new Error(`its '${key}' is no function; ${mayReturn}`);
  }
  return given;
}

const mayReturn = "it may return nothing, or an object with the functions start, reload and stop";
