import type { AbortSignal } from "../platform.ts";

/** Messages between an agent and a model, in the shape of OpenAI's chat completions: what is kept, shown and resumed. */
export type ChatMessage = SpokenMessage | AssistantMessage | ToolMessage;

export type SpokenMessage = { role: "system" | "user"; content: ChatContent };
/** A model's message, with the calls that it asks for. */
export type AssistantMessage = {
  role: "assistant";
  content: ChatContent;
  /** What it thought, where the model tells that apart. */
  reasoning_content?: string;
  tool_calls?: AskedCall[];
};
/** The result of one call, for the model. */
export type ToolMessage = { role: "tool"; tool_call_id: string; content: ChatContent };

export type ChatContent = string | ContentBlock[];
export type ContentBlock = { type: "text"; text: string } | { type: "image_url"; image_url: { url: string } };

/** A call as a model asks for it; what it wrote as arguments may be no JSON at all. */
export type AskedCall = { id: string; type: "function"; function: { name: string; arguments: string } };

/** A tool as a model is told of it. */
export type ModelTool = { name: string; description: string; parameters: Record<string, unknown> };

/** Tokens that a model read and wrote. */
export type TokenUsage = { inputTokens: number; outputTokens: number; totalTokens: number };

/** What a model is asked. */
export type ModelRequest = {
  messages: readonly ChatMessage[];
  /** Left out or empty: it may call nothing. */
  tools?: readonly ModelTool[];
  temperature?: number;
  maxOutputTokens?: number;
  stop?: readonly string[];
  signal?: AbortSignal;
};

/** What a model says, piece by piece; the last piece is its end, and a stream without one broke off. */
export type ModelPart =
  | { type: "text"; text: string }
  | { type: "reasoning"; text: string }
  | { type: "call"; call: AskedCall }
  | { type: "end"; reason: string; usage: TokenUsage };

/** A model that can be talked to. What fails is thrown as a PlaneError. */
export interface ChatModel {
  readonly name: string;
  /** Whose it is and what they call it, as far as that is known. */
  readonly provider?: string;
  readonly modelId?: string;
  stream(request: ModelRequest): AsyncIterable<ModelPart>;
}
