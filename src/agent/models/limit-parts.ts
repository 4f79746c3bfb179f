import type { ModelPart } from "../../model/agent/chat.ts";

/** No answer is as long, and a model that never ends would fill the memory. */
const maxText = 1_000_000;
export const maxArguments = 4_000_000;
const charactersPerToken = 4;

/** Of an endless reply only so much is heard; the rest counts as cut off, and what was heard as used. */
export async function* limitParts(parts: AsyncIterable<ModelPart>): AsyncGenerator<ModelPart> {
  const heard = { text: 0, arguments: 0 };
  for await (const part of parts) {
    if (part.type === "text" || part.type === "reasoning") heard.text += part.text.length;
    if (part.type === "call") heard.arguments += part.call.function.arguments.length;
    if (heard.text > maxText || heard.arguments > maxArguments) {
      yield endOfRoom(heard.text + heard.arguments);
      return;
    }
    yield part;
  }
}

export function endOfRoom(characters: number): ModelPart {
  const tokens = Math.ceil(characters / charactersPerToken);
  return {
    type: "end",
    reason: "length",
    usage: { inputTokens: 0, outputTokens: tokens, totalTokens: tokens },
  };
}
