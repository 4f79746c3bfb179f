import { dirname } from "node:path";
import { resolveSecrets } from "../../../config/secrets/resolve-secrets.ts";
import type { ConfigValues } from "../../../model/config/config.ts";



/** An endpoint of the kind OpenAI made common, with its key in the clear: for use, not to be kept or shown. */
export type ModelEndpoint = { baseURL: string; model: string; apiKey?: string | undefined };

/** Why a configured model cannot be asked, or null. */
export function modelTrouble(name: string, models: ConfigValues["models"]): string | null {
  const model = Object.hasOwn(models, name) ? models[name] : undefined;
  if (model === undefined) return `model '${name}' is not in 'models' of the configuration`;
  if (model.provider !== "openai-compatible")
    return `model '${name}' is of the kind '${model.provider}'; only openai-compatible can be asked`;
  return model.baseURL === undefined ? `model '${name}' has no 'baseURL'` : null;
}

/** The environment is in its place since the configuration was read; other secrets are read when they are used. */
export async function endpointOf(
  name: string,
  models: ConfigValues["models"],
  fileOfModel: (name: string) => string | undefined,
): Promise<ModelEndpoint> {
  const { baseURL = "", model = "", apiKey } = models[name] ?? {};
  const directory = dirname(fileOfModel(name) ?? "");
  return { baseURL, model, ...(await resolveSecrets(apiKey === undefined ? {} : { apiKey }, { directory })) };
}
