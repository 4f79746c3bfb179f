import type { AbortSignal } from "../platform.ts";
import type { TokenUsage } from "./run-schema.ts";

/** A message in the shape of OpenAI's chat completions. */
export type ChatMessage = SpokenMessage | AssistantMessage | ToolMessage;

export type SpokenMessage = { role: "system" | "user"; content: ChatContent };
/** A model's message, with the calls it asks for. */
export type AssistantMessage = {
  role: "assistant";
  content: ChatContent;
  reasoning_content?: string;
  tool_calls?: AskedCall[];
};
/** The result of a call, for the model. */
export type ToolMessage = { role: "tool"; tool_call_id: string; content: ChatContent };

export type ChatContent = string | ChatContentBlock[];
export type ChatContentBlock =
  | { type: "text"; text: string }
  | { type: "image_url"; image_url: { url: string } };

/** `arguments` may be no JSON at all. */
export type AskedCall = {
  id: string;
  type: "function";
  function: { name: string; arguments: string };
};

/** A tool, as a model reads it. */
export type ModelTool = { name: string; description: string; parameters: Record<string, unknown> };

/** A request to a model. */
export type ModelRequest = {
  messages: readonly ChatMessage[];
  /** Missing or empty: no calls. */
  tools?: readonly ModelTool[];
  temperature?: number;
  maxOutputTokens?: number;
  stop?: readonly string[];
  signal?: AbortSignal;
};

/** A piece of a model's answer. A stream without an end piece broke off. */
export type ModelPart =
  | { type: "text"; text: string }
  | { type: "reasoning"; text: string }
  | { type: "call"; call: AskedCall }
  | { type: "end"; reason: string; usage: TokenUsage };

/** A model. It throws failures as PlaneError. */
export interface ChatModel {
  readonly name: string;
  readonly provider?: string;
  readonly modelId?: string;
  stream(request: ModelRequest): AsyncIterable<ModelPart>;
}
