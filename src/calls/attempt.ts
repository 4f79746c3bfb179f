import type { TimeLimiter } from "../lib/async/time-limit.ts";
import { putExactNumbers } from "../lib/json/exact-numbers.ts";
import { rememberText, textOf } from "../lib/json/json-text.ts";
import { hasMembers } from "../lib/json/plain-data.ts";
import type { Routed, TimeLimit } from "../model/calls/call.ts";
import type { Asked, ProgressReport, Provider, Relay, TaskReport } from "../model/calls/provider.ts";
import type { ProviderSpec } from "../model/catalogue/tool.ts";
import { type ErrorData, isShutdown, PlaneError } from "../model/errors.ts";
import type { JsonObject, UnknownObject } from "../model/json.ts";
import type { Principal } from "../model/principal.ts";
import { requirePage } from "../protocol/page-address.ts";
import { createInjectedHider } from "./hide-injected.ts";
import type { AttemptPass } from "./limits/limits.ts";
import { neverSent } from "./providers/mapping.ts";

export type AttemptOptions = {
  provider(name: string): Provider | undefined;
  isCurrent?(call: Routed, spec: ProviderSpec): boolean;
  onProgress(call: Routed, progress: ProgressReport): void;
  onTask?(call: Routed, task: TaskReport): void;
  /** Does a person answer what a server asks a model? */
  samples?(call: Routed): boolean;
  /** The caller's answer, as the server may read it. */
  fit?(asked: Asked, answered: UnknownObject, relay?: Relay): Promise<UnknownObject>;
  answer(call: Routed, server: string, asked: Asked, signal: AbortSignal, relay?: Relay): Promise<UnknownObject>;
};

type AttemptWith = {
  /** The request is about to be written. */
  onSend?: () => void;
  limiter: TimeLimiter;
  pass: AttemptPass | undefined;
  idempotencyKey: string | undefined;
  relay?: Relay | undefined;
};

/** Made once: a stack is costly. */
const isOver = new Error("the attempt is over");

type AskedWith = Pick<AttemptWith, "limiter" | "pass" | "relay">;

/** The server's questions during one attempt. */
export function createQuestions(
  call: Routed,
  spec: ProviderSpec,
  { limiter, pass, relay }: AskedWith,
  options: Pick<AttemptOptions, "answer" | "fit">,
  hide = createInjectedHider(call.injected.values),
) {
  // A server that continues without its answer waits no longer. Few ask anything.
  let over: AbortController | undefined;
  /** The caller answers where it can; else the plane does. */
  const answer = async (asked: Asked, signal: AbortSignal): Promise<UnknownObject> => {
    requirePage(asked.method, asked.params);
    const server = String(spec.config.server);
    const answered = await relay?.onQuestion?.(server, hide.value(asked), signal);
    if (!answered) return options.answer(call, server, asked, signal, relay);
    return (await options.fit?.(asked, answered, relay)) ?? answered;
  };
  return {
    take(method: string, params: UnknownObject, signal: AbortSignal): Promise<UnknownObject> {
      // Waiting for an answer does not count against the server's time.
      const goOn = limiter.pause();
      const countOn = pass?.pause();
      over ??= new AbortController();
      return answer({ method, params }, AbortSignal.any([signal, limiter.signal, over.signal])).finally(() => {
        countOn?.();
        goOn();
      });
    },
    end: () => over?.abort(isOver),
  };
}

export function attempt(
  call: Routed,
  spec: ProviderSpec,
  { onSend, limiter, pass, idempotencyKey, relay }: AttemptWith,
  options: AttemptOptions,
): Promise<unknown> {
  const provider = options.provider(spec.name);
  if (!provider) throw neverSent("NO_PROVIDER", `No provider of kind '${spec.name}' is known.`);
  const hide = createInjectedHider(call.injected.values);
  const questions = createQuestions(call, spec, { limiter, pass, relay }, options, hide);
  const args = argumentsOf(call, spec);
  return provider(spec, args, {
    signal: limiter.signal,
    owner: sessionOwner(call.principal, call.options.conversation),
    principal: call.principal,
    idempotencyKey,
    beforeSend() {
      if (options.isCurrent?.(call, spec) === false) throw outdated(call);
      onSend?.();
    },
    onRequest: questions.take,
    onProgress(progress) {
      limiter.extend();
      const shown = hide.value(progress);
      options.onProgress(call, shown);
      relay?.onProgress?.(shown);
    },
    onTask(task, isNews) {
      if (isNews) limiter.extend();
      options.onTask?.(call, hide.value(task));
    },
    ...(relay?.onLog ? { onLog: (message) => relay.onLog?.(hide.value(message)) } : {}),
    asClient: relay?.client,
    meta: relay?.meta,
    ...(hasMembers(call.injected.values) ? { hidden: { names: Object.keys(call.injected.values), ...hide } } : {}),
    ...(relay?.onOwnTool ? { onOwnTool: relay.onOwnTool } : {}),
    continuation: relay?.continuation,
    samples: options.samples?.(call),
  }).then(
    (result) => {
      questions.end();
      return hide.result(result);
    },
    (thrown) => {
      questions.end();
      throw hide.error(thrown);
    },
  );
}

/** A server gets the text of its caller where nothing is added; what else executes a tool may change its own copy. */
export function argumentsOf({ input, injected }: Routed, { name }: ProviderSpec): JsonObject {
  const text = name === "mcp" && !hasMembers(injected.values) ? textOf(input.arguments) : undefined;
  if (text !== undefined && input.exact === undefined) return input.arguments;
  const args = { ...putExactNumbers(input.arguments, input.exact ?? []), ...injected.values };
  if (text !== undefined) rememberText(args, text);
  return args;
}

/** A conversation belongs to the key that began it. */
export function sessionOwner({ user, key }: Principal, conversation: string | undefined) {
  if (conversation === undefined || key === undefined) return { user, conversation: conversation ?? null };
  return { user, conversation: `${key} ${conversation}` };
}

/** The definition has changed. Nothing was sent, and the call must be planned again. */
function outdated({ tool }: Routed): PlaneError {
  return new PlaneError("CONFLICT", `The definition of '${tool.name}' keeps changing. Nothing was run.`, {
    data: { tool: tool.name, sent: false, isOutdated: true },
  });
}

export function isOutdated(thrown: unknown): boolean {
  return thrown instanceof PlaneError && thrown.data.isOutdated === true;
}

export function ended(limiter: TimeLimiter, { ms, setBy }: TimeLimit, data: ErrorData & { tool: string }, also = "") {
  if (isShutdown(limiter.reason)) {
    const which = data.callId === undefined ? "" : ` (call ${data.callId})`;
    const text = `This plane was shut down before '${data.tool}' had answered${which}.${also}`;
    return new PlaneError("SHUTTING_DOWN", text, { data: { ...data, stopped: true } });
  }
  if (!limiter.isExpired) return new PlaneError("CANCELLED", `The call of '${data.tool}' was cancelled.`, { data });
  const text = `'${data.tool}' did not answer within ${ms / 1000} s (limit of the ${setBy}).${also}`;
  return new PlaneError("TIMEOUT", text, { data: { ...data, limitMs: ms, limitSetBy: setBy } });
}
