import { abortable } from "../lib/async/signals.ts";
import { limitTime, type TimeLimiter } from "../lib/async/time-limit.ts";
import { isTooDeep } from "../lib/json/exact-numbers.ts";
import { changeMembers } from "../lib/json/json-members.ts";
import { rememberText, textOf } from "../lib/json/json-text.ts";
import { sentence } from "../lib/text/wording.ts";
import type { Attempt, Executed, Routed } from "../model/calls/call.ts";
import type { Relay } from "../model/calls/provider.ts";
import { normalizeResult, type ToolResult } from "../model/calls/result.ts";
import { healthKey } from "../model/catalogue/health.ts";
import { isRepeatable, type ProviderSpec, providerLabel } from "../model/catalogue/tool.ts";
import { errorTable, PlaneError, toPlaneError } from "../model/errors.ts";
import { isObject, type JsonObject } from "../model/json.ts";
import { type AttemptOptions, attempt, ended, isOutdated } from "./attempt.ts";
import type { AttemptPass, CallPass, Limits } from "./limits/limits.ts";
import { type Retrying, retryOrGiveUp, unknownOutcome, withAttempts } from "./retry.ts";

export type RoutingMemory = {
  /** `cooldownMs` is the provider's own wish. */
  failed(tool: string, provider: string, reason: string, cooldownMs?: number): void;
  worked(tool: string, provider: string): void;
  /** Null when it is available; asked at most once per interval. */
  check(tool: string, provider: string, spec: ProviderSpec, signal: AbortSignal): Promise<string | null>;
};

/** About the call or the caller, not about the provider. */
const notTheirFault = new Set([
  "CANCELLED",
  "TIMEOUT",
  "INVALID_ARGUMENTS",
  "FORBIDDEN",
  "INTERNAL",
  "BUDGET_EXCEEDED",
]);

function mayFallOver(call: Routed, error: PlaneError): boolean {
  if (notTheirFault.has(error.code)) return false;
  return error.data.sent === false || isRepeatable(call.tool);
}

function everyProviderFailed(
  call: Routed,
  failures: readonly { provider: string; reason: string }[],
  attempts: readonly Attempt[],
): PlaneError {
  const reasons = failures.map(({ provider, reason }) => `${provider}: ${sentence(reason)}`).join(" ");
  return new PlaneError("NO_PROVIDER", `Every provider of '${call.tool.name}' failed. ${reasons}`, {
    data: {
      tool: call.tool.name,
      // Those asked did nothing, or the tool may be repeated: otherwise no other would have been tried.
      sent: false,
      retryAt: null,
      attempts: attempts.length,
      history: attempts,
      providers: Object.fromEntries(failures.map(({ provider, reason }) => [provider, reason])),
    },
  });
}

function cooldownOf({ data: { retryInMs } }: PlaneError): number {
  return typeof retryInMs === "number" ? retryInMs : 0;
}

function labelOf(call: Routed, spec: ProviderSpec): string {
  return providerLabel(spec, call.tool.providers);
}

const fit = /^[\x21-\x7e]{1,255}$/;

/** The same idempotency key for all attempts of a call. */
export function idempotencyKeyOf({ id, tool, options }: Routed): string | undefined {
  if (tool.metadata.idempotency_key === false) return undefined;
  const { idempotencyKey = id } = options;
  if (typeof idempotencyKey === "string" && fit.test(idempotencyKey)) return idempotencyKey;
  throw new PlaneError(
    "USAGE",
    `'idempotencyKey' of the call of '${tool.name}' must be 1 to 255 visible ASCII characters without spaces.`,
    { data: { tool: tool.name, sent: false } },
  );
}

/** Progress may extend a limit this far. */
const progressStretch = 10;

export type ExecuteOptions = AttemptOptions & {
  checkOutput: CheckOutput;
  onRetry: Retrying["onRetry"];
  routing: RoutingMemory;
  limits?: Limits;
  signal: AbortSignal | undefined;
  relay?: Relay | undefined;
};

type Run = {
  call: Routed;
  attempts: Attempt[];
  limiter: TimeLimiter;
  pass: CallPass | undefined;
  idempotencyKey: string | undefined;
  options: ExecuteOptions;
};

export async function execute(call: Routed, options: ExecuteOptions): Promise<Executed> {
  const { ms } = call.route.limit;
  const idempotencyKey = idempotencyKeyOf(call);
  const limiter = limitTime(ms, ms * progressStretch, options.signal);
  const [first, ...others] = call.route.candidates as [ProviderSpec, ...ProviderSpec[]];
  let pass: CallPass | undefined;
  try {
    const entering = options.limits?.enter(call, limiter);
    if (entering) pass = await entering.catch((thrown) => Promise.reject(refusal(call, thrown, limiter)));
    const run: Run = { call, attempts: [], limiter, pass, idempotencyKey, options };
    return await (others.length > 0 ? tryEach(run, [first, ...others]) : tryAgain(run, first));
  } finally {
    pass?.leave();
    limiter.clear();
  }
}

async function tryAgain(run: Run, spec: ProviderSpec): Promise<Executed> {
  const { call, attempts, limiter, options } = run;
  const { limits, onRetry } = options;
  limits?.called(call, spec);
  const against = (error: PlaneError) => (limits ? limits.againstRetry(call, spec, error) : null);
  for (;;) {
    const entered = enterAttempt(run, spec);
    const pass = entered instanceof Promise ? await entered : entered;
    if (pass instanceof PlaneError) throw withAttempts(call, pass, attempts);
    const ended = await tryOnce(run, spec, pass);
    remember(run, spec, ended);
    if (!(ended instanceof PlaneError)) return ended;
    await retryOrGiveUp(call, ended, attempts, { limiter, onRetry, against, endedCall }).catch((thrown) => {
      pass?.giveUp(ended);
      throw thrown;
    });
  }
}

/** Counts for the cooldown, also where the others are unavailable. */
function remember({ call, limiter, options }: Run, spec: ProviderSpec, ended: Executed | PlaneError): void {
  if (call.tool.providers.length < 2 || limiter.signal.aborted) return;
  const [key, provider] = [healthKey(call.tool), labelOf(call, spec)];
  if (ended instanceof PlaneError) options.routing.failed(key, provider, ended.message, cooldownOf(ended));
  else options.routing.worked(key, provider);
}

async function tryEach(run: Run, candidates: readonly ProviderSpec[]): Promise<Executed> {
  const { call, attempts, limiter } = run;
  const { routing } = run.options;
  const key = healthKey(call.tool);
  const failures: { provider: string; reason: string }[] = [];
  for (const spec of candidates) {
    const provider = labelOf(call, spec);
    const missing = await routing.check(key, provider, spec, limiter.signal);
    if (missing !== null) {
      failures.push({ provider, reason: missing });
      routing.failed(key, provider, missing);
      continue;
    }
    const pass = await enterAttempt(run, spec);
    if (pass instanceof PlaneError) {
      if (!mayFallOver(call, pass)) throw withAttempts(call, pass, attempts);
      // It was not asked, so its health does not change.
      failures.push({ provider, reason: pass.message });
      continue;
    }
    const ended = await tryOnce(run, spec, pass);
    if (!(ended instanceof PlaneError)) {
      routing.worked(key, provider);
      return ended;
    }
    pass?.giveUp(ended);
    if (limiter.signal.aborted) throw withAttempts(call, ended, attempts);
    failures.push({ provider, reason: ended.message });
    routing.failed(key, provider, ended.message, cooldownOf(ended));
    if (!mayFallOver(call, ended)) {
      const unknown = errorTable[ended.code].retryable ? unknownOutcome(call, ended) : ended;
      throw withAttempts(call, unknown, attempts);
    }
  }
  throw everyProviderFailed(call, failures, attempts);
}

function enterAttempt(
  { call, limiter, pass, options: { limits } }: Run,
  spec: ProviderSpec,
): Entered | Promise<Entered> {
  const refuse = (thrown: unknown) => refusal(call, thrown, limiter);
  try {
    const entered = limits?.enterAttempt(spec, limiter, pass);
    return entered instanceof Promise ? entered.catch(refuse) : entered;
  } catch (thrown) {
    return refuse(thrown);
  }
}

type Entered = AttemptPass | undefined | PlaneError;

async function tryOnce(
  { call, attempts, limiter, idempotencyKey, options }: Run,
  spec: ProviderSpec,
  pass: AttemptPass | undefined,
): Promise<Executed | PlaneError> {
  const provider = labelOf(call, spec);
  const startedAt = performance.now();
  let raw: unknown;
  try {
    raw = await abortable(
      attempt(call, spec, { limiter, pass, idempotencyKey, relay: options.relay }, options),
      limiter.signal,
    );
  } catch (thrown) {
    const error = limiter.signal.aborted ? endedCall(call, limiter) : toPlaneError(thrown);
    if (isOutdated(error)) {
      // Says nothing about the server: neither health nor circuit breaker counts it.
      pass?.end(error);
      pass?.giveUp(error);
      throw error;
    }
    const unsent = error.data.sent === false ? ({ sent: false } as const) : {};
    attempts.push({
      provider,
      ok: false,
      durationMs: performance.now() - startedAt,
      error: error.code,
      ...unsent,
    });
    pass?.end(error);
    return error;
  }
  attempts.push({ provider, ok: true, durationMs: performance.now() - startedAt, error: null });
  pass?.end(null);
  try {
    const finished = finish(call, provider, raw, attempts, options.checkOutput);
    return finished instanceof Promise ? await finished : finished;
  } catch (thrown) {
    return withAttempts(call, toPlaneError(thrown), attempts);
  }
}

function endedCall({ tool, route }: Routed, limiter: TimeLimiter): PlaneError {
  const { server } = tool.id;
  const also = isRepeatable(tool) ? "" : " It may still have run.";
  return ended(limiter, route.limit, { tool: tool.name, ...(server === null ? {} : { server }) }, also);
}

function refusal({ tool, route }: Routed, thrown: unknown, limiter: TimeLimiter): PlaneError {
  if (!limiter.signal.aborted) return toPlaneError(thrown);
  const also = " It still waited for its turn and was not run.";
  return ended(limiter, route.limit, { tool: tool.name, sent: false }, also);
}

type CheckOutput = (schema: JsonObject, result: ToolResult) => Promise<string[]>;

function finish(
  call: Routed,
  provider: string,
  raw: unknown,
  attempts: Attempt[],
  checkOutput: CheckOutput,
): Executed | Promise<Executed> {
  const { result, warnings } = normalizeResult(raw);
  if (result !== raw) keepText(raw, result);
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
  const executed = { result, provider, attempts, warnings };
  const { outputSchema } = call.tool;
  if (!outputSchema || result.isError) return { ...call, executed };
  // The tool has run: a bad schema must not lose its result.
  return checkOutput(outputSchema, result)
    .catch((thrown) => [toPlaneError(thrown).message])
    .then((found) => {
      warnings.push(...found);
      return { ...call, executed };
    });
}

function keepText(raw: unknown, result: ToolResult): void {
  const text = isObject(raw) ? textOf(raw) : undefined;
  if (text === undefined) return;
  const { content, isError } = result;
  const shaped = changeMembers(text, {
    content: () => JSON.stringify(content),
    isError: () => (isError === undefined ? undefined : String(isError)),
  });
  rememberText(result, shaped);
}
