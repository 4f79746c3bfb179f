import type { JsonObject, UnknownObject } from "./json.ts";
import type { AbortSignal } from "./platform.ts";
import type { AsClient, Continuation, Relay } from "./relay.ts";
import type { ProviderSpec } from "./tool.ts";

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
