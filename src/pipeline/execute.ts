import { setTimeout as sleep } from "node:timers/promises";
import { abortable } from "../lib/abortable.ts";
import { limitTime, type TimeLimiter } from "../lib/time-limit.ts";
import type { Attempt, Executed, Routed } from "../model/call.ts";
import { errorTable, PlaneError, toPlaneError } from "../model/errors.ts";
import type { JsonObject, UnknownObject } from "../model/json.ts";
import type { ProgressReport, Provider, TaskReport } from "../model/provider.ts";
import { normalizeResult, type ToolResult } from "../model/result.ts";
import { isRepeatable, type ProviderSpec } from "../model/tool.ts";
import { ended } from "./ended.ts";

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

/** What a server asks, in the words of its protocol. */
export type Asked = { method: string; params: UnknownObject };

export type ExecuteOptions = {
  provider(name: string): Provider | undefined;
  checkOutput(schema: JsonObject, result: ToolResult): Promise<string[]>;
  onRetry(call: Routed, retry: { attempt: number; delayMs: number; reason: string }): void;
  onProgress(call: Routed, progress: ProgressReport): void;
  onTask?(call: Routed, task: TaskReport): void;
  /** Answers what a server asks in the middle of a call. */
  answer(call: Routed, server: string, asked: Asked, signal: AbortSignal): Promise<UnknownObject>;
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
        const raw = await abortable(attempt(call, spec, limiter, options), limiter.signal);
        attempts.push({
          provider: spec.name,
          ok: true,
          durationMs: performance.now() - startedAt,
          error: null,
        });
        return await finish(call, spec, raw, attempts, options);
      } catch (thrown) {
        const error = limiter.signal.aborted ? endedCall(call, limiter) : toPlaneError(thrown);
        const durationMs = performance.now() - startedAt;
        attempts.push({ provider: spec.name, ok: false, durationMs, error: error.code });
        await retryOrGiveUp(call, error, attempts, limiter, options);
      }
    }
  } finally {
    limiter.clear();
  }
}

async function attempt(
  call: Routed,
  spec: ProviderSpec,
  limiter: TimeLimiter,
  options: ExecuteOptions,
): Promise<unknown> {
  const provider = options.provider(spec.name);
  if (!provider) {
    throw new PlaneError("NO_PROVIDER", `No provider of kind '${spec.name}' is known.`, {
      data: { sent: false, retryAt: null },
    });
  }
  // A server that goes on without its answer waits for it no longer.
  const over = new AbortController();
  return provider(
    spec,
    { ...call.input.arguments, ...call.injected.values },
    {
      signal: limiter.signal,
      owner: { user: call.principal.user, conversation: call.options.conversation ?? null },
      async onRequest(method, params, signal) {
        // The server waits for somebody, which is not the time it has for its work.
        const goOn = limiter.pause();
        try {
          const both = AbortSignal.any([signal, limiter.signal, over.signal]);
          return await options.answer(call, String(spec.config.server), { method, params }, both);
        } finally {
          goOn();
        }
      },
      onProgress(progress) {
        limiter.extend();
        options.onProgress(call, progress);
      },
      onTask(task, isNews) {
        if (isNews) limiter.extend();
        options.onTask?.(call, task);
      },
    },
  ).finally(() => over.abort());
}

async function finish(
  call: Routed,
  spec: ProviderSpec,
  raw: unknown,
  attempts: Attempt[],
  { checkOutput }: ExecuteOptions,
): Promise<Executed> {
  const { result, warnings } = normalizeResult(raw);
  if (call.tool.outputSchema && !result.isError) {
    // The tool has run: whatever is wrong with its schema is no reason to lose what it said.
    const found = await checkOutput(call.tool.outputSchema, result).catch((thrown) => [
      toPlaneError(thrown).message,
    ]);
    warnings.push(...found);
  }
  return { ...call, executed: { result, provider: spec.name, attempts, warnings } };
}

function endedCall({ tool, route }: Routed, limiter: TimeLimiter): PlaneError {
  const { server } = tool.id;
  const also = isRepeatable(tool) ? "" : " It may still have run.";
  return ended(limiter, route.limit, { tool: tool.name, ...(server === null ? {} : { server }) }, also);
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
    throw withAttempts(call, worthwhile && !safe ? unknownOutcome(call, error) : error, attempts);
  }
  const { retryInMs } = error.data;
  const delayMs = typeof retryInMs === "number" ? retryInMs : retryDelay(attempts.length);
  options.onRetry(call, { attempt: attempts.length, delayMs, reason: error.message });
  try {
    await sleep(delayMs, undefined, { signal: limiter.signal });
  } catch {
    throw withAttempts(call, endedCall(call, limiter), attempts);
  }
}

/** It has said when it may be tried again, or that it never may; asking sooner cannot help. */
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

function withAttempts(call: Routed, error: PlaneError, attempts: Attempt[]): PlaneError {
  return new PlaneError(error.code, error.message, {
    data: { tool: call.tool.name, ...error.data, attempts: attempts.length, history: attempts },
    cause: error.cause,
  });
}
