import { withoutUndefined } from "@toolplane/core/lib/json/plain-data";
import type { ChatModel, ModelPart } from "@toolplane/core/model/agent/chat";
import type { TokenUsage } from "@toolplane/core/model/agent/run-schema";
import type { ModelPrice } from "@toolplane/core/model/config/config";

const million = 1_000_000;

/** A model whose answers say what they cost. */
export function pricedModel(model: ChatModel, price: ModelPrice): ChatModel {
  const { name, provider, modelId } = model;
  return {
    name,
    ...withoutUndefined({ provider, modelId }),
    stream: (request) => withCosts(model.stream(request), price),
  };
}

async function* withCosts(
  parts: AsyncIterable<ModelPart>,
  price: ModelPrice,
): AsyncGenerator<ModelPart> {
  for await (const part of parts)
    yield part.type === "end" ? { ...part, usage: withCost(part.usage, price) } : part;
}

/** None where the endpoint did not count what it read: that is unknown, not free. */
export function withCost(
  usage: TokenUsage,
  { input, output, cached = input, currency }: ModelPrice,
): TokenUsage {
  const { inputTokens, outputTokens, cachedTokens = 0 } = usage;
  if (inputTokens === 0) return usage;
  const inputCost =
    Math.max(0, inputTokens - cachedTokens) * input + Math.min(cachedTokens, inputTokens) * cached;
  return {
    ...usage,
    cost: { amount: roundedCost((inputCost + outputTokens * output) / million), unit: currency },
  };
}

/** To a billionth: sums of fractions end in noise. */
export function roundedCost(amount: number): number {
  return Math.round(amount * 1e9) / 1e9;
}
