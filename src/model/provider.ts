import type { JsonObject, UnknownObject } from "./json.ts";
import type { ProviderSpec } from "./tool.ts";

export type ProgressReport = { progress: number; total: number | null; message: string | null };

/** A call that the other side has made a background task of. */
export type TaskReport = { taskId: string; status: string; message: string | null };

export type ProviderContext = {
  signal: AbortSignal;
  /** Whose session it is, where sessions are not shared. */
  owner: { user: string | null; conversation: string | null };
  /** Answers what the other side asks before it goes on. */
  onRequest?:
    | ((method: string, params: UnknownObject, signal: AbortSignal) => Promise<UnknownObject>)
    | undefined;
  onProgress(progress: ProgressReport): void;
  /** `isNews` is false when nothing has changed and only the time has come to tell it. */
  onTask?: ((task: TaskReport, isNews: boolean) => void) | undefined;
};

/**
 * One kind of provider. Resolves with whatever came back; rejects with a PlaneError whose
 * `data.sent` is false when the other side provably never saw the request.
 */
export type Provider = (spec: ProviderSpec, args: JsonObject, context: ProviderContext) => Promise<unknown>;

/** A tool as a function of this program. What it throws is a failure, `isError` is an answer. */
export type ToolFunction = (
  args: JsonObject,
  context: Pick<ProviderContext, "signal" | "owner" | "onProgress">,
) => unknown;
