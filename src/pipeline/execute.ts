import { setTimeout as sleep } from "node:timers/promises";
import { limitTime, type TimeLimiter } from "../lib/time-limit.ts";
import type { Attempt, Executed, Routed } from "../model/call.ts";
import { errorTable, PlaneError, toPlaneError } from "../model/errors.ts";
import type { JsonObject } from "../model/json.ts";
import type { ProgressReport, Provider } from "../model/provider.ts";
import { normalizeResult, type ToolResult } from "../model/result.ts";
import { isRepeatable, type ProviderSpec } from "../model/tool.ts";

/** Two further attempts, and only where running twice does no harm. */
export const retryPolicy = {
  attempts: 3,
  firstMs: 1_000,
  factor: 2,
  longestMs: 10_000,
  jitter: 0.25,
} as const;
/** Progress may stretch a limit this far. */
const progressStretch = 10;

export type ExecuteOptions = {
  provider(name: string): Provider | undefined;
  checkOutput(schema: JsonObject, result: ToolResult): Promise<string[]>;
  onRetry(call: Routed, retry: { attempt: number; delayMs: number; reason: string }): void;
  onProgress(call: Routed, progress: ProgressReport): void;
  signal: AbortSignal | undefined;
};

export async function execute(call: Routed, options: ExecuteOptions): Promise<Executed> {
  const { ms } = call.route.limit;
  const limiter = limitTime(ms, ms * progressStretch, options.signal);
  const attempts: Attempt[] = [];
  try {
    for (;;) {
      const spec = call.route.candidates[0] as ProviderSpec;
      const startedAt = performance.now();
      try {
        const raw = await attempt(call, spec, limiter, options);
        attempts.push({
          provider: spec.name,
          ok: true,
          durationMs: performance.now() - startedAt,
          error: null,
        });
        return await finish(call, spec, raw, attempts, options);
      } catch (thrown) {
        const error = limiter.signal.aborted ? ended(call, limiter) : toPlaneError(thrown);
        const durationMs = performance.now() - startedAt;
        attempts.push({ provider: spec.name, ok: false, durationMs, error: error.code });
        await retryOrGiveUp(call, error, attempts, limiter, options);
      }
    }
  } finally {
    limiter.clear();
  }
}

function attempt(
  call: Routed,
  spec: ProviderSpec,
  limiter: TimeLimiter,
  options: ExecuteOptions,
): Promise<unknown> {
  const provider = options.provider(spec.name);
  if (!provider) throw new PlaneError("NO_PROVIDER", `No provider of kind '${spec.name}' is known.`);
  return provider(
    spec,
    { ...call.input.arguments, ...call.injected.values },
    {
      signal: limiter.signal,
      onProgress(progress) {
        limiter.extend();
        options.onProgress(call, progress);
      },
    },
  );
}

async function finish(
  call: Routed,
  spec: ProviderSpec,
  raw: unknown,
  attempts: Attempt[],
  { checkOutput }: ExecuteOptions,
): Promise<Executed> {
  const { result, warnings } = normalizeResult(raw);
  if (call.tool.outputSchema && !result.isError)
    warnings.push(...(await checkOutput(call.tool.outputSchema, result)));
  return { ...call, executed: { result, provider: spec.name, attempts, warnings } };
}

function ended(call: Routed, limiter: TimeLimiter): PlaneError {
  const { tool, route } = call;
  const data = { tool: tool.name, ...(tool.id.server === null ? {} : { server: tool.id.server }) };
  if (!limiter.expired())
    return new PlaneError("CANCELLED", `The call of '${tool.name}' was cancelled.`, { data });
  const { ms, setBy } = route.limit;
  const again = isRepeatable(tool) ? "" : " It may still have run.";
  return new PlaneError(
    "TIMEOUT",
    `'${tool.name}' did not answer within ${ms / 1000} s (limit of the ${setBy}).${again}`,
    { data: { ...data, limitMs: ms, limitSetBy: setBy } },
  );
}

/** Waits before the next attempt, or throws what ends the call. */
async function retryOrGiveUp(
  call: Routed,
  error: PlaneError,
  attempts: Attempt[],
  limiter: TimeLimiter,
  options: ExecuteOptions,
): Promise<void> {
  const notSent = error.data.sent === false;
  const safe = notSent || isRepeatable(call.tool);
  const worthwhile = errorTable[error.code].retryable && !limiter.signal.aborted && !isHopeless(error);
  if (!safe || !worthwhile || attempts.length >= retryPolicy.attempts) {
    throw withAttempts(worthwhile && !safe ? unknownOutcome(call, error) : error, attempts);
  }
  const delayMs = retryDelay(attempts.length);
  options.onRetry(call, { attempt: attempts.length, delayMs, reason: error.message });
  try {
    await sleep(delayMs, undefined, { signal: limiter.signal });
  } catch {
    throw withAttempts(ended(call, limiter), attempts);
  }
}

/** A server that backs off has said when it may be tried again; asking sooner cannot help. */
function isHopeless(error: PlaneError): boolean {
  return error.data.retryAt !== undefined;
}

export function retryDelay(failures: number, random: () => number = Math.random): number {
  const { firstMs, factor, longestMs, jitter } = retryPolicy;
  const plain = Math.min(longestMs, firstMs * factor ** (failures - 1));
  return Math.round(plain * (1 + jitter * (2 * random() - 1)));
}

function unknownOutcome(call: Routed, error: PlaneError): PlaneError {
  return new PlaneError(
    "OUTCOME_UNKNOWN",
    `${error.message} The request had been sent, so '${call.tool.name}' may have run; check before you call it again.`,
    { data: error.data, cause: error.cause },
  );
}

function withAttempts(error: PlaneError, attempts: Attempt[]): PlaneError {
  return new PlaneError(error.code, error.message, {
    data: { ...error.data, attempts: attempts.length, history: attempts },
    cause: error.cause,
  });
}
