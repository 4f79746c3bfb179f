import { withoutUndefined } from "@toolplane/core/lib/json/plain-data";
import type {
  ChatContentBlock,
  ChatMessage,
  ModelPart,
  ModelRequest,
} from "@toolplane/core/model/agent/chat";
import type { SamplingAsked } from "@toolplane/core/model/calls/question-schema";
import { readMedia } from "@toolplane/core/model/calls/result";
import { isObject, type UnknownObject } from "@toolplane/core/model/json";
import { limitParts } from "./models/stream.ts";
import { type ModelReply, readReply } from "./style.ts";

/** What a server that says nothing about it gets, and the most that any gets. */
const defaultTokens = 512;

export type SamplingRequest = {
  request: Pick<ModelRequest, "messages" | "temperature" | "maxOutputTokens" | "stop">;
  /** Parts of the names of models that the server would like, best first. */
  hints: string[];
  /** Tokens it would have liked, where that is more than it gets. */
  wanted: number | null;
};

/** A server's request for a model's words; a text where it cannot be made sense of. */
export function readSampling(params: UnknownObject, tokenLimit: number): SamplingRequest | string {
  const { messages, systemPrompt, temperature, maxTokens, stopSequences, modelPreferences } =
    params;
  if (!Array.isArray(messages) || messages.length === 0)
    return "'messages' must be a list with a message in it";
  if (params.tools !== undefined) return "'tools' cannot be used here: ask without them";
  const readMessages = messages.map(readMessage);
  const problem = readMessages.find((message) => typeof message === "string");
  if (problem !== undefined) return problem;
  const requestedTokens = isPositive(maxTokens) ? Math.floor(maxTokens) : defaultTokens;
  const sequences: unknown[] = Array.isArray(stopSequences) ? stopSequences : [];
  const stop = sequences.filter((text) => typeof text === "string");
  const hasPrompt = typeof systemPrompt === "string" && systemPrompt !== "";
  const system: ChatMessage[] = hasPrompt ? [{ role: "system", content: systemPrompt }] : [];
  return {
    request: {
      messages: [...system, ...(readMessages as ChatMessage[])],
      maxOutputTokens: Math.min(requestedTokens, tokenLimit),
      ...withoutUndefined({
        temperature: typeof temperature === "number" ? temperature : undefined,
        stop: stop.length > 0 ? stop : undefined,
      }),
    },
    hints: hintsIn(modelPreferences),
    wanted: requestedTokens > tokenLimit ? requestedTokens : null,
  };
}

/** For a person; a picture is named, not shown. */
export function showSampling({ request }: SamplingRequest, hasModel: boolean): SamplingAsked {
  const [first, ...further] = request.messages;
  const isSystem = first?.role === "system";
  const dialogue = isSystem ? further : request.messages;
  return {
    systemPrompt: isSystem ? String(first.content) : null,
    messages: dialogue.map(({ role, content }) => ({
      role: role === "assistant" ? role : "user",
      text: typeof content === "string" ? content : (content ?? []).map(blockText).join("\n"),
    })),
    maxTokens: request.maxOutputTokens ?? defaultTokens,
    hasModel,
  };
}

const blockText = (block: ChatContentBlock) => (block.type === "text" ? block.text : "[a picture]");

function readMessage(message: unknown, index: number): ChatMessage | string {
  const { role, content } = isObject(message) ? message : {};
  if (role !== "user" && role !== "assistant")
    return `message ${index + 1} must have the role user or assistant`;
  const blocks = (Array.isArray(content) ? content : [content]).map(readBlock);
  if (blocks.includes(null))
    return `message ${index + 1} holds something that is neither a text nor a picture`;
  return { role, content: blocks as ChatContentBlock[] };
}

function readBlock(block: unknown): ChatContentBlock | null {
  if (!isObject(block)) return null;
  if (block.type === "text" && typeof block.text === "string")
    return { type: "text", text: block.text };
  if (block.type !== "image") return null;
  const media = readMedia({ ...block, type: "image" });
  if ("problem" in media) return null;
  return {
    type: "image_url",
    image_url: { url: `data:${media.mimeType};base64,${String(block.data)}` },
  };
}

function isPositive(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value) && value >= 1;
}

function hintsIn(preferences: unknown): string[] {
  const { hints } = isObject(preferences) ? preferences : {};
  if (!Array.isArray(hints)) return [];
  return hints.flatMap((hint) =>
    isObject(hint) && typeof hint.name === "string" ? [hint.name] : [],
  );
}

type KnownModel = { name: string; model: string };

/** The first hint that anything fits decides: a name of ours before the name an endpoint gives it. */
export function chooseByHints(
  hints: readonly string[],
  models: readonly KnownModel[],
): string | undefined {
  for (const hint of hints.map((text) => text.toLowerCase()).filter((text) => text !== "")) {
    const hinted =
      models.find(({ name }) => name.toLowerCase().includes(hint)) ??
      models.find(({ model }) => model.toLowerCase().includes(hint));
    if (hinted) return hinted.name;
  }
  return undefined;
}

export function collectReply(parts: AsyncIterable<ModelPart>): Promise<ModelReply> {
  return readReply(limitParts(parts));
}

/** Reasoning is not for servers. */
export function toSamplingResult(model: string, { text, reason }: ModelReply): UnknownObject {
  const stopReason = reason === "length" ? "maxTokens" : "endTurn";
  return { role: "assistant", content: { type: "text", text }, model, stopReason };
}
