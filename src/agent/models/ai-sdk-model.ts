import type {
  AskedCall,
  AssistantMessage,
  ChatContent,
  ChatMessage,
  ChatModel,
  ContentBlock,
  ModelPart,
  ModelRequest,
  SpokenMessage,
  TokenUsage,
  ToolMessage,
} from "../../model/agent/chat.ts";
import type { ForeignModel } from "../../model/agent.ts";

import { PlaneError } from "../../model/errors.ts";
import { isObject, type UnknownObject } from "../../model/json.ts";
import { modelBrokeOff } from "../broken-replies.ts";
import { endOfRoom, maxArguments } from "./stream.ts";

/** As much of the interface as all of its versions have in common. */
type Streaming = ForeignModel & {
  doStream(options: UnknownObject): PromiseLike<{ stream: ReadableStream<UnknownObject> }>;
};

export function isForeignModel(value: unknown): value is Streaming {
  return isObject(value) && typeof value.doStream === "function" && typeof value.specificationVersion === "string";
}

/** Says in our words what went wrong; what an endpoint wrote may repeat the key or the prompt. */
type ExplainFailure = (thrown: unknown) => PlaneError;

/**
 * A model of the AI SDK. Its stream is read below the SDK's own loop: that one parses arguments, and what is no JSON
 * has to reach the model's next turn as a mistake it can correct.
 */
export function createAiSdkModel(name: string, model: Streaming, explain: ExplainFailure): ChatModel {
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
          const said = readPart(part);
          if (said === null) continue;
          hasBegun = true;
          if (said.type === "call") calls += 1;
          if (said.type === "end" && said.reason === "tool-calls" && calls === 0) yield nameless;
          yield said;
        }
      } catch (thrown) {
        if (request.signal?.aborted) throw cancelled(name);
        if (isNameless(thrown)) {
          yield nameless;
          yield { type: "end", reason: "tool-calls", usage: usageOf(undefined) };
          return;
        }
        throw hasBegun ? modelBrokeOff(name) : explain(thrown);
      }
    },
  };
}

/** The SDK drops a call without a name, or fails; a model has to read that it named none. */
const nameless: ModelPart = {
  type: "call",
  call: { id: "", type: "function", function: { name: "", arguments: "{}" } },
};

function isNameless(thrown: unknown): boolean {
  return thrown instanceof Error && thrown.message.includes("'function.name'");
}

/** The SDK adds the kind of the model: `openai.chat`. */
function providerOf(model: object): { provider?: string } {
  const { provider } = model as { provider?: unknown };
  return typeof provider === "string" ? { provider: provider.replace(/\..*$/s, "") } : {};
}

function toOptions(request: ModelRequest, version: string): UnknownObject {
  const { messages, tools = [], temperature, maxOutputTokens, stop, signal } = request;
  return {
    prompt: toPrompt(messages, version),
    ...(tools.length === 0
      ? {}
      : {
          tools: tools.map(({ name, description, parameters }) => ({
            type: "function",
            name,
            description,
            inputSchema: parameters,
          })),
          toolChoice: { type: "auto" },
        }),
    ...(temperature === undefined ? {} : { temperature }),
    ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
    ...(stop === undefined || stop.length === 0 ? {} : { stopSequences: [...stop] }),
    ...(signal === undefined ? {} : { abortSignal: signal }),
  };
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
  const { inputTokens, outputTokens, totalTokens } = isObject(usage) ? usage : {};
  const [input, output] = [countOf(inputTokens), countOf(outputTokens)];
  return { inputTokens: input, outputTokens: output, totalTokens: countOf(totalTokens) || input + output };
}

/** What an endpoint does not tell counts as nothing. */
function countOf(tokens: unknown): number {
  const count = isObject(tokens) ? tokens.total : tokens;
  return typeof count === "number" && Number.isFinite(count) ? count : 0;
}

function cancelled(name: string): PlaneError {
  return new PlaneError("CANCELLED", `Model '${name}' was not waited for any longer.`);
}

/** A conversation as the AI SDK's models take it. */
export function toPrompt(messages: readonly ChatMessage[], version: string): UnknownObject[] {
  const nameOf = new Map(callsIn(messages).map((call) => [call.id, call.function.name]));
  const prompt: UnknownObject[] = [];
  let results: ToolMessage[] = [];
  const flush = () => {
    if (results.length > 0) prompt.push(...toResults(results, nameOf, version));
    results = [];
  };
  for (const message of messages) {
    if (message.role === "tool") {
      results.push(message);
      continue;
    }
    flush();
    prompt.push(message.role === "assistant" ? toAssistant(message) : toSpoken(message, version));
  }
  flush();
  return prompt;
}

function callsIn(messages: readonly ChatMessage[]) {
  return messages.flatMap((message) => (message.role === "assistant" ? (message.tool_calls ?? []) : []));
}

function toSpoken({ role, content }: SpokenMessage, version: string): UnknownObject {
  return { role, content: role === "system" ? textOf(content) : toParts(content, version) };
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

/** Some endpoints refuse a conversation that holds what is no JSON, even where it says that it was a mistake. */
function readArguments(text: string): unknown {
  if (text.trim() === "") return {};
  try {
    return JSON.parse(text);
  } catch {
    return { unreadable: text };
  }
}

/** Few models take pictures as what a tool said; all that see take them from the user. */
function toResults(
  results: readonly ToolMessage[],
  nameOf: ReadonlyMap<string, string>,
  version: string,
): UnknownObject[] {
  const pictures: ContentBlock[] = [];
  const content = results.map(({ tool_call_id: toolCallId, content: said }) => {
    const toolName = nameOf.get(toolCallId) ?? "tool";
    const value = blocksOf(said).map((block) => {
      if (block.type === "text") return block.text;
      pictures.push({ type: "text", text: `Picture ${pictures.length / 2 + 1}, from ${toolName}:` }, block);
      return `[picture ${pictures.length / 2}]`;
    });
    return {
      type: "tool-result",
      toolCallId,
      toolName,
      output: { type: "text", value: value.join("\n") },
    };
  });
  const shown = pictures.length === 0 ? [] : [{ role: "user", content: toParts(pictures, version) }];
  return [{ role: "tool", content }, ...shown];
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

function blocksOf(content: ChatContent): ContentBlock[] {
  return typeof content === "string" ? [{ type: "text", text: content }] : content;
}

function textOf(content: ChatContent): string {
  return blocksOf(content)
    .flatMap((block) => (block.type === "text" ? [block.text] : []))
    .join("\n");
}

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
