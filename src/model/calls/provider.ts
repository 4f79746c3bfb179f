import type { TokenUsage } from "../agent/chat.ts";
import type { ProviderSpec } from "../catalogue/tool.ts";
import { isObject, type JsonObject, type UnknownObject } from "../json.ts";
import type { AbortSignal } from "../platform.ts";

/** What a server asks, in the words of its protocol. */
export type Asked = { method: string; params: UnknownObject };

/** Who asks, told to servers that want to hear it with every request. */
export type AsClient = { capabilities: UnknownObject; info?: UnknownObject; logLevel?: string };

/** What a caller that answers questions itself brings back, exactly as it came. */
export type Continuation = { inputResponses?: unknown; requestState?: unknown };

/** How a running request speaks with its caller. */
export type Relay = {
  /** Answers what a server asks in the middle; null when this caller cannot be asked that. */
  onQuestion?(server: string, asked: Asked, signal: AbortSignal): Promise<UnknownObject | null>;
  onProgress?(progress: { progress: number; total: number | null; message: string | null }): void;
  /** What a server logs because of this request, where that can be told. */
  onLog?(message: UnknownObject): void;
  client?: AsClient;
  /** What the caller says beside its request, for the server: where a trace stands, for one. */
  meta?: UnknownObject;
  /** What a call lets one of our models say is taken from these tokens, and counted to the caller. */
  tokens?: { left(): number; used(usage: TokenUsage): void };
  /** Answers the tools that manage what this caller has loaded. */
  onOwnTool?(tool: string, args: UnknownObject, signal: AbortSignal): Promise<UnknownObject>;
  /** Given by callers that take a server's questions as a result and come back with the answers. */
  continuation?: Continuation;
};

/** What a server says by itself. `user` is the session's user; null for a shared session. */
export type ServerSaid = { server: string; user: string | null; method: string; params: UnknownObject };

/** Where a trace stands, in the words of W3C Trace Context; MCP says the same in `_meta`. */
export type TraceContext = { traceparent: string; tracestate?: string };

const parentShape = /^(?!ff)[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;
const stateShape = /^[\u0020-\u007e]{1,512}$/;

/** Read from what a caller says beside its request, or from its headers; what makes no sense is not passed on. */
export function readTraceContext(said: unknown): TraceContext | null {
  if (!isObject(said)) return null;
  const { traceparent, tracestate } = said;
  if (typeof traceparent !== "string" || !parentShape.test(traceparent)) return null;
  return typeof tracestate === "string" && stateShape.test(tracestate) ? { traceparent, tracestate } : { traceparent };
}

/** What is said beside a request, with the trace in the place of the one that was said before. */
export function withTraceContext(meta: UnknownObject | undefined, context: TraceContext): UnknownObject {
  const { traceparent: _, tracestate: __, ...others } = meta ?? {};
  return { ...others, ...context };
}

export type ProgressReport = { progress: number; total: number | null; message: string | null };

/** A call that the other side has made a background task of. */
export type TaskReport = { taskId: string; status: string; message: string | null };

/** What a provider is told about the call that it executes. */
export type ProviderContext = {
  signal: AbortSignal;
  /** Whose session it is, where sessions are not shared. */
  owner: { user: string | null; conversation: string | null };
  /** Answers what the other side asks before it goes on. */
  onRequest?: ((method: string, params: UnknownObject, signal: AbortSignal) => Promise<UnknownObject>) | undefined;
  /** The same for every attempt of one call, where its tool takes one. */
  idempotencyKey?: string | undefined;
  /** To be called when nothing is left to wait for; throws where the tool is another one by now. */
  beforeSend?: (() => void) | undefined;
  onProgress(progress: ProgressReport): void;
  /** `isNews` is false when nothing has changed and only the time has come to tell it. */
  onTask?: ((task: TaskReport, isNews: boolean) => void) | undefined;
  /** What the other side logs because of this. */
  onLog?: ((message: UnknownObject) => void) | undefined;
  /** Who asks, for those that want to hear it with every request. */
  asClient?: AsClient | undefined;
  /** What the caller says beside its request. */
  meta?: UnknownObject | undefined;
  /** Answers the tools that are about the caller's own context. */
  onOwnTool?: Relay["onOwnTool"];
  /** The caller takes questions as a result; these are the answers it came back with. */
  continuation?: Continuation | undefined;
};

/**
 * One kind of provider. Resolves with whatever came back; rejects with a PlaneError whose
 * `data.sent` is false when the other side provably never saw the request.
 */
export type Provider = (spec: ProviderSpec, args: JsonObject, context: ProviderContext) => Promise<unknown>;

/** A tool as a function of this program. What it throws is a failure, `isError` is an answer. */
export type ToolFunction = (
  args: JsonObject,
  context: Pick<ProviderContext, "signal" | "owner" | "idempotencyKey" | "onProgress">,
) => unknown;

/** What a program adds under a kind of its own: a provider, or what makes one for each place where it is declared. */
export type AddedProvider = AnyProvider | { create(spec: ProviderSpec): AnyProvider | Promise<AnyProvider> };

/** Like a provider, and free to answer with any value. */
type AnyProvider = (spec: ProviderSpec, args: JsonObject, context: ProviderContext) => unknown;

/** How a provider is looked after. */
export type ProviderOptions = {
  /** Asked before it is used, at most once in its `health_check_interval`. What it throws is why it is not used. */
  check?(spec: ProviderSpec, signal: AbortSignal): unknown;
};

/** Takes it back, also with `using`. True when it was still there. */
export type Unregister = (() => boolean) & Disposable;

/** What a server asks a person in the middle of a call. */
export type Question = {
  id: string;
  callId: string;
  server: string;
  tool: string;
  /** Who called, and so who may answer. */
  user: string | null;
  /** Of the call; left out where it belongs to none. */
  conversation?: string;
  message: string;
  /** The fields to fill in; null when a page is to be visited instead. */
  schema: JsonObject | null;
  url: string | null;
  askedAt: string;
  expiresAt: string;
};

export type QuestionAnswer = {
  action: "accept" | "decline" | "cancel";
  content?: unknown;
};
