import type { TokenUsage } from "../agent/run-schema.ts";
import type { Cancellable } from "../cancellable.ts";
import type { ProviderSpec } from "../catalogue/tool.ts";
import { isObject, type JsonObject, type UnknownObject } from "../json.ts";
import type { AbortSignal } from "../platform.ts";
import type { Principal } from "../principal.ts";

export type ServerRequest = { method: string; params: UnknownObject };

export type AsClient = {
  capabilities: UnknownObject;
  info?: UnknownObject;
  logLevel?: string;
  /** Of the revision that it speaks; unset for a caller that is no client of MCP. */
  era?: "legacy" | "modern";
};

/** Answers of a caller that answers questions itself, unchanged. */
export type Continuation = { inputResponses?: unknown; requestState?: unknown };

/** How a running request talks to its caller. */
export type Relay = {
  /** Null when this caller cannot be asked that. */
  onQuestion?(
    server: string,
    asked: ServerRequest,
    signal: AbortSignal,
  ): Promise<UnknownObject | null>;
  onProgress?(progress: { progress: number; total: number | null; message: string | null }): void;
  onLog?(message: UnknownObject): void;
  client?: AsClient;
  meta?: UnknownObject;
  /** The token budget for models that the call asks. */
  tokens?: { left(): number; used(usage: TokenUsage): void };
  /** Runs the tools that manage what this caller has loaded. */
  onOwnTool?(tool: string, args: UnknownObject, signal: AbortSignal): Promise<UnknownObject>;
  /** Set by callers that take questions as a result. */
  continuation?: Continuation;
};

/** `user` is the session's; null for a shared session. */
export type ServerNotification = {
  server: string;
  user: string | null;
  /** Said where the server works in this directory, to those who work there. */
  directory?: string;
  /** Callers who name no directory work in this one. */
  isDefaultDirectory?: boolean;
  method: string;
  params: UnknownObject;
};

/** W3C Trace Context; MCP has it in `_meta`. */
export type TraceContext = { traceparent: string; tracestate?: string };

const parentShape = /^(?!ff)[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;
const stateShape = /^[\u0020-\u007e]{1,512}$/;

/** Invalid parts are not passed on. */
export function readTraceContext(meta: unknown): TraceContext | null {
  if (!isObject(meta)) return null;
  const { traceparent, tracestate } = meta;
  if (typeof traceparent !== "string" || !parentShape.test(traceparent)) return null;
  return typeof tracestate === "string" && stateShape.test(tracestate)
    ? { traceparent, tracestate }
    : { traceparent };
}

/** Replaces the trace in `_meta`. */
export function withTraceContext(
  meta: UnknownObject | undefined,
  context: TraceContext,
): UnknownObject {
  const { traceparent: _, tracestate: __, ...otherMeta } = meta ?? {};
  return { ...otherMeta, ...context };
}

export type ProgressReport = { progress: number; total: number | null; message: string | null };

/** A call that the other side made a background task. */
export type TaskReport = { taskId: string; status: string; message: string | null };

/** Takes the injected values of a call out of what others look at. */
export type HiddenValues = {
  names: readonly string[];
  text(text: string): string;
  value<T>(value: T): T;
};

/** What a provider learns about a call. */
export type ProviderContext = {
  signal: AbortSignal;
  /** The same as `signal`, without making one. */
  cancellation?: Cancellable | undefined;
  /** The user of `owner`. */
  by?: string | null | undefined;
  owner: { user: string | null; conversation: string | null };
  /** Who calls; for built-in tools. */
  principal?: Principal | undefined;
  onRequest?:
    | ((method: string, params: UnknownObject, signal: AbortSignal) => Promise<UnknownObject>)
    | undefined;
  /** The same for every attempt, where the tool takes one. */
  idempotencyKey?: string | undefined;
  /** Called right before sending; throws where the tool has changed. */
  beforeSend?: (() => void) | undefined;
  /** The tool may run twice without harm. */
  mayRepeat?: boolean | undefined;
  /** Called when the other side may see the request from now on. */
  onWrite?: (() => void) | undefined;
  onProgress(progress: ProgressReport): void;
  /** `isNews` is false for a mere sign of life. */
  onTask?: ((task: TaskReport, isNews: boolean) => void) | undefined;
  onLog?: ((message: UnknownObject) => void) | undefined;
  asClient?: AsClient | undefined;
  meta?: UnknownObject | undefined;
  /** Missing where none are injected. */
  hidden?: HiddenValues | undefined;
  onOwnTool?: Relay["onOwnTool"];
  /** Answers to questions that were returned as a result. */
  continuation?: Continuation | undefined;
  /** A person answers what the server asks a model, in this call alone. */
  samples?: boolean | undefined;
};

/** Rejects with a PlaneError; `data.sent` is false when the other side provably never saw the request. */
export type Provider = (
  spec: ProviderSpec,
  args: JsonObject,
  context: ProviderContext,
) => Promise<unknown>;

/** A tool as a function. What it throws is a failure, `isError` is an answer. */
export type ToolFunction = (
  args: JsonObject,
  context: Pick<ProviderContext, "signal" | "owner" | "idempotencyKey" | "onProgress">,
) => unknown;

/** A provider, or what makes one for each declaration. */
export type AddedProvider =
  | AnyProvider
  | { create(spec: ProviderSpec): AnyProvider | Promise<AnyProvider> };

type AnyProvider = (spec: ProviderSpec, args: JsonObject, context: ProviderContext) => unknown;

/** Options of an added provider. */
export type ProviderOptions = {
  /** Runs before use, at most once per `health_check_interval`. What it throws is the reason not to use it. */
  check?(spec: ProviderSpec, signal: AbortSignal): unknown;
};

/** Also with `using`. True when it was still there. */
export type Unregister = (() => boolean) & Disposable;

export type QuestionAnswer = {
  action: "accept" | "decline" | "cancel";
  content?: unknown;
};

const updateMark = "MCP_UPDATE:";

/** With its share in percent, and the update that its message may carry. */
export type ProgressRead = ProgressReport & { percentage: number | null; update?: UnknownObject };

export function describeProgress({ progress, total, message }: ProgressReport): ProgressRead {
  const percentage =
    total !== null && total > 0 ? Math.min(100, Math.max(0, (progress / total) * 100)) : null;
  const update = message?.startsWith(updateMark)
    ? parseUpdate(message.slice(updateMark.length))
    : null;
  if (update === null) return { progress, total, percentage, message };
  const text = update.progress_message ?? update.message;
  return {
    progress,
    total,
    percentage,
    message: typeof text === "string" ? text : "Processing...",
    update,
  };
}

function parseUpdate(text: string): UnknownObject | null {
  try {
    const update: unknown = JSON.parse(text);
    return isObject(update) && typeof update.type === "string" ? update : null;
  } catch {
    return null;
  }
}

/** `{ theirs: ours }`; unnamed arguments keep their names. */
export function mapArguments(argumentMap: unknown, args: JsonObject): JsonObject {
  if (!isObject(argumentMap)) return args;
  const renamed = Object.entries(argumentMap).map(
    ([theirs, ours]) => [theirs, String(ours)] as const,
  );
  const renamedNames = new Set(renamed.map(([, ours]) => ours));
  return Object.fromEntries([
    ...Object.entries(args).filter(([name]) => !renamedNames.has(name)),
    ...renamed.flatMap(([theirs, ours]) =>
      Object.hasOwn(args, ours) ? [[theirs, args[ours]]] : [],
    ),
  ]) as JsonObject;
}
