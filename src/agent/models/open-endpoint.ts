import type { ChatModel } from "../../model/agent/chat.ts";
import { PlaneError } from "../../model/errors.ts";
import { createAiSdkModel, type ExplainFailure, isForeignModel } from "./ai-sdk-model.ts";

/** An endpoint of the kind OpenAI made common, with its key in the clear: for use, not to be kept or shown. */
export type Endpoint = { baseURL: string; model: string; apiKey?: string | undefined };

/** Half a second of loading that only those pay who ask a model. */
export async function openEndpoint(
  name: string,
  { baseURL, model, apiKey }: Endpoint,
  explain: ExplainFailure,
): Promise<ChatModel> {
  const { createOpenAICompatible } = await import("@ai-sdk/openai-compatible");
  const provider = createOpenAICompatible({
    name,
    baseURL,
    includeUsage: true,
    ...(apiKey === undefined ? {} : { apiKey }),
  });
  const opened: unknown = provider.chatModel(model);
  if (!isForeignModel(opened)) throw new PlaneError("INTERNAL", "The AI SDK has made a model without a stream.");
  return { ...createAiSdkModel(name, opened, explain), provider: "openai-compatible" };
}
