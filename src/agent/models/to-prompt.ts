import type {
  AssistantMessage,
  ChatContent,
  ChatMessage,
  ContentBlock,
  SpokenMessage,
  ToolMessage,
} from "../../model/chat.ts";
import type { UnknownObject } from "../../model/json.ts";

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
