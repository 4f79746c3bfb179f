import type { JsonObject } from "./json.ts";
import type { ProviderSpec } from "./tool.ts";

export type ProgressReport = { progress: number; total: number | null; message: string | null };

export type ProviderContext = {
  signal: AbortSignal;
  onProgress(progress: ProgressReport): void;
};

/**
 * One kind of provider. Resolves with whatever came back; rejects with a PlaneError whose
 * `data.sent` is false when the other side provably never saw the request.
 */
export type Provider = (spec: ProviderSpec, args: JsonObject, context: ProviderContext) => Promise<unknown>;
