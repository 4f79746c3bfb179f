import type { ProviderSpec } from "../../model/catalogue/tool.ts";
import { PlaneError } from "../../model/errors.ts";
import type { NotForeign } from "../../model/foreign.ts";
import { isObject, type JsonObject } from "../../model/json.ts";
import { type Environment, workingDirectory } from "../environment.ts";
import type { AddedReaders } from "./read-secret.ts";
import {
  expandEnvironment,
  mapTexts,
  type SecretReference,
  splitSecrets,
  type UnknownKind,
} from "./references.ts";

type SecretOptions = { directory: string; added?: AddedReaders | undefined };

/** Puts secrets in the place of their references. Called at the moment of use, so that they are not kept. */
export async function resolveSecrets<T>(
  value: T & NotForeign<T>,
  options: SecretOptions,
): Promise<T> {
  const secrets = new Map<string, string>();
  // One after the other: two programs that ask a person at the same time would be in each other's way.
  for (const reference of secretsIn(value)) {
    if (secrets.has(reference.text)) continue;
    const { readSecret } = await import("./read-secret.ts");
    secrets.set(reference.text, await readSecret(reference, options.directory, options.added));
  }
  const resolve = (part: string | SecretReference) =>
    typeof part === "string" ? part : (secrets.get(part.text) ?? "");
  return mapTexts(value, (text) => splitSecrets(text).map(resolve).join("")) as T;
}

function* secretsIn(value: unknown): Generator<SecretReference> {
  if (typeof value === "string") {
    yield* splitSecrets(value).filter((part) => typeof part !== "string");
  } else if (Array.isArray(value) || isObject(value)) {
    for (const inner of Object.values(value)) yield* secretsIn(inner);
  }
}

/** What stands for a secret is not handed on as a text. */
function refuseUnknown({ kind, message, hint }: UnknownKind): never {
  const text = `A secret cannot be read: ${message}. ${hint}`;
  throw new PlaneError("CONFIG_INVALID", text, { data: { kind } });
}

/** A provider's configuration with its variables and secrets in their places. For use, not to be kept or shown. */
export function revealConfig(
  { config, base }: ProviderSpec,
  environment: Environment,
  added?: AddedReaders,
): Promise<JsonObject> {
  const expanded = expandEnvironment(
    config,
    environment,
    () => undefined,
    refuseUnknown,
  ) as JsonObject;
  return resolveSecrets(expanded, { directory: base ?? workingDirectory(), added });
}
