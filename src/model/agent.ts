import type { ToolsetInput } from "../../generated/config/config-input.ts";
import type { AgentMessage, AgentStyle, TraceType } from "./agent/agent-run.ts";
import type {
  AskedCall,
  AssistantMessage,
  ChatContent,
  ChatMessage,
  ChatModel,
  ToolMessage,
} from "./agent/chat.ts";
import type { AgentCounters, AgentRun } from "./agent/run-schema.ts";
import type { CallOptions } from "./calls/call.ts";
import type { AskHere } from "./calls/held-call.ts";
import type { Tool } from "./catalogue/tool.ts";
import type { ToolFormatName, ToolFormats } from "./catalogue/tool-formats.ts";
import type { ToolsetDefinition } from "./config/config.ts";
import type { ErrorReport } from "./errors-schema.ts";
import type { UnknownObject } from "./json.ts";
import type { AbortSignal } from "./platform.ts";
import type { Caller } from "./principal.ts";

/** A language model of the AI SDK, as far as we look at it. */
export type ForeignModel = { readonly specificationVersion: string; readonly modelId: string };

/** The name of a configured model, or a model. Default: `default`, or the only one. */
export type ModelChoice = string | ChatModel | ForeignModel;

/** Limits of a run. Each has a default, except tokens. */
export type AgentLimits = {
  /** Turns with tool calls. Default: the toolset's, else 5. */
  maxTurns?: number;
  /** Calls in all turns. Default: 100. */
  maxCalls?: number;
  /** Tokens in and out. Default: no limit. */
  maxTokens?: number;
  /** For the whole run; 0 is no limit. Default: 300000. */
  timeoutMs?: number;
};

/** Tools, model and limits of a run. */
export type AgentOptions = AgentLimits &
  Pick<
    CallOptions,
    | "approvalWaitMs"
    | "compliance"
    | "consent"
    | "conversation"
    | "mcp"
    | "mode"
    | "state"
    | "toolGroups"
  > & {
    /** Default: every tool. */
    toolset?: string;
    style?: AgentStyle;
    model?: ModelChoice;
    system?: string;
    history?: readonly ChatMessage[];
    temperature?: number;
    maxOutputTokens?: number;
    trace?: TraceType;
  };

/** `AgentOptions` and what only a program in this process can give. */
export type RunAgentOptions = Omit<AgentOptions, "toolset"> &
  Caller & {
    /** An alias or a definition. Default: every tool. */
    toolset?: string | ToolsetInput;
    onMessage?(message: AgentMessage): void;
    signal?: AbortSignal;
    askHere?: AskHere;
    /** The only tools to offer and allow. */
    only?(tool: Tool): boolean;
    /** Sent beside the question, such as `traceparent`. */
    meta?: UnknownObject;
  };

/** `history` is the whole conversation, for the next question. */
export type AgentResult = AgentRun & { history: ChatMessage[]; state?: string };

/** Turns an answer into a value. The model reads what it throws and may try again. */
export type AnswerParser<T> = (answer: string) => T | Promise<T>;

/** A prompt, its parser and the options of the run. */
export type GenerateRequest<T = string> = Omit<RunAgentOptions, "history"> & {
  prompt: string;
  parser?: AnswerParser<T>;
  /** How often the model may correct its answer. Default: 0. */
  maxCorrectionSteps?: number;
  /** How often it then starts again, with its tool results. Default: 0. */
  maxRestarts?: number;
};

/** `value` is null where no answer was parsed. */
export type Generation<T = string> = AgentResult & {
  value: T | null;
  corrections: number;
  restarts: number;
};

/** One result of many; `generation` is null where it could not begin. */
export type Generated = { index: number; generation: Generation | null; error: ErrorReport | null };

type CompletionResponse = object;

/** Options for the calls of one response. */
export type ProcessOptions = Pick<
  RunAgentOptions,
  "signal" | "approvalWaitMs" | "conversation" | "askHere"
>;

/** The outcome of a call, as a model reads it. */
export type CallAnswer = { call: AskedCall; content: ChatContent; isError: boolean };

type ProcessedMessages = [AssistantMessage, ...ToolMessage[]];

export type SelectedTool = Pick<Tool, "id"> & Partial<Pick<Tool, "source" | "providers">>;

export type ToolsetSelection = { definition: ToolsetDefinition; has(tool: SelectedTool): boolean };

/**
 * A selection of tools for a program with its own model: schemas for requests, messages for answers.
 * @example
 * const toolset = plane.toolset("reading");
 * const response = await openai.chat.completions.create({ model, messages, tools: await toolset.schemas() });
 * if (toolset.hasToolCalls(response)) messages.push(...(await toolset.processResponse(response)));
 */
export type Toolset = {
  /** Null for an inline definition and for every tool. */
  readonly alias: string | null;
  /** The servers whose tools it selects. */
  readonly providers: readonly string[];
  /** Globs of tool names; null for all. */
  readonly allow_tools: readonly string[] | null;
  /** Turns with tool calls; null for the default. */
  readonly max_tool_call_turns: number | null;
  /** The limit of each call; null for that of the tool or its server. */
  readonly timeout_sec: number | null;
  /** The `tools` of a request to a model. */
  schemas<Format extends ToolFormatName = "openai">(format?: Format): Promise<ToolFormats[Format]>;
  /** How many calls a response asks for. */
  toolCallCount(response: CompletionResponse): number;
  /** Whether it asks for calls. */
  hasToolCalls(response: CompletionResponse): boolean;
  /** The assistant's message and the result of each call, in order. */
  processResponse(
    response: CompletionResponse,
    options?: ProcessOptions,
  ): Promise<ProcessedMessages>;
  /** The result of each call, for messages of another shape. */
  answerCalls(calls: readonly AskedCall[], options?: ProcessOptions): Promise<CallAnswer[]>;
  /** Makes no call: each is answered with a text that asks for a final answer. */
  refuseResponse(response: CompletionResponse, text?: string): ProcessedMessages;
  /** Like `plane.agent.generate`, with these tools. */
  generate<T = string>(request: Omit<GenerateRequest<T>, "toolset">): Promise<Generation<T>>;
  /** Counts of all runs with this alias since the plane started. */
  usage(): AgentCounters;
};
