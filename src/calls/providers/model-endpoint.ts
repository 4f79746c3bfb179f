import { withoutUndefined } from "../../lib/json/plain-data.ts";
import type { ConfigValues } from "../../model/config/config.ts";
import { PlaneError } from "../../model/errors.ts";
import { isObject } from "../../model/json.ts";
import { explainModelFailure } from "./http.ts";

const timeoutMs = 30_000;

type Models = { models: ConfigValues["models"]; keyOf: ModelKeys };

/** With its key in the clear: never stored or shown. */
export type ModelEndpoint = { baseURL: string; model: string; apiKey?: string | undefined };

/** Reads the key of a model on use. */
export type ModelKeys = (name: string, written: string) => Promise<string>;

/** Asks a configured model for vectors (`/embeddings`). Its own words stay out of errors: they may repeat the key. */
export async function embedWith(
  name: string,
  { models, keyOf }: Models,
  texts: readonly string[],
): Promise<number[][]> {
  const trouble = modelTrouble(name, models);
  if (trouble !== null)
    throw new PlaneError("CONFIG_INVALID", `The search cannot use its model: ${trouble}.`);
  const { baseURL, model, apiKey } = await endpointOf(name, models, keyOf);
  try {
    const response = await send(`${baseURL.replace(/(?<!\/)\/+$/, "")}/embeddings`, {
      method: "POST",
      redirect: "error",
      headers: {
        "content-type": "application/json",
        ...(apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }),
      },
      body: JSON.stringify({ model, input: texts, encoding_format: "float" }),
      signal: AbortSignal.timeout(timeoutMs),
    });
    if (!response.ok) {
      await response.body?.cancel();
      throw asFailure(new Error("refused"), { statusCode: response.status });
    }
    return readVectors(await response.json(), texts.length);
  } catch (thrown) {
    throw explainModelFailure(thrown, name);
  }
}

async function send(url: string, request: Parameters<typeof fetch>[1]): Promise<Response> {
  try {
    return await fetch(url, request);
  } catch (thrown) {
    throw asFailure(new Error("not reached", { cause: thrown }), {});
  }
}

/** As the library says it that asks models for text. */
function asFailure(error: Error, facts: { statusCode?: number }): Error {
  return Object.assign(error, facts, { name: "AI_APICallError" });
}

function readVectors(answer: unknown, count: number): number[][] {
  const data: unknown[] = isObject(answer) && Array.isArray(answer.data) ? answer.data : [];
  const vectors: number[][] = [];
  for (const [rowIndex, row] of data.entries()) {
    if (!isObject(row) || !Array.isArray(row.embedding)) continue;
    if (!row.embedding.every((value) => typeof value === "number" && Number.isFinite(value)))
      continue;
    vectors[typeof row.index === "number" ? row.index : rowIndex] = row.embedding as number[];
  }
  if (vectors.length === count && !vectors.includes(undefined as never)) return vectors;
  throw new Error("the answer has no vector for each text");
}

export function modelTrouble(name: string, models: ConfigValues["models"]): string | null {
  const model = Object.hasOwn(models, name) ? models[name] : undefined;
  if (model === undefined) return `model '${name}' is not in 'models' of the configuration`;
  if (model.provider !== "openai-compatible")
    return `model '${name}' is of the kind '${model.provider}'; only openai-compatible can be asked`;
  if (model.baseURL !== undefined) return null;
  return `model '${name}' has no 'baseURL'`;
}

/** Variables were filled in when the configuration was read; other secrets are read on use. */
export async function endpointOf(
  name: string,
  models: ConfigValues["models"],
  keyOf: ModelKeys,
): Promise<ModelEndpoint> {
  const { baseURL = "", model = "", apiKey } = models[name] ?? {};
  if (apiKey === undefined) return { baseURL, model };
  return { baseURL, model, apiKey: await keyOf(name, apiKey) };
}

/** A language model of the AI SDK. Loads the SDK, which takes half a second. */
export async function openChatModel(name: string, { baseURL, model, apiKey }: ModelEndpoint) {
  const { createOpenAICompatible } = await import("@ai-sdk/openai-compatible");
  const provider = createOpenAICompatible({
    name,
    baseURL,
    includeUsage: true,
    ...withoutUndefined({ apiKey }),
  });
  return provider.chatModel(model);
}
