import { andThen } from "../../lib/async/and-then.ts";
import { createSemaphore, type Semaphore, SemaphoreFull } from "../../lib/async/semaphore.ts";
import type { TimeLimiter } from "../../lib/async/time-limit.ts";
import { withoutUndefined } from "../../lib/json/plain-data.ts";
import type { Routed } from "../../model/calls/call.ts";
import type { ProviderSpec, Tool } from "../../model/catalogue/tool.ts";
import type { Config } from "../../model/config/config.ts";
import { PlaneError } from "../../model/errors.ts";
import type { JsonObject } from "../../model/json.ts";
import type { PlaneConversations } from "../../model/plane-history.ts";
import type { Inside } from "../../model/principal.ts";
import type { ServersChange } from "../../model/servers/server.ts";
import type { CircuitStatus } from "../../model/servers/server-schema.ts";
import type { Recorder } from "../../store/store.ts";
import { isAnnounced, isEndedSession } from "../retry.ts";
import { type ConversationBudgets, createBudgets, type Meter } from "./budgets.ts";
import { type Circuits, createCircuits, type Entered } from "./circuit-breaker.ts";
import { createRateLimiter, createSharedRateLimiter, type RateLimit } from "./rate-limiter.ts";
import { createRetryBudget } from "./retry-budget.ts";
import { createSharedBudgets, type SharedCounts } from "./shared-budgets.ts";
import { createSharedCircuits } from "./shared-circuits.ts";
import { createSharedSlots, leaseMs, type SharedSlots } from "./shared-slots.ts";

/** Calls of one tool that may wait for each other. */
const maxLine = 1_000;

/** Only where it is said: unset is not false. */
export function isSerial({ metadata }: Tool): boolean {
  return metadata.allow_parallel === false;
}

/** Serial execution, in order of arrival. */
export function createTurns() {
  const lines = new Map<string, Semaphore>();
  return {
    /** Undefined when it is the call's turn. An aborted call leaves the line. */
    enter(tool: Tool, signal: AbortSignal): Promise<void> | undefined {
      const line = lines.get(keyOf(tool)) ?? createSemaphore(1, maxLine);
      lines.set(keyOf(tool), line);
      try {
        return line.acquire(signal);
      } catch (thrown) {
        if (thrown instanceof SemaphoreFull) throw tooMany(tool);
        throw thrown;
      }
    },
    leave(tool: Tool): void {
      const line = lines.get(keyOf(tool));
      line?.release();
      if (line?.active() === 0) lines.delete(keyOf(tool));
    },
    size: () => lines.size,
  };
}

/** A listing brings new objects for the same tools, so the id counts. */
function keyOf({ id }: Tool): string {
  return JSON.stringify([id.server, id.tool]);
}

function tooMany({ name, id: { server } }: Tool): PlaneError {
  const text = `'${name}' runs one call at a time ('allow_parallel' is false), and ${maxLine} wait. Call again later.`;
  const data = { tool: name, server: server ?? undefined, sent: false, retryAt: null };
  return new PlaneError("BUSY", text, { data: withoutUndefined(data) });
}

export type CallPass = { meter: Meter | undefined; leave(): void };
export type AttemptPass = {
  /** While a person is asked. */
  pause(): () => void;
  end(error: PlaneError | null): void;
  /** It failed, and no other attempt follows. */
  giveUp(error: PlaneError): void;
};

type LimitParts = {
  budgets: ConversationBudgets;
  circuits: Circuits;
  ratePerMinute(server: string): number | undefined;
  /** Calls at once of all planes together. */
  concurrency(server: string): number | undefined;
  slots: SharedSlots;
  shared?: SharedCounts | undefined;
};

function noop() {
  return undefined;
}

const unlimited: AttemptPass = { pause: () => noop, end: noop, giveUp: noop };

export type Limits = ReturnType<typeof createPathLimits>;

/** Rate limits, serial execution, budgets, circuit breakers and the retry budget. */
export function createPathLimits({
  budgets,
  circuits,
  ratePerMinute,
  concurrency,
  slots,
  shared,
}: LimitParts) {
  const turns = createTurns();
  const rates = shared ? createSharedRateLimiter(shared, createRateLimiter()) : createRateLimiter();
  const retries = createRetryBudget(shared);

  async function waitForTurn(
    { tool }: Routed,
    limiter: TimeLimiter,
    meter: Meter | undefined,
  ): Promise<CallPass> {
    await meter?.check();
    const takesTurns = isSerial(tool);
    if (takesTurns) await turns.enter(tool, limiter.signal);

    function leave() {
      if (takesTurns) turns.leave(tool);
    }

    try {
      await takeRate(toolRate(tool), limiter);
    } catch (thrown) {
      leave();
      throw thrown;
    }
    return { meter, leave };
  }

  function takeRate(limit: RateLimit | undefined, limiter: TimeLimiter): Promise<void> | undefined {
    return limit && rates.take(limit, limiter.leftMs(), limiter.signal);
  }

  return {
    /** Undefined where nothing limits it. */
    enter(call: Routed, limiter: TimeLimiter): Promise<CallPass> | undefined {
      const meter = budgets.meter(call);
      const isLimited =
        meter !== undefined || isSerial(call.tool) || toolRate(call.tool) !== undefined;
      if (!isLimited) return undefined;
      return waitForTurn(call, limiter, meter);
    },
    /** Waits only for a configured rate limit. Throws the reason. */
    enterAttempt(spec: ProviderSpec, limiter: TimeLimiter, pass: CallPass | undefined) {
      const meter = pass?.meter;
      const server = serverOf(spec);
      if (server === null && meter === undefined) return unlimited;
      const circuit = server === null ? null : circuits.enter(server);
      const limit = server === null ? undefined : serverRate(server, ratePerMinute(server));
      const maxConcurrent = server === null ? undefined : concurrency(server);
      // Most attempts are limited by nothing but the circuit breaker.
      if (limit === undefined && meter === undefined && maxConcurrent === undefined)
        return new Admission(circuit, undefined);
      let release: () => void = noop;
      const refuse = (thrown: unknown): never => {
        circuit?.abandon();
        release();
        throw thrown;
      };
      const takeSlot = () => {
        if (server === null || maxConcurrent === undefined) return undefined;
        const slot = slots.take(server, maxConcurrent, limiter.signal);
        return andThen(slot.acquired, () => {
          release = slot.release;
        });
      };
      try {
        // The slot after the turn: no other call can use it while this one waits.
        const admitted = andThen(takeRate(limit, limiter), () =>
          andThen(takeSlot(), () =>
            andThen(meter?.reserve(), () => new Admission(circuit, meter, release)),
          ),
        );
        if (admitted instanceof Promise) return admitted.catch(refuse);
        return admitted;
      } catch (thrown) {
        return refuse(thrown);
      }
    },
    /** The call stays with this provider. */
    called: (call: Pick<Routed, "tool">, spec: ProviderSpec) =>
      retries.called(targetOf(call, spec)),
    /** Why there is no retry, or null: then it counts as one. */
    againstRetry(
      call: Routed,
      spec: ProviderSpec,
      error: PlaneError,
    ): string | null | Promise<string | null> {
      const server = serverOf(spec);
      const openReason = server === null ? null : circuits.reason(server);
      if (openReason !== null) return openReason;
      // What asks for another try is not overloaded by it.
      if (isAnnounced(error) || (server !== null && isEndedSession(error))) return null;
      const whose = server === null ? `'${call.tool.name}'` : `server '${server}'`;
      const reason = `The retries of ${whose} are used up: at most a fifth of the calls of the last minute are tried again.`;
      return andThen(retries.take(targetOf(call, spec)), (isTaken) => (isTaken ? null : reason));
    },
  };
}

/** One per attempt, so it holds no functions of its own. */
class Admission implements AttemptPass {
  readonly #circuit: Entered | null;
  readonly #meter: Meter | undefined;
  readonly #release: () => void;

  constructor(circuit: Entered | null, meter: Meter | undefined, release: () => void = noop) {
    this.#circuit = circuit;
    this.#meter = meter;
    this.#release = release;
    meter?.start();
  }

  pause(): () => void {
    return this.#meter?.pause() ?? noop;
  }

  end(error: PlaneError | null): void {
    this.#release();
    this.#meter?.settle(error?.data.sent !== false);
    if (error === null) this.#circuit?.leave(null);
  }

  giveUp(error: PlaneError): void {
    this.#circuit?.leave(error);
  }
}

function serverOf({ name, config }: ProviderSpec): string | null {
  if (name !== "mcp") return null;
  return String(config.server);
}

/** A server, or a tool that has none. */
function targetOf(call: Pick<Routed, "tool">, spec: ProviderSpec): string {
  return serverOf(spec) ?? `tool:${call.tool.name}`;
}

function toolRate(tool: Tool): RateLimit | undefined {
  const { name, metadata } = tool;
  const { rate_limit_per_minute: perMinute } = metadata;
  if (perMinute === undefined) return undefined;
  const setting = "rate_limit_per_minute";
  return {
    key: `tool:${keyOf(tool)}`,
    perMinute,
    what: `Tool '${name}'`,
    setting,
    data: { tool: name },
  };
}

function serverRate(server: string, perMinute: number | undefined): RateLimit | undefined {
  if (perMinute === undefined) return undefined;
  const setting = "rateLimitPerMinute";
  return {
    key: `server:${server}`,
    perMinute,
    what: `Server '${server}'`,
    setting,
    data: { server },
  };
}

export type CallLimits = ReturnType<typeof createLimits>;

type LimitsContext = {
  readonly settings: { config(): Config };
  readonly recorder: Pick<Recorder, "store" | "outlivesUs" | "emit" | "tells" | "onNews">;
};

/** A store of this plane alone need not be opened to count. */
function sharedCounts({ outlivesUs, store }: LimitsContext["recorder"]): SharedCounts | undefined {
  if (!outlivesUs) return undefined;
  return {
    read: async (key) => (await store()).sharedValue(key),
    change: async (key, keptMs, step) => (await store()).changeShared(key, keptMs, step),
  };
}

export function createLimits({ settings, recorder }: LimitsContext) {
  const { config } = settings;
  const { store, emit } = recorder;
  const shared = sharedCounts(recorder);
  const budgets = createBudgets(
    () => config().budgets,
    undefined,
    shared && createSharedBudgets(shared),
  );
  const circuits: Circuits = createCircuits({
    setting: (server) => config().servers[server]?.circuit,
    onChange: (server, state) => emit({ type: "server.circuit", server, state }),
    onTurned: (server, open) => sharedCircuits?.tell(server, open),
  });
  const servers = () => config().servers;
  const sharedCircuits = recorder.tells
    ? createSharedCircuits({ servers, store, onNews: recorder.onNews, learn: circuits.learn })
    : undefined;
  const slots = createSharedSlots({
    shared,
    async tell(key) {
      if (!recorder.tells) return;
      const unchanged = (value: JsonObject | null) => ({ value, answer: null });
      await (await store()).changeShared(key, 2 * leaseMs, unchanged, { tells: true });
    },
    onTold: (listener) =>
      recorder.onNews((news) => {
        if (news.what === "shared") listener(news.key);
      }),
  });
  /** Closes the circuits of these servers. */
  const trust = (servers: readonly string[]) => servers.forEach(circuits.reset);
  const verbs: { conversations: Pick<Inside<PlaneConversations>, "budget"> } = {
    conversations: {
      budget: (conversation, { principal }) => budgets.everywhere(conversation, principal),
    },
  };
  return {
    verbs,
    path: createPathLimits({
      budgets,
      circuits,
      shared,
      ratePerMinute: (server) => config().servers[server]?.rateLimitPerMinute,
      concurrency: (server) => config().servers[server]?.sharedConcurrency,
      slots,
    }),
    circuitOf(server: string): { circuit?: CircuitStatus } {
      const circuit = circuits.status(server);
      return circuit === undefined ? {} : { circuit };
    },
    trust,
    /** Resets servers whose definition changed. */
    apply: ({ changed, removed }: ServersChange) => trust([...changed, ...removed]),
    endConversation: budgets.forget,
    /** Returns unused shares to other planes. */
    async stop(): Promise<void> {
      await Promise.all([budgets.release(), slots.stop()]);
    },
  };
}
