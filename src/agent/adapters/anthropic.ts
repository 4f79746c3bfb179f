import { isCutOff } from "../../model/agent/broken-replies.ts";
import type { AskedCall, ChatContentBlock } from "../../model/agent/chat.ts";
import type { CallAnswer, ProcessOptions, Toolset } from "../../model/agent.ts";
import { PlaneError } from "../../model/errors.ts";
import { isObject } from "../../model/json.ts";
import { answerCompleteCalls, readPicture } from "./answers.ts";

const shownTypes = ["image/jpeg", "image/png", "image/gif", "image/webp"] as const;
type ShownType = (typeof shownTypes)[number];

type ImageSource =
  | { type: "base64"; media_type: ShownType; data: string }
  | { type: "url"; url: string };
type ResultPart = { type: "text"; text: string } | { type: "image"; source: ImageSource };

/** The result of one call, as a block of an Anthropic message. */
export type ToolResultBlock = {
  type: "tool_result";
  tool_use_id: string;
  content: string | ResultPart[];
  is_error?: true;
};

/** The messages that follow on an answer of Claude: its own, and the results of its calls where it made any. */
export type AnthropicTurn<B> =
  | [{ role: "assistant"; content: B[] }]
  | [{ role: "assistant"; content: B[] }, { role: "user"; content: ToolResultBlock[] }];

/**
 * What follows on a message of Claude: the message itself, and where it used tools, one result for each use. The last
 * use of a message that was cut off is not made: its input looks whole, and what is missing is unknown.
 *
 * @example
 * const tools = await toolset.schemas("anthropic");
 * const message = await anthropic.messages.create({ model, messages, tools, max_tokens: 1024 });
 * messages.push(...(await answerAnthropicMessage(toolset, message)));
 */
export async function answerAnthropicMessage<B extends object>(
  toolset: Pick<Toolset, "answerCalls">,
  message: { content: readonly B[]; stop_reason?: unknown },
  options?: ProcessOptions,
): Promise<AnthropicTurn<B>> {
  if (!isObject(message) || !Array.isArray(message.content))
    throw new PlaneError(
      "USAGE",
      "The message cannot be read: its 'content' is not a list of blocks. Give a message as Anthropic's API returns it.",
    );
  const assistantMessage = { role: "assistant" as const, content: [...message.content] };
  const calls = message.content.flatMap(readToolUse);
  if (calls.length === 0) return [assistantMessage];
  const [cutCall] = isCutOff(message.stop_reason) ? readToolUse(message.content.at(-1)) : [];
  const answers = await answerCompleteCalls(
    toolset,
    calls,
    ({ id }) => id === cutCall?.id,
    options,
  );
  return [assistantMessage, { role: "user", content: answers.map(renderResult) }];
}

/** What Anthropic's own servers run is a block of another type. */
function readToolUse(block: unknown): AskedCall[] {
  if (!isObject(block) || block.type !== "tool_use") return [];
  const { id, name, input } = block;
  if (typeof id !== "string" || typeof name !== "string") return [];
  return [{ id, type: "function", function: { name, arguments: JSON.stringify(input ?? {}) } }];
}

function renderResult({ call, content, isError }: CallAnswer): ToolResultBlock {
  const block: ToolResultBlock = {
    type: "tool_result",
    tool_use_id: call.id,
    content: typeof content === "string" ? content : content.map(renderPart),
  };
  if (isError) block.is_error = true;
  return block;
}

function renderPart(block: ChatContentBlock): ResultPart {
  if (block.type === "text") return { type: "text", text: block.text };
  const picture = readPicture(block.image_url.url);
  if ("url" in picture) return { type: "image", source: { type: "url", url: picture.url } };
  const mediaType = shownTypes.find((type) => type === picture.mediaType);
  if (mediaType === undefined)
    return { type: "text", text: `[A picture of type ${picture.mediaType}.]` };
  return { type: "image", source: { type: "base64", media_type: mediaType, data: picture.data } };
}
