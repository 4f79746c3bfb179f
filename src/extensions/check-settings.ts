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
  const knownKeys = isObject(properties) ? Object.keys(properties) : [];
  const isKnown = (key: string) => additionalProperties !== false || knownKeys.includes(key);
  const entries = Object.entries(value);
  const unknown = entries
    .filter(([key]) => !isKnown(key))
    .map(([path]) => ({ path, message: unknownKey(path, knownKeys) }));
  const knownValues = Object.fromEntries(entries.filter(([key]) => isKnown(key))) as JsonObject;
  return [
    ...unknown,
    ...(await calls.checkSchema(schema, unknown.length === 0 ? value : knownValues)),
  ];
}

function unknownKey(key: string, knownKeys: readonly string[]): string {
  if (knownKeys.length === 0) return "is unknown; nothing can be set";
  const [suggestion] = nearest(key, knownKeys, 1);
  return `is unknown; known are ${knownKeys.join(", ")}${suggestion === undefined ? "" : ` (did you mean '${suggestion}'?)`}`;
}

/** The settings with variables and secrets in their places. Rejects with everything that is wrong with them. */
export async function checkedSettings(
  { extension, settings, directory }: LoadedExtension & { extension: Extension },
  context: Pick<ExtensionsContext, "calls" | "environment" | "settings">,
): Promise<JsonObject> {
  const expansionProblems: Problem[] = [];
  const addProblem = (path: readonly (string | number)[], message: string) =>
    expansionProblems.push({ path: path.join("."), message });
  const expanded = expandEnvironment(
    settings,
    context.environment,
    (name, path) => addProblem(path, `refers to the variable ${name}, which is not set`),
    ({ message, hint }, path) => addProblem(path, `cannot be used: ${message}. ${hint}`),
  ) as JsonObject;
  const problems = [
    ...expansionProblems,
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

const stepNames: readonly string[] = ["start", "reload", "stop"];

/** What `setup` returned. A misspelled step would never be called. */
export function lifeOf(life: unknown): ExtensionLife {
  if (life === undefined || life === null) return {};
  if (!isObject(life))
    throw new Error(
      `it returns ${Array.isArray(life) ? "a list" : `a ${typeof life}`}; ${mayReturn}`,
    );
  for (const [key, step] of Object.entries(life)) {
    const [suggestion] = nearest(key, stepNames, 1);
    if (!stepNames.includes(key))
      throw new Error(
        `it returns '${key}'${suggestion === undefined ? "" : `, and '${suggestion}' may be meant`}; ${mayReturn}`,
      );
    if (step !== undefined && typeof step !== "function")
      throw new Error(`its '${key}' is no function; ${mayReturn}`);
  }
  return life;
}

const mayReturn = "it may return nothing, or an object with the functions start, reload and stop";
