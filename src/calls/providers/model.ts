import { withoutUndefined } from "../../lib/json/plain-data.ts";
import type { Provider } from "../../model/calls/provider.ts";
import { ModelProviderConfig } from "../../model/calls/provider-kinds.ts";
import type { ToolResult } from "../../model/calls/result.ts";
import { PlaneError } from "../../model/errors.ts";
import type { Json, JsonObject } from "../../model/json.ts";
import { explainModelFailure } from "./http.ts";
import { type Reveal, readConfig, resultOf } from "./mapping.ts";
import { type ModelEndpoint, openChatModel } from "./model-endpoint.ts";

export function createModelProvider(
  reveal: Reveal,
  findModel: (name: string) => Promise<ModelEndpoint>,
): Provider {
  return async (spec, args, { signal }) => {
    const config = await readConfig(spec, reveal, (revealed) =>
      ModelProviderConfig.parse(revealed),
    );
    const endpoint = await findModel(config.model);
    const text = await generate(config, fillPrompt(config.prompt, args), endpoint, signal);
    if (config.resultFormat === "json") return resultOf(parseAnswer(text, config.model));
    return { content: text === "" ? [] : [{ type: "text", text }] } satisfies ToolResult;
  };
}

async function generate(
  { model: name, system, resultFormat, temperature, maxOutputTokens }: ModelProviderConfig,
  prompt: string,
  endpoint: ModelEndpoint,
  abortSignal: AbortSignal,
): Promise<string> {
  const model = await openChatModel(name, endpoint);
  const formatInstruction =
    resultFormat === "json" ? "Answer with one JSON value and nothing else." : "";
  const instructions = [system ?? "", formatInstruction].filter((part) => part !== "").join("\n\n");
  try {
    // Below the SDK's loop, which retries: retries are decided in one place for all providers.
    const { content } = await model.doGenerate({
      prompt: [
        ...(instructions === "" ? [] : [{ role: "system" as const, content: instructions }]),
        { role: "user", content: [{ type: "text", text: prompt }] },
      ],
      abortSignal,
      ...withoutUndefined({ temperature, maxOutputTokens }),
    });
    return content.flatMap((part) => (part.type === "text" ? part.text : [])).join("");
  } catch (thrown) {
    throw explainModelFailure(thrown, name);
  }
}

/** Models often put JSON between fences. */
export function parseAnswer(text: string, model: string): Json {
  const trimmed = text.trim();
  try {
    return JSON.parse(withoutFence(trimmed)) as Json;
  } catch {
    const text = `Model '${model}' failed: its answer is no JSON.`;
    throw new PlaneError("PROVIDER_FAILED", text, { data: { sent: true } });
  }
}

function withoutFence(text: string): string {
  if (!text.endsWith("```")) return text;
  const fence = /^```(?:json)?[^\S\n]*\n/.exec(text)?.[0];
  return fence === undefined ? text : text.slice(fence.length, -3);
}

/** Fills `{{name}}`, and `{{*}}` with all; a missing argument leaves it empty. Values are not read again. */
export function fillPrompt(template: string, args: JsonObject): string {
  return template.replaceAll(/\{\{([^{}]+)\}\}/g, (_, inside: string) => {
    const value = argumentNamed(args, inside.trim());
    if (typeof value === "string") return value;
    return JSON.stringify(value);
  });
}

function argumentNamed(args: JsonObject, name: string): Json {
  if (Object.hasOwn(args, name)) return args[name] as Json;
  return name === "*" ? args : "";
}
