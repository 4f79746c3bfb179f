import { fenceUntrusted } from "../../lib/fence-untrusted.ts";
import { respellJson } from "../../lib/respell-json.ts";
import type { AskedCall, AssistantMessage, ChatContent, ChatMessage, ToolMessage } from "../../model/chat.ts";
import { isObject } from "../../model/json.ts";
import { maxLabel, readLabel } from "./labels.ts";

export const observationLabel = "Observation:";

/**
 * A conversation as the text that a model would have written and read, whichever style it was held in: calls are
 * actions with valid JSON, and what they came to are observations.
 */
export function renderTranscript(messages: readonly ChatMessage[]): ChatMessage[] {
  const results = new Map<string, ToolMessage>();
  for (const message of messages) if (message.role === "tool") results.set(message.tool_call_id, message);
  return messages.flatMap((message, at): ChatMessage[] => {
    if (message.role === "tool") return [];
    if (message.role !== "assistant") return [message];
    if (message.tool_calls?.length) return renderCalls(message, message.tool_calls, results);
    return [{ role: "assistant", content: renderAnswer(message, messages[at + 1]) }];
  });
}

/** One action at a time: of several calls in one turn each is followed by what it came to. */
function renderCalls(
  message: AssistantMessage,
  calls: readonly AskedCall[],
  results: ReadonlyMap<string, ToolMessage>,
): ChatMessage[] {
  const thought = message.reasoning_content ?? textOf(message.content);
  return calls.flatMap(({ id, function: { name, arguments: args } }, at): ChatMessage[] => {
    const result = results.get(id);
    const lines = [
      ...(at === 0 ? renderThought(thought) : []),
      ...[`Action: ${name}`, `Args: ${validJson(args)}`],
    ];
    return [
      { role: "assistant", content: lines.join("\n") },
      { role: "user", content: renderObservation(result?.content ?? "Error: There is no result.") },
    ];
  });
}

/** What could not be understood stays as it was written: what the model is told next speaks of it. */
function renderAnswer(
  { content, reasoning_content }: AssistantMessage,
  next: ChatMessage | undefined,
): string {
  const text = textOf(content);
  const isCorrected = next?.role === "user" && textOf(next.content).startsWith(observationLabel);
  if (isCorrected || beginsWithLabel(text)) return text;
  return [...renderThought(reasoning_content ?? ""), `Final Answer: ${text}`].join("\n");
}

/** A line of a thought that looks like a label was none, and must not become one. */
function renderThought(thought: string): string[] {
  if (thought.trim() === "") return [];
  const lines = thought.trim().split("\n");
  return [`Thought: ${lines.map((line) => (beginsWithLabel(line) ? `- ${line}` : line)).join("\n")}`];
}

function beginsWithLabel(text: string): boolean {
  return readLabel(text.slice(0, maxLabel).split("\n", 1)[0] ?? "", true) !== null;
}

/** Texts are fenced: tools speak in them. Pictures stay what they are. */
function renderObservation(content: ChatContent): ChatContent {
  if (typeof content === "string") return `${observationLabel}\n${fenceUntrusted(content)}`;
  return [
    { type: "text", text: observationLabel },
    ...content.map((block) =>
      block.type === "text" ? { type: block.type, text: fenceUntrusted(block.text) } : block,
    ),
  ];
}

/** Arguments that are none are shown as the text that they are. */
function validJson(written: string): string {
  if (written.trim() === "") return "{}";
  try {
    const value: unknown = JSON.parse(written);
    return isObject(value) ? JSON.stringify(value) : JSON.stringify(written);
  } catch {
    const { text } = respellJson(written);
    return text?.startsWith("{") ? text : JSON.stringify(written);
  }
}

function textOf(content: ChatContent): string {
  if (typeof content === "string") return content;
  return content.map((block) => (block.type === "text" ? block.text : "[picture]")).join("\n");
}
