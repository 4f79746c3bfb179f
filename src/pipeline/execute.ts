import { abortable } from "../lib/abortable.ts";
import { isTooDeep } from "../lib/is-too-deep.ts";
import { limitTime, type TimeLimiter } from "../lib/time-limit.ts";
import type { Attempt, Executed, Routed } from "../model/call.ts";
import { errorTable, PlaneError, toPlaneError } from "../model/errors.ts";
import type { JsonObject, UnknownObject } from "../model/json.ts";
import type { ProgressReport, Provider, TaskReport } from "../model/provider.ts";
import { normalizeResult, type ToolResult } from "../model/result.ts";
import { isRepeatable, type ProviderSpec } from "../model/tool.ts";
import { ended } from "./ended.ts";
import { everyProviderFailed, labelOf, mayFallOver, type RoutingMemory } from "./fall-over.ts";
import { retryOrGiveUp, unknownOutcome, withAttempts } from "./retry.ts";

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
  routing: RoutingMemory;
  /** Answers what a server asks in the middle of a call. */
  answer(call: Routed, server: string, asked: Asked, signal: AbortSignal): Promise<UnknownObject>;
  signal: AbortSignal | undefined;
};

export async function execute(call: Routed, options: ExecuteOptions): Promise<Executed> {
  const { ms } = call.route.limit;
  const limiter = limitTime(ms, ms * progressStretch, options.signal);
  const attempts: Attempt[] = [];
  const [first, ...others] = call.route.candidates as [ProviderSpec, ...ProviderSpec[]];
  try {
    if (others.length > 0) return await tryEach(call, [first, ...others], attempts, limiter, options);
    for (;;) {
      const ended = await tryOnce(call, first, attempts, limiter, options);
      if (!(ended instanceof PlaneError)) return ended;
      await retryOrGiveUp(call, ended, attempts, { limiter, onRetry: options.onRetry, endedCall });
    }
  } finally {
    limiter.clear();
  }
}

/** Each provider at most once, best first; a failure of one is no failure of the call while another may be asked. */
async function tryEach(
  call: Routed,
  candidates: readonly ProviderSpec[],
  attempts: Attempt[],
  limiter: TimeLimiter,
  options: ExecuteOptions,
): Promise<Executed> {
  const { name } = call.tool;
  const failures: { provider: string; reason: string }[] = [];
  for (const spec of candidates) {
    const provider = labelOf(call, spec);
    const missing = await options.routing.check(name, provider, spec, limiter.signal);
    if (missing !== null) {
      failures.push({ provider, reason: missing });
      options.routing.failed(name, provider, missing);
      continue;
    }
    const ended = await tryOnce(call, spec, attempts, limiter, options);
    if (!(ended instanceof PlaneError)) {
      options.routing.worked(name, provider);
      return ended;
    }
    if (limiter.signal.aborted) throw withAttempts(call, ended, attempts);
    failures.push({ provider, reason: ended.message });
    options.routing.failed(name, provider, ended.message);
    if (!mayFallOver(call, ended)) {
      const unknown = errorTable[ended.code].retryable ? unknownOutcome(call, ended) : ended;
      throw withAttempts(call, unknown, attempts);
    }
  }
  throw everyProviderFailed(call, failures, attempts);
}

/** What was executed, or why not. */
async function tryOnce(
  call: Routed,
  spec: ProviderSpec,
  attempts: Attempt[],
  limiter: TimeLimiter,
  options: ExecuteOptions,
): Promise<Executed | PlaneError> {
  const provider = labelOf(call, spec);
  const startedAt = performance.now();
  const took = () => performance.now() - startedAt;
  let raw: unknown;
  try {
    raw = await abortable(attempt(call, spec, limiter, options), limiter.signal);
  } catch (thrown) {
    const error = limiter.signal.aborted ? endedCall(call, limiter) : toPlaneError(thrown);
    attempts.push({ provider, ok: false, durationMs: took(), error: error.code });
    return error;
  }
  attempts.push({ provider, ok: true, durationMs: took(), error: null });
  return finish(call, provider, raw, attempts, options).catch((thrown) =>
    withAttempts(call, toPlaneError(thrown), attempts),
  );
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
  provider: string,
  raw: unknown,
  attempts: Attempt[],
  { checkOutput }: ExecuteOptions,
): Promise<Executed> {
  const { result, warnings } = normalizeResult(raw);
  if (isTooDeep(result)) {
    const server = call.tool.id.server === null ? {} : { server: call.tool.id.server };
    throw new PlaneError(
      "PROVIDER_FAILED",
      `'${call.tool.name}' answered with a result that is nested too deeply to be passed on.`,
      {
        data: { ...server, sent: true, retryAt: null },
      },
    );
  }
  if (call.tool.outputSchema && !result.isError) {
    // The tool has run: whatever is wrong with its schema is no reason to lose what it said.
    const found = await checkOutput(call.tool.outputSchema, result).catch((thrown) => [
      toPlaneError(thrown).message,
    ]);
    warnings.push(...found);
  }
  return { ...call, executed: { result, provider, attempts, warnings } };
}

function endedCall({ tool, route }: Routed, limiter: TimeLimiter): PlaneError {
  const { server } = tool.id;
  const also = isRepeatable(tool) ? "" : " It may still have run.";
  return ended(limiter, route.limit, { tool: tool.name, ...(server === null ? {} : { server }) }, also);
}
