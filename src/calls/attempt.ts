import { orCancelled } from "../lib/async/cancellation.ts";
import type { TimeLimiter } from "../lib/async/time-limit.ts";
import { putExactNumbers } from "../lib/json/exact-numbers.ts";
import { rememberText, sourceTextOf } from "../lib/json/json-text.ts";
import { hasMembers } from "../lib/json/plain-data.ts";
import type { Routed, TimeLimit } from "../model/calls/call.ts";
import type {
  ProgressReport,
  Provider,
  ProviderContext,
  Relay,
  ServerRequest,
  TaskReport,
} from "../model/calls/provider.ts";
import { isRepeatable, type ProviderSpec } from "../model/catalogue/tool.ts";
import { type ErrorData, isShutdown, PlaneError } from "../model/errors.ts";
import type { JsonObject, UnknownObject } from "../model/json.ts";
import type { Principal } from "../model/principal.ts";
import { requirePage } from "../protocol/page-address.ts";
import { GivenUp } from "../protocol/strays.ts";
import { ownerOfCaller, type SessionOwner } from "../servers/servers.ts";
import { createInjectedHider, type InjectedHider } from "./hide-injected.ts";
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
  fit?(question: ServerRequest, answered: UnknownObject, relay?: Relay): Promise<UnknownObject>;
  answer(
    call: Routed,
    server: string,
    question: ServerRequest,
    signal: AbortSignal,
    relay?: Relay,
  ): Promise<UnknownObject>;
};

type AttemptSetup = {
  /** From now on the provider may see the request. */
  onWrite?: () => void;
  limiter: TimeLimiter;
  pass: AttemptPass | undefined;
  idempotencyKey: string | undefined;
  relay?: Relay | undefined;
};

/** Made once: a stack is costly. */
const isOver = new Error("the attempt is over");

type QuestionContext = Pick<AttemptSetup, "limiter" | "pass" | "relay">;

type Questions = ReturnType<typeof createQuestions>;

/** The server's questions during one attempt. */
function createQuestions(
  call: Routed,
  spec: ProviderSpec,
  { limiter, pass, relay }: QuestionContext,
  options: Pick<AttemptOptions, "answer" | "fit">,
  hide: InjectedHider,
) {
  // A server that continues without its answer waits no longer. Few ask anything.
  let over: AbortController | undefined;

  /** The caller answers where it can; else the plane does. */
  async function answer(question: ServerRequest, signal: AbortSignal): Promise<UnknownObject> {
    requirePage(question.method, question.params);
    const server = String(spec.config.server);
    const callerAnswer = await relay?.onQuestion?.(server, hide.value(question), signal);
    if (!callerAnswer) return options.answer(call, server, question, signal, relay);
    return (await options.fit?.(question, callerAnswer, relay)) ?? callerAnswer;
  }

  return {
    take(method: string, params: UnknownObject, signal: AbortSignal): Promise<UnknownObject> {
      // Waiting for an answer does not count against the server's time.
      const goOn = limiter.pause();
      const countOn = pass?.pause();
      over ??= new AbortController();
      return answer(
        { method, params },
        AbortSignal.any([signal, limiter.signal, over.signal]),
      ).finally(() => {
        countOn?.();
        goOn();
      });
    },
    end: () => over?.abort(isOver),
  };
}

/** One attempt as its provider sees it. What few providers ask for is made when they do. Others inherit from it, so its fields have no private names. */
class Attempt implements ProviderContext {
  readonly principal: Principal;
  readonly owner: ProviderContext["owner"];
  readonly idempotencyKey: string | undefined;
  readonly cancellation: TimeLimiter;
  private readonly call: Routed;
  private readonly spec: ProviderSpec;
  private readonly setup: AttemptSetup;
  private readonly options: AttemptOptions;
  private readonly hide: InjectedHider;
  private questions: Questions | undefined;
  private answers: ProviderContext["onRequest"];
  private reports: ProviderContext["onProgress"] | undefined;

  constructor(
    call: Routed,
    spec: ProviderSpec,
    setup: AttemptSetup,
    options: AttemptOptions,
    hide: InjectedHider,
  ) {
    this.principal = call.principal;
    this.owner = sessionOwner(call.principal, call.options.conversation);
    this.idempotencyKey = setup.idempotencyKey;
    this.cancellation = setup.limiter;
    this.call = call;
    this.spec = spec;
    this.setup = setup;
    this.options = options;
    this.hide = hide;
  }

  get by(): string | null {
    return this.owner.user;
  }

  get signal(): AbortSignal {
    return this.cancellation.signal;
  }

  beforeSend = (): void => {
    if (this.options.isCurrent?.(this.call, this.spec) === false) throw outdated(this.call);
  };

  onWrite = (): void => this.setup.onWrite?.();

  get mayRepeat(): boolean {
    return isRepeatable(this.call.tool);
  }

  get onRequest(): NonNullable<ProviderContext["onRequest"]> {
    this.answers ??= this.answering();
    return this.answers;
  }

  get onProgress(): ProviderContext["onProgress"] {
    this.reports ??= this.reporting();
    return this.reports;
  }

  get onTask(): ProviderContext["onTask"] {
    return (task, isNews) => {
      if (isNews) this.cancellation.extend();
      this.options.onTask?.(this.call, this.hide.value(task));
    };
  }

  get onLog(): ProviderContext["onLog"] {
    const { relay } = this.setup;
    return relay?.onLog && ((message) => relay.onLog?.(this.hide.value(message)));
  }

  get asClient(): ProviderContext["asClient"] {
    return this.setup.relay?.client;
  }

  get meta(): ProviderContext["meta"] {
    return this.setup.relay?.meta;
  }

  get hidden(): ProviderContext["hidden"] {
    const { values } = this.call.injected;
    if (!hasMembers(values)) return undefined;
    return { names: Object.keys(values), ...this.hide };
  }

  get onOwnTool(): ProviderContext["onOwnTool"] {
    return this.setup.relay?.onOwnTool;
  }

  get continuation(): ProviderContext["continuation"] {
    return this.setup.relay?.continuation;
  }

  get samples(): ProviderContext["samples"] {
    return this.options.samples?.(this.call);
  }

  /** Questions that are open are not waited for any longer. */
  end(): void {
    this.questions?.end();
  }

  // Returned, and not written where they are assigned: V8 makes such a function old at once, and it keeps its call.
  private answering(): NonNullable<ProviderContext["onRequest"]> {
    return (method, params, signal) => {
      this.questions ??= createQuestions(this.call, this.spec, this.setup, this.options, this.hide);
      return this.questions.take(method, params, signal);
    };
  }

  private reporting(): ProviderContext["onProgress"] {
    return (progress) => {
      this.cancellation.extend();
      const safeProgress = this.hide.value(progress);
      this.options.onProgress(this.call, safeProgress);
      this.setup.relay?.onProgress?.(safeProgress);
    };
  }
}

export async function attempt(
  call: Routed,
  spec: ProviderSpec,
  setup: AttemptSetup,
  options: AttemptOptions,
): Promise<unknown> {
  const provider = options.provider(spec.name);
  if (!provider) throw neverSent("NO_PROVIDER", `No provider of kind '${spec.name}' is known.`);
  const hide = createInjectedHider(call.injected.values);
  const context = new Attempt(call, spec, setup, options, hide);
  let answer: Promise<unknown> | undefined;
  try {
    answer = provider(spec, providerArguments(call, spec), context);
    return hide.result(await orCancelled(answer, setup.limiter));
  } catch (thrown) {
    if (!setup.limiter.isCancelled) throw hide.error(thrown);
    const seenText = await seenUntilNow(answer);
    if (seenText === null) throw thrown;
    throw new GivenUp(thrown, hide.text(seenText));
  } finally {
    context.end();
  }
}

/** What a provider that was cancelled says of it, where it says so at once. */
async function seenUntilNow(answer: Promise<unknown> | undefined): Promise<string | null> {
  const report = answer?.then(
    () => null,
    (thrown: unknown) => (thrown instanceof GivenUp ? thrown.seen : null),
  );
  // After the promises that its cancellation settles, and before anything else.
  const soon = new Promise<null>((resolve) => process.nextTick(resolve, null));
  if (report === undefined) return null;
  return Promise.race([report, soon]);
}

/** A server gets the text of its caller where nothing is added; what else executes a tool may change its own copy. */
export function providerArguments({ input, injected }: Routed, { name }: ProviderSpec): JsonObject {
  const text =
    name === "mcp" && !hasMembers(injected.values) ? sourceTextOf(input.arguments) : undefined;
  if (text !== undefined && input.exact === undefined) return input.arguments;
  const args = { ...putExactNumbers(input.arguments, input.exact ?? []), ...injected.values };
  if (text !== undefined) rememberText(args, text);
  return args;
}

/** A conversation belongs to the key that began it. */
export function sessionOwner(principal: Principal, conversation: string | undefined): SessionOwner {
  const { key } = principal;
  if (conversation === undefined) return ownerOfCaller(principal);
  return ownerOfCaller(principal, key === undefined ? conversation : `${key} ${conversation}`);
}

/** The definition has changed. Nothing was sent, and the call must be planned again. */
function outdated({ tool }: Routed): PlaneError {
  return new PlaneError(
    "CONFLICT",
    `The definition of '${tool.name}' keeps changing. Nothing was run.`,
    {
      data: { tool: tool.name, sent: false, isOutdated: true },
    },
  );
}

export function isOutdated(thrown: unknown): boolean {
  return thrown instanceof PlaneError && thrown.data.isOutdated === true;
}

export function endedError(
  limiter: TimeLimiter,
  { ms, setBy }: TimeLimit,
  data: ErrorData & { tool: string },
  also = "",
) {
  if (isShutdown(limiter.reason)) {
    const which = data.callId === undefined ? "" : ` (call ${data.callId})`;
    const text = `This plane was shut down before '${data.tool}' had answered${which}.${also}`;
    return new PlaneError("SHUTTING_DOWN", text, { data: { ...data, stopped: true } });
  }
  if (!limiter.isExpired)
    return new PlaneError("CANCELLED", `The call of '${data.tool}' was cancelled.`, { data });
  const text = `'${data.tool}' did not answer within ${ms / 1000} s (limit of the ${setBy}).${also}`;
  return new PlaneError("TIMEOUT", text, { data: { ...data, limitMs: ms, limitSetBy: setBy } });
}
