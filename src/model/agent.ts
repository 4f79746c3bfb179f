import type { AgentCounters, AgentMessage, AgentRun, AgentStyle, TraceType } from "./agent/agent-run.ts";
import type { AskedCall, AssistantMessage, ChatContent, ChatMessage, ChatModel, ToolMessage } from "./agent/chat.ts";
import type { CallOptions } from "./calls/call.ts";
import type { AskHere } from "./calls/held-call.ts";
import type { Tool } from "./catalogue/tool.ts";
import type { ToolFormatName, ToolFormats } from "./catalogue/tool-formats.ts";
import type { ToolsetDefinition } from "./config/config.ts";
import type { ToolsetInput } from "./config/config-input.ts";
import type { ErrorReport } from "./errors.ts";
import type { UnknownObject } from "./json.ts";
import type { AbortSignal } from "./platform.ts";
import type { Caller } from "./principal.ts";

/** A language model of the AI SDK, as far as we look at it: any of its providers makes one. */
export type ForeignModel = { readonly specificationVersion: string; readonly modelId: string };

/** The name of a configured model, or a model; `default`, or the only one there is, when left out. */
export type ModelChoice = string | ChatModel | ForeignModel;

/** How far a run may go. What is left out has a limit all the same, except tokens. */
export type AgentLimits = {
  /** Times that the model gets what it asks for; the toolset's `max_tool_call_turns`, else 5. */
  maxTurns?: number;
  /** Calls in all turns together; 100. */
  maxCalls?: number;
  /** Tokens of the model, in and out; no limit. */
  maxTokens?: number;
  /** From the question to the answer; 300000. 0 means no limit. */
  timeoutMs?: number;
};

/** What a run of an agent may be told: its tools, its model, its limits. */
export type AgentOptions = AgentLimits &
  Pick<
    CallOptions,
    "approvalWaitMs" | "compliance" | "consent" | "conversation" | "mcp" | "mode" | "state" | "toolGroups"
  > & {
    /** The alias of a toolset; every tool when left out. */
    toolset?: string;
    style?: AgentStyle;
    model?: ModelChoice;
    /** Who the model is and what it should know. */
    system?: string;
    /** The conversation so far, as a run before has returned it. */
    history?: readonly ChatMessage[];
    temperature?: number;
    maxOutputTokens?: number;
    trace?: TraceType;
  };

/** With the parts that only a program in this process can give. */
export type RunAgentOptions = Omit<AgentOptions, "toolset"> &
  Caller & {
    /** The alias of a toolset, or its definition; every tool when left out. */
    toolset?: string | ToolsetInput;
    onMessage?(message: AgentMessage): void;
    signal?: AbortSignal;
    askHere?: AskHere;
    /** Offers these tools, and lets it call no others. */
    only?(tool: Tool): boolean;
    /** What the caller says beside its question: where a trace stands, for one (`traceparent`). */
    meta?: UnknownObject;
  };

/** `history` is the whole conversation, to be given back with the next question. */
export type AgentResult = AgentRun & { history: ChatMessage[]; state?: string };

/** Makes a value of an answer; what it throws is told to the model, so that it can do better. */
export type AnswerParser<T> = (answer: string) => T | Promise<T>;

/** A prompt, how to read the answer, and what the run may use. */
export type GenerateRequest<T = string> = Omit<RunAgentOptions, "history"> & {
  prompt: string;
  parser?: AnswerParser<T>;
  /** How often the model may try again to please the parser; 0. */
  maxCorrectionSteps?: number;
  /** How often it starts anew after that; what its tools said is kept. 0. */
  maxRestarts?: number;
};

/** `value` is null where the run did not end with an answer that the parser takes. */
export type Generation<T = string> = AgentResult & {
  value: T | null;
  corrections: number;
  restarts: number;
};

/** One of many: null where it could not begin. `error` is why it has no answer. */
export type Generated = { index: number; generation: Generation | null; error: ErrorReport | null };

/** The answer of a chat-completions endpoint, whole or only its message. */
export type CompletionResponse = object;

/** What the calls of one response may be told. */
export type ProcessOptions = Pick<RunAgentOptions, "signal" | "approvalWaitMs" | "conversation" | "askHere">;

/** What a call came to, in the words that a model reads. */
export type CallAnswer = { call: AskedCall; content: ChatContent; isError: boolean };

/** What is added to a conversation by a response and its calls. */
export type ProcessedMessages = [AssistantMessage, ...ToolMessage[]];

/** As much of a tool as decides whether it is in a toolset. */
export type SelectedTool = Pick<Tool, "id"> & Partial<Pick<Tool, "source" | "providers">>;

export type ToolsetSelection = { definition: ToolsetDefinition; has(tool: SelectedTool): boolean };

/**
 * A selection of tools for a program that runs its own model: schemas for the request, messages for the answer.
 *
 * @example
 * const toolset = plane.toolset("reading");
 * const response = await openai.chat.completions.create({ model, messages, tools: await toolset.schemas() });
 * if (toolset.hasToolCalls(response)) messages.push(...(await toolset.processResponse(response)));
 */
export type Toolset = {
  /** Its name; null for an inline definition and for every tool. */
  readonly alias: string | null;
  /** The servers whose tools it takes. */
  readonly providers: readonly string[];
  /** The only tools it takes, as globs; null for all of its servers. */
  readonly allow_tools: readonly string[] | null;
  /** How many turns with tool calls a model gets; null for what is usual in the style of the run. */
  readonly max_tool_call_turns: number | null;
  /** The limit of each call in seconds; null for the limit of the tool or its server. */
  readonly timeout_sec: number | null;
  /** What `tools` is in a request to a model; OpenAI's shape when left out. */
  schemas<Format extends ToolFormatName = "openai">(format?: Format): Promise<ToolFormats[Format]>;
  /** How many calls a response asks for. */
  toolCallCount(response: CompletionResponse): number;
  /** Whether a response asks for calls. */
  hasToolCalls(response: CompletionResponse): boolean;
  /** The assistant's message, then what each call came to, in order. A call that fails is told to the model. */
  processResponse(response: CompletionResponse, options?: ProcessOptions): Promise<ProcessedMessages>;
  /** What each of these calls came to, in order, for whoever writes messages of another shape. */
  answerCalls(calls: readonly AskedCall[], options?: ProcessOptions): Promise<CallAnswer[]>;
  /** The same shape with no call made: each is answered with a text that asks for a final answer. */
  refuseResponse(response: CompletionResponse, text?: string): ProcessedMessages;
  /** A run with these tools, whose answer is made into a value. */
  generate<T = string>(request: Omit<GenerateRequest<T>, "toolset">): Promise<Generation<T>>;
  /** What all runs with this alias came to since the plane began. */
  usage(): AgentCounters;
};
