import { type ModelEndpoint, openChatModel } from "@toolplane/core/calls";
import { withoutUndefined } from "@toolplane/core/lib/json/plain-data";
import type { ForeignModel } from "@toolplane/core/model/agent";
import { modelBrokeOff } from "@toolplane/core/model/agent/broken-replies";
import type {
  AskedCall,
  AssistantMessage,
  ChatContent,
  ChatContentBlock,
  ChatMessage,
  ChatModel,
  ModelPart,
  ModelRequest,
  ModelTool,
  ToolMessage,
} from "@toolplane/core/model/agent/chat";
import type { TokenUsage } from "@toolplane/core/model/agent/run-schema";
import { PlaneError } from "@toolplane/core/model/errors";
import { isObject, type UnknownObject } from "@toolplane/core/model/json";
import { callsIn, noUsage } from "../style.ts";
import { endOfRoom, maxArguments } from "./stream.ts";

/** As much of the interface as all of its versions have in common. */
type Streaming = ForeignModel & {
  doStream(options: UnknownObject): PromiseLike<{ stream: ReadableStream<UnknownObject> }>;
};

export function isForeignModel(value: unknown): value is Streaming {
  return (
    isObject(value) &&
    typeof value.doStream === "function" &&
    typeof value.specificationVersion === "string"
  );
}

/** In our words: what an endpoint wrote may repeat the key or the prompt. */
type ExplainFailure = (thrown: unknown) => PlaneError;

/** Read below the SDK's own loop, which parses arguments: invalid JSON has to reach the model as a mistake. */
export function createAiSdkModel(
  name: string,
  model: Streaming,
  explain: ExplainFailure,
): ChatModel {
  return {
    name,
    ...providerOf(model),
    modelId: model.modelId,
    async *stream(request) {
      let hasBegun = false;
      let unfinished = 0;
      let calls = 0;
      try {
        const { stream } = await model.doStream(toOptions(request, model.specificationVersion));
        for await (const part of readAll(stream)) {
          if (part.type === "tool-input-delta") unfinished += String(part.delta ?? "").length;
          if (unfinished > maxArguments) {
            yield endOfRoom(unfinished);
            return;
          }
          const modelPart = readPart(part);
          if (modelPart === null) continue;
          hasBegun = true;
          if (modelPart.type === "call") calls += 1;
          if (modelPart.type === "end" && modelPart.reason === "tool-calls" && calls === 0)
            yield namelessCall;
          yield modelPart;
        }
      } catch (thrown) {
        if (request.signal?.aborted)
          throw new PlaneError("CANCELLED", `Model '${name}' was not waited for any longer.`);
        if (isNameless(thrown)) {
          yield namelessCall;
          yield { type: "end", reason: "tool-calls", usage: noUsage };
          return;
        }
        throw hasBegun ? modelBrokeOff(name) : explain(thrown);
      }
    },
  };
}

/** The SDK drops a call without a name, or fails; a model has to read that it named none. */
const namelessCall: ModelPart = {
  type: "call",
  call: { id: "", type: "function", function: { name: "", arguments: "{}" } },
};

/** The SDK's error holds the piece of the stream that it could not use. */
function isNameless(thrown: unknown): boolean {
  if (!(thrown instanceof Error) || thrown.name !== "AI_InvalidResponseDataError") return false;
  const { data } = thrown as Error & { data?: unknown };
  if (!isObject(data) || (data.type ?? "function") !== "function") return false;
  return !isObject(data.function) || typeof data.function.name !== "string";
}

/** The SDK adds the kind of the model: `openai.chat`. */
function providerOf(model: object): { provider?: string } {
  const { provider } = model as { provider?: unknown };
  if (typeof provider === "string") return { provider: provider.replace(/\..*$/s, "") };
  return {};
}

function toOptions(request: ModelRequest, version: string): UnknownObject {
  const { messages, tools = [], temperature, maxOutputTokens, stop = [], signal } = request;
  return {
    prompt: toPrompt(messages, version),
    ...(tools.length > 0 && { tools: tools.map(toTool), toolChoice: { type: "auto" } }),
    ...(stop.length > 0 && { stopSequences: [...stop] }),
    ...withoutUndefined({ temperature, maxOutputTokens, abortSignal: signal }),
  };
}

function toTool({ name, description, parameters }: ModelTool): UnknownObject {
  return { type: "function", name, description, inputSchema: parameters };
}

/** Cancels the stream when its reader stops early. */
async function* readAll(stream: ReadableStream<UnknownObject>): AsyncGenerator<UnknownObject> {
  const reader = stream.getReader();
  let isOver = false;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      isOver = done;
      if (done) return;
      yield value;
    }
  } finally {
    if (!isOver) await reader.cancel().catch(() => undefined);
  }
}

function readPart(part: UnknownObject): ModelPart | null {
  if (part.type === "text-delta") return { type: "text", text: String(part.delta ?? "") };
  if (part.type === "reasoning-delta") return { type: "reasoning", text: String(part.delta ?? "") };
  if (part.type === "tool-call") return { type: "call", call: readCall(part) };
  if (part.type === "error") throw part.error;
  if (part.type !== "finish") return null;
  return { type: "end", reason: reasonOf(part.finishReason), usage: usageOf(part.usage) };
}

function readCall({ toolCallId, toolName, input }: UnknownObject): AskedCall {
  const text = typeof input === "string" ? input : (JSON.stringify(input) ?? "");
  return {
    id: String(toolCallId ?? ""),
    type: "function",
    function: { name: String(toolName ?? ""), arguments: text },
  };
}

/** A word in the older versions, the endpoint's own beside ours in the newer. */
function reasonOf(reason: unknown): string {
  if (typeof reason === "string") return reason;
  return isObject(reason) && typeof reason.unified === "string" ? reason.unified : "unknown";
}

function usageOf(usage: unknown): TokenUsage {
  const counts: UnknownObject = isObject(usage) ? usage : {};
  const { inputTokens, outputTokens, totalTokens, cachedInputTokens } = counts;
  const input = countOf(inputTokens);
  const output = countOf(outputTokens);
  const cachedTokens = countOf(isObject(inputTokens) ? inputTokens.cacheRead : cachedInputTokens);
  const tokens = {
    inputTokens: input,
    outputTokens: output,
    totalTokens: countOf(totalTokens) || input + output,
  };
  if (cachedTokens > 0) return { ...tokens, cachedTokens };
  return tokens;
}

/** What an endpoint does not tell counts as nothing. */
function countOf(tokens: unknown): number {
  const count = isObject(tokens) ? tokens.total : tokens;
  return typeof count === "number" && Number.isFinite(count) ? count : 0;
}

/** A conversation as the AI SDK's models take it. */
export function toPrompt(messages: readonly ChatMessage[], version: string): UnknownObject[] {
  const nameOf = new Map(callsIn(messages).map((call) => [call.id, call.function.name]));
  const isResult = (message: ChatMessage | undefined) => message?.role === "tool";
  return messages.flatMap((message, index): UnknownObject[] => {
    if (message.role === "assistant") return [toAssistant(message)];
    const { role, content } = message;
    if (role !== "tool")
      return [{ role, content: role === "system" ? textOf(content) : toParts(content, version) }];
    // All results of a turn are one message.
    if (isResult(messages[index - 1])) return [];
    const end = messages.findIndex(
      (following, followingIndex) => followingIndex > index && !isResult(following),
    );
    return toResults(
      messages.slice(index, end === -1 ? undefined : end) as ToolMessage[],
      nameOf,
      version,
    );
  });
}

function toAssistant({ content, tool_calls = [] }: AssistantMessage): UnknownObject {
  const text = textOf(content);
  return {
    role: "assistant",
    content: [
      ...(text === "" && tool_calls.length > 0 ? [] : [{ type: "text", text }]),
      ...tool_calls.map((call) => ({
        type: "tool-call",
        toolCallId: call.id,
        toolName: call.function.name,
        input: readArguments(call.function.arguments),
      })),
    ],
  };
}

/** Some endpoints refuse a conversation with invalid JSON in it. */
function readArguments(text: string): unknown {
  if (text.trim() === "") return {};
  try {
    return JSON.parse(text);
  } catch {
    return { unreadable: text };
  }
}

/** Few models take pictures from tools; all that see take them from the user. */
function toResults(
  results: readonly ToolMessage[],
  nameOf: ReadonlyMap<string, string>,
  version: string,
): UnknownObject[] {
  const pictures: ChatContentBlock[] = [];
  const content = results.map(({ tool_call_id: toolCallId, content: toolContent }) => {
    const toolName = nameOf.get(toolCallId) ?? "tool";
    const value = blocksOf(toolContent).map((block) => {
      if (block.type === "text") return block.text;
      pictures.push(
        { type: "text", text: `Picture ${pictures.length / 2 + 1}, from ${toolName}:` },
        block,
      );
      return `[picture ${pictures.length / 2}]`;
    });
    return {
      type: "tool-result",
      toolCallId,
      toolName,
      output: { type: "text", value: value.join("\n") },
    };
  });
  const toolMessage = { role: "tool", content };
  if (pictures.length === 0) return [toolMessage];
  return [toolMessage, { role: "user", content: toParts(pictures, version) }];
}

function toParts(content: ChatContent, version: string): UnknownObject[] {
  return blocksOf(content).map((block) => {
    if (block.type === "text") return { type: "text", text: block.text };
    return { type: "file", ...fileOf(block.image_url.url, version) };
  });
}

function fileOf(url: string, version: string): UnknownObject {
  const [, mediaType, data] = /^data:([^;,]+);base64,(.*)$/s.exec(url) ?? [];
  const isTagged = version !== "v2" && version !== "v3";
  if (mediaType === undefined || data === undefined) {
    const address = new URL(url);
    return { mediaType: "image/*", data: isTagged ? { type: "url", url: address } : address };
  }
  return { mediaType, data: isTagged ? { type: "data", data } : data };
}

function blocksOf(content: ChatContent): ChatContentBlock[] {
  if (typeof content === "string") return [{ type: "text", text: content }];
  return content;
}

function textOf(content: ChatContent): string {
  return blocksOf(content)
    .flatMap((block) => (block.type === "text" ? [block.text] : []))
    .join("\n");
}

export async function openEndpoint(
  name: string,
  endpoint: ModelEndpoint,
  explain: ExplainFailure,
): Promise<ChatModel> {
  const opened: unknown = await openChatModel(name, endpoint);
  if (!isForeignModel(opened))
    throw new PlaneError("INTERNAL", "The AI SDK has made a model without a stream.");
  return { ...createAiSdkModel(name, opened, explain), provider: "openai-compatible" };
}
