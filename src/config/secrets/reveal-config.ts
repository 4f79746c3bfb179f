import type { ProviderSpec } from "../../model/catalogue/tool.ts";
import type { JsonObject } from "../../model/json.ts";
import { workingDirectory } from "../environment.ts";
import { type Environment, expandEnvironment } from "./expand-environment.ts";
import { resolveSecrets } from "./resolve-secrets.ts";

/** A provider's configuration with its variables and secrets in their places. For use, not to be kept or shown. */
export function revealConfig({ config, base }: ProviderSpec, environment: Environment): Promise<JsonObject> {
  const expanded = expandEnvironment(config, environment, () => undefined) as JsonObject;
  return resolveSecrets(expanded, { directory: base ?? workingDirectory() });
}
