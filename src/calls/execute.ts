import { effectOf } from "../access/access.ts";
import type { CancelledBy } from "../lib/async/cancellation.ts";
import { abortable } from "../lib/async/signals.ts";
import { TimeLimiter } from "../lib/async/time-limit.ts";
import type { TimeWheel } from "../lib/async/time-wheel.ts";
import { isTooDeep } from "../lib/json/exact-numbers.ts";
import { changeMembers } from "../lib/json/json-members.ts";
import { rememberText, sourceTextOf } from "../lib/json/json-text.ts";
import { sentence } from "../lib/text/wording.ts";
import { type Executed, onUnavailableChoices, type Routed } from "../model/calls/call.ts";
import type { Attempt } from "../model/calls/call-schema.ts";
import { isIdempotencyKey } from "../model/calls/idempotency-key.ts";
import type { Relay } from "../model/calls/provider.ts";
import { normalizeResult, type ToolResult } from "../model/calls/result.ts";
import { mayRunAgain } from "../model/calls/sent.ts";
import { healthKey } from "../model/catalogue/health.ts";
import {
  isRepeatable,
  type ProviderSpec,
  providerLabel,
  type Tool,
} from "../model/catalogue/tool.ts";
import { errorTable, isShutdown, PlaneError, toPlaneError } from "../model/errors.ts";
import { isObject, type JsonObject } from "../model/json.ts";
import { defaultRetry, type RetrySettings } from "../model/servers/server.ts";
import { type SessionOwner, withSeen } from "../servers/servers.ts";
import { type AttemptOptions, attempt, endedError, isOutdated, sessionOwner } from "./attempt.ts";
import type { AttemptPass, CallPass, Limits } from "./limits/limits.ts";
import { type Retrying, retryOrGiveUp, unknownOutcome, withAttempts } from "./retry.ts";

export type RoutingMemory = {
  /** `cooldownMs` is the provider's own wish. */
  failed(
    tool: string,
    provider: string,
    reason: string,
    cooldownMs?: number,
    startedAt?: number,
  ): void;
  worked(tool: string, provider: string): void;
  /** Null when it is available; asked at most once per interval. */
  check(
    tool: string,
    provider: string,
    spec: ProviderSpec,
    signal: AbortSignal,
  ): Promise<string | null>;
};

/** About the call or the caller, not about the provider. */
const blameless = new Set([
  "CANCELLED",
  "SHUTTING_DOWN",
  "TIMEOUT",
  "INVALID_ARGUMENTS",
  "FORBIDDEN",
  "INTERNAL",
  "BUDGET_EXCEEDED",
]);

function mayFallOver({ tool }: Routed, { code, data }: PlaneError): boolean {
  return !blameless.has(code) && mayRunAgain(tool, data);
}

function everyProviderFailed(
  { tool, route }: Routed,
  failed: Map<string, string>,
  attempts: Attempt[],
): PlaneError {
  const reasons = new Map([...failed, ...Object.entries(route.passedOver ?? {})]);
  const listed = [...reasons]
    .map(([provider, reason]) => `${provider}: ${sentence(reason)}`)
    .join(" ");
  // Those asked saw nothing, or the tool may be repeated: otherwise no other would have been tried.
  const facts = {
    tool: tool.name,
    sent: attempts.some(({ sent }) => sent !== false),
    retryAt: null,
    attempts: attempts.length,
    history: attempts,
  };
  return new PlaneError("NO_PROVIDER", `Every provider of '${tool.name}' failed. ${listed}`, {
    data: { ...facts, providers: Object.fromEntries(reasons) },
  });
}

function cooldownOf({ data: { retryInMs } }: PlaneError): number {
  return typeof retryInMs === "number" ? retryInMs : 0;
}

function labelOf(call: Routed, spec: ProviderSpec): string {
  return providerLabel(spec, call.tool.providers);
}

const readOnlyTools = new WeakMap<Tool, boolean>();

/** Only declared: a name alone proves nothing, and a key that is not needed does no harm. Decided once for a tool. */
function isKnownToRead(tool: Tool): boolean {
  const cached = readOnlyTools.get(tool);
  if (cached !== undefined) return cached;
  const { effect, known: isKnown } = effectOf(tool, {});
  const onlyReads = isKnown && effect === "read";
  readOnlyTools.set(tool, onlyReads);
  return onlyReads;
}

/**
 * The same key for every time that a call is sent, also later by a dead letter or a resumed run. A new call has a new
 * one, unless its caller gives one.
 */
export function idempotencyKeyOf({ id, tool, options }: Routed): string | undefined {
  const { idempotencyKey, sentKey = idempotencyKey } = options;
  const takesKey = tool.metadata.idempotency_key !== false || !isKnownToRead(tool);
  const ownKey = takesKey ? id : undefined;
  const key = sentKey === undefined ? ownKey : sentKey;
  if (key === undefined || isIdempotencyKey(key)) return key;
  const text = `'idempotencyKey' of the call of '${tool.name}' must be 1 to 255 visible ASCII characters without spaces.`;
  throw new PlaneError("USAGE", text, { data: { tool: tool.name, sent: false } });
}

function requireKnownChoice({ tool, options: { onUnavailable = "fail" } }: Routed): void {
  if (onUnavailableChoices.includes(onUnavailable)) return;
  const text = `'onUnavailable' of the call of '${tool.name}' must be one of ${onUnavailableChoices.join(", ")}.`;
  throw new PlaneError("USAGE", text, { data: { tool: tool.name, sent: false } });
}

/** Progress may extend a limit this far. */
export const progressStretch = 10;

export type ExecuteOptions = AttemptOptions & {
  checkOutput(schema: JsonObject, result: ToolResult): Promise<string[]>;
  onRetry: Retrying["onRetry"];
  readyInMs?(spec: ProviderSpec): number;
  isOpen?(spec: ProviderSpec, owner: SessionOwner): boolean;
  /** False where another should be asked meanwhile; it is opened beside. `isHasty`: another is open. */
  isReady?(spec: ProviderSpec, owner: SessionOwner, isHasty: boolean): Promise<boolean>;
  /** Asked only after a failure. */
  retryFor?(spec: ProviderSpec): RetrySettings;
  routing: RoutingMemory;
  limits?: Limits;
  /** The time limits of calls. */
  wheel?: TimeWheel<TimeLimiter> | undefined;
};

/** What a call brings along for its execution. */
export type Executing = {
  cancellation?: CancelledBy;
  relay?: Relay | undefined;
};

/** Answers a call without its providers, or around them. */
export type Around = (
  call: Routed,
  executing: Executing,
  run: (
    call: Routed,
    executing: Executing,
    instead?: Pick<ExecuteOptions, "answer">,
  ) => Promise<Executed>,
) => Promise<Executed>;

type Run = {
  call: Routed;
  attempts: Attempt[];
  /** When the last attempt began. */
  askedAt: number;
  limiter: TimeLimiter;
  pass: CallPass | undefined;
  idempotencyKey: string | undefined;
  options: ExecuteOptions;
  relay: Relay | undefined;
};

export async function execute(
  call: Routed,
  options: ExecuteOptions,
  executing: Executing = {},
): Promise<Executed> {
  const { ms } = call.route.limit;
  const { cancellation: caller, relay } = executing;
  const idempotencyKey = idempotencyKeyOf(call);
  requireKnownChoice(call);
  const limiter = new TimeLimiter(ms, {
    capMs: ms * progressStretch,
    caller,
    wheel: options.wheel,
  });
  const { candidates } = call.route;
  let pass: CallPass | undefined;
  try {
    const entering = options.limits?.enter(call, limiter);
    if (entering)
      pass = await entering.catch((thrown) => Promise.reject(refusal(call, thrown, limiter)));
    const run: Run = {
      call,
      attempts: [],
      askedAt: 0,
      limiter,
      pass,
      idempotencyKey,
      options,
      relay,
    };
    if (candidates.length > 1) return await tryEach(run, candidates);
    return await tryAgain(run, candidates[0] as ProviderSpec);
  } finally {
    pass?.leave();
    limiter.clear();
  }
}

async function tryAgain(run: Run, spec: ProviderSpec): Promise<Executed> {
  const { call, attempts, limiter, options } = run;
  const { limits, onRetry } = options;
  limits?.called(call, spec);
  for (;;) {
    const entered = enterAttempt(run, spec);
    const pass = entered instanceof Promise ? await entered : entered;
    if (pass instanceof PlaneError) throw withAttempts(call, pass, attempts);
    const ended = await tryOnce(run, spec, pass);
    // Counts for the cooldown, also where the others are unavailable.
    if (call.tool.providers.length > 1 && !limiter.isCancelled) remember(run, spec, ended);
    if (!(ended instanceof PlaneError)) return ended;
    const settings = options.retryFor?.(spec) ?? defaultRetry;
    const readyInMs = () => options.readyInMs?.(spec) ?? 0;
    const against = (error: PlaneError) => (limits ? limits.againstRetry(call, spec, error) : null);
    const retrying = { limiter, onRetry, readyInMs, settings, against, endedCall };
    await retryOrGiveUp(call, ended, attempts, retrying).catch((thrown) => {
      pass?.giveUp(ended);
      // The last of several, where another would have been asked.
      if (!call.route.passedOver || !mayFallOver(call, ended) || limiter.isCancelled) throw thrown;
      throw everyProviderFailed(call, new Map([[labelOf(call, spec), ended.message]]), attempts);
    });
  }
}

function remember(
  { call, askedAt, options: { routing } }: Run,
  spec: ProviderSpec,
  ended: Executed | PlaneError,
): void {
  const key = healthKey(call.tool);
  const provider = labelOf(call, spec);
  if (ended instanceof PlaneError)
    routing.failed(key, provider, ended.message, cooldownOf(ended), askedAt);
  else routing.worked(key, provider);
}

/** A provider that is not connected is not waited for while another one can be asked. */
async function isReady(
  { call, limiter, options }: Run,
  spec: ProviderSpec,
  rivals: readonly ProviderSpec[],
) {
  const owner = sessionOwner(call.principal, call.options.conversation);
  const isHasty = rivals.some((rival) => options.isOpen?.(rival, owner) ?? true);
  const ready = options.isReady?.(spec, owner, isHasty) ?? Promise.resolve(true);
  return abortable(ready, limiter.signal).catch(() => true);
}

/** Each provider at most once, best first. */
async function tryEach(run: Run, candidates: readonly ProviderSpec[]): Promise<Executed> {
  const { call, attempts, limiter } = run;
  const { routing } = run.options;
  const key = healthKey(call.tool);
  const failures = new Map<string, string>();
  const queue = [...candidates];
  for (const [index, spec] of queue.entries()) {
    const laterCandidates = candidates.slice(index + 1);
    if (laterCandidates.length > 0 && !(await isReady(run, spec, laterCandidates))) {
      queue.push(spec);
      continue;
    }
    const provider = labelOf(call, spec);
    const missing = await routing.check(key, provider, spec, limiter.signal);
    if (missing !== null) {
      failures.set(provider, missing);
      routing.failed(key, provider, missing);
      continue;
    }
    const pass = await enterAttempt(run, spec);
    if (pass instanceof PlaneError) {
      if (!mayFallOver(call, pass)) throw withAttempts(call, pass, attempts);
      // It was not asked, so its health does not change.
      failures.set(provider, pass.message);
      continue;
    }
    const ended = await tryOnce(run, spec, pass);
    if (ended instanceof PlaneError) pass?.giveUp(ended);
    if (ended instanceof PlaneError && limiter.isCancelled)
      throw withAttempts(call, ended, attempts);
    remember(run, spec, ended);
    if (!(ended instanceof PlaneError)) return ended;
    failures.set(provider, ended.message);
    if (mayFallOver(call, ended)) continue;
    const unknown = errorTable[ended.code].retryable ? unknownOutcome(call, ended) : ended;
    throw withAttempts(call, unknown, attempts);
  }
  throw everyProviderFailed(call, failures, attempts);
}

/** These say when the request leaves; of all others it is sent with the first step. */
const tellsOfWrites: ReadonlySet<string> = new Set(["mcp", "http"]);

type Entered = AttemptPass | undefined | PlaneError;

function enterAttempt(run: Run, spec: ProviderSpec): Entered | Promise<Entered> {
  const { call, limiter, pass, options } = run;
  const refuse = (thrown: unknown) => refusal(call, thrown, limiter);
  try {
    const entered = options.limits?.enterAttempt(spec, limiter, pass);
    if (entered instanceof Promise) return entered.catch(refuse);
    return entered;
  } catch (thrown) {
    return refuse(thrown);
  }
}

async function tryOnce(
  run: Run,
  spec: ProviderSpec,
  pass: AttemptPass | undefined,
): Promise<Executed | PlaneError> {
  const { call, attempts, limiter, idempotencyKey, options, relay } = run;
  const provider = labelOf(call, spec);
  const startedAt = performance.now();
  run.askedAt = startedAt;

  function note(error: PlaneError | null) {
    const noted: Attempt = {
      provider,
      ok: error === null,
      durationMs: performance.now() - startedAt,
      error: error?.code ?? null,
    };
    if (error?.data.sent === false) noted.sent = false;
    if (error?.data.shared === true) noted.shared = true;
    attempts.push(noted);
    pass?.end(error);
  }

  let raw: unknown;
  let isSent = !tellsOfWrites.has(spec.name);

  function onWrite() {
    isSent = true;
  }

  try {
    raw = await attempt(call, spec, { onWrite, limiter, pass, idempotencyKey, relay }, options);
  } catch (thrown) {
    const error = limiter.isCancelled
      ? withSeen(endedCall(call, limiter, isSent), thrown)
      : toPlaneError(thrown);
    if (isOutdated(error)) {
      // Says nothing about the server: neither health nor circuit breaker counts it.
      pass?.end(error);
      pass?.giveUp(error);
      throw error;
    }
    note(error);
    return error;
  }
  note(null);
  try {
    const finished = finish(run, provider, raw);
    if (finished instanceof Promise) return await finished;
    return finished;
  } catch (thrown) {
    return withAttempts(call, toPlaneError(thrown), attempts);
  }
}

function endedCall(call: Routed, limiter: TimeLimiter, isSent = false): PlaneError {
  const { id, tool, route } = call;
  const names = { tool: tool.name, ...serverOf(tool) };
  const data = isSent ? names : { ...names, sent: false };
  const mayHaveRun = isSent && !isRepeatable(tool);
  if (!isShutdown(limiter.reason)) {
    return endedError(limiter, route.limit, data, endedNote(isSent, mayHaveRun));
  }
  const facts = { ...data, callId: id };
  const also = mayHaveRun ? "" : " It may be called again.";
  const error = endedError(limiter, route.limit, facts, also);
  // As where a server is lost.
  if (!mayHaveRun) return error;
  return unknownOutcome(call, error);
}

function endedNote(isSent: boolean, mayHaveRun: boolean): string {
  if (mayHaveRun) return " It may still have run.";
  return isSent ? "" : " The request had not been sent.";
}

function serverOf({ id: { server } }: Routed["tool"]): { server?: string } {
  return server === null ? {} : { server };
}

/** A limit, or a timeout in its queue. */
function refusal({ tool, route }: Routed, thrown: unknown, limiter: TimeLimiter): PlaneError {
  if (!limiter.isCancelled) return toPlaneError(thrown);
  const also = " It still waited for its turn and was not run.";
  return endedError(limiter, route.limit, { tool: tool.name, sent: false }, also);
}

/** Fit for every face. */
function finish(
  { call, attempts, options }: Run,
  provider: string,
  raw: unknown,
): Executed | Promise<Executed> {
  const { name, outputSchema } = call.tool;
  const { result, warnings } = normalizeResult(raw);
  if (call.input.warnings) warnings.push(...call.input.warnings);
  if (result !== raw) keepText(raw, result);
  if (isTooDeep(result)) {
    const text = `'${name}' answered with a result that is nested too deeply to be passed on.`;
    throw new PlaneError("PROVIDER_FAILED", text, {
      data: { ...serverOf(call.tool), sent: true, retryAt: null },
    });
  }
  const executed = call as Executed;
  executed.executed = { result, provider, attempts, warnings };
  if (!outputSchema || result.isError) return executed;
  // The tool has run: a bad schema must not lose its result.
  const checked = options
    .checkOutput(outputSchema, result)
    .catch((thrown) => [toPlaneError(thrown).message]);
  return checked.then((problems) => {
    warnings.push(...problems);
    return executed;
  });
}

/** As the server wrote it. */
function keepText(raw: unknown, result: ToolResult): void {
  const text = isObject(raw) ? sourceTextOf(raw) : undefined;
  if (text === undefined) return;
  const { content, isError } = result;
  const shaped = changeMembers(text, {
    content: () => JSON.stringify(content),
    isError: () => (isError === undefined ? undefined : String(isError)),
  });
  rememberText(result, shaped);
}
