import { createSemaphore, type Semaphore, SemaphoreFull } from "../../lib/async/semaphore.ts";
import type { TimeLimiter } from "../../lib/async/time-limit.ts";
import type { Routed } from "../../model/calls/call.ts";
import type { ProviderSpec, Tool } from "../../model/catalogue/tool.ts";
import type { Config } from "../../model/config/config.ts";
import { PlaneError } from "../../model/errors.ts";
import type { PlaneEvent } from "../../model/events.ts";
import type { PlaneConversations } from "../../model/plane-history.ts";
import type { Principal } from "../../model/principal.ts";
import type { CircuitStatus, ServersChange } from "../../model/servers/server.ts";
import type { Recorder } from "../../store/store.ts";
import { type ConversationBudgets, createBudgets, type Meter } from "./budgets.ts";
import { type Circuits, createCircuits, type Entered } from "./circuit-breaker.ts";
import { createRates, createSharedRates, type Rated, type Rates } from "./rates.ts";
import { createRetryBudget } from "./retry-budget.ts";
import { createSharedBudgets, type SharedCounts } from "./shared-budgets.ts";

/** Calls of one tool that may wait for each other. */
const maxLine = 1_000;

/** Serial execution, in order of arrival. */
type Turns = {
  /** Undefined when it is the call's turn. An aborted call leaves the line. */
  enter(tool: Tool, signal: AbortSignal): Promise<void> | undefined;
  leave(tool: Tool): void;
  size(): number;
};

/** Only with an explicit `allow_parallel: false`. */
export function isSerial({ parallel, metadata }: Tool): boolean {
  return parallel === "explicit" && metadata.allow_parallel === false;
}

export function createTurns(): Turns {
  const lines = new Map<string, Semaphore>();
  const lineOf = (key: string): Semaphore => {
    const found = lines.get(key) ?? createSemaphore(1, maxLine);
    lines.set(key, found);
    return found;
  };

  return {
    enter(tool, signal) {
      try {
        return lineOf(keyOf(tool)).acquire(signal);
      } catch (thrown) {
        throw thrown instanceof SemaphoreFull ? tooMany(tool) : thrown;
      }
    },
    leave(tool) {
      const key = keyOf(tool);
      const line = lines.get(key);
      line?.release();
      if (line?.active() === 0) lines.delete(key);
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
  return new PlaneError("BUSY", text, {
    data: { tool: name, ...(server === null ? {} : { server }), sent: false, retryAt: null },
  });
}

/** Rate limits, serial execution, budgets, circuit breakers and the retry budget. */
export type Limits = {
  /** Undefined where nothing limits it. */
  enter(call: Routed, limiter: TimeLimiter): Promise<CallPass> | undefined;
  /** Rejects with the reason. */
  enterAttempt(
    call: Routed,
    spec: ProviderSpec,
    limiter: TimeLimiter,
    pass: CallPass | undefined,
  ): AttemptPass | Promise<AttemptPass>;
  /** The call stays with this provider. */
  called(call: Routed, spec: ProviderSpec): void;
  /** Why there is no retry, or null: then it counts as one. */
  againstRetry(call: Routed, spec: ProviderSpec, error: PlaneError): string | null | Promise<string | null>;
};

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
  shared?: SharedCounts | undefined;
};

const nothing = () => undefined;
const free: AttemptPass = { pause: () => nothing, end: nothing, giveUp: nothing };

export function createPathLimits(parts: LimitParts): Limits {
  const { budgets, circuits, shared } = parts;
  const turns = createTurns();
  const rates = shared ? createSharedRates(shared, createRates()) : createRates();
  const retries = createRetryBudget(shared);

  async function waitForTurn({ tool }: Routed, limiter: TimeLimiter, meter: Meter | undefined): Promise<CallPass> {
    const { signal } = limiter;
    await meter?.check();
    const takesTurns = isSerial(tool);
    if (takesTurns) await turns.enter(tool, signal);
    const leave = () => takesTurns && turns.leave(tool);
    try {
      const rated = toolRate(tool);
      if (rated) await rates.take(rated, limiter.leftMs(), signal);
    } catch (thrown) {
      leave();
      throw thrown;
    }
    return { meter, leave };
  }

  return {
    enter(call, limiter) {
      const meter = budgets.meter(call);
      const isLimited = meter !== undefined || isSerial(call.tool) || isRated(call.tool);
      return isLimited ? waitForTurn(call, limiter, meter) : undefined;
    },
    enterAttempt(_call, spec, limiter, pass) {
      const meter = pass?.meter;
      const server = serverOf(spec);
      if (server === null && meter === undefined) return free;
      if (server === null) {
        const reserved = meter?.reserve();
        return reserved
          ? reserved.then(() => passFor(null, null, meter, circuits))
          : passFor(null, null, meter, circuits);
      }
      const entered = admit(server, limiter, meter, parts, rates);
      return entered instanceof Promise
        ? entered.then((now) => passFor(server, now, meter, circuits))
        : passFor(server, entered, meter, circuits);
    },
    called: (call, spec) => retries.called(targetOf(call, spec)),
    againstRetry(call, spec, { data }) {
      const server = serverOf(spec);
      const alone = server === null ? null : circuits.reason(server);
      if (alone !== null) return alone;
      // Opening a session again is not a second request.
      if (server !== null && data.sent === false && data.retryInMs === 0) return null;
      const whose = server === null ? `'${call.tool.name}'` : `server '${server}'`;
      const reason = `The retries of ${whose} are used up: at most a fifth of the calls of the last minute are tried again.`;
      const taken = retries.take(targetOf(call, spec));
      if (taken instanceof Promise) return taken.then((isTaken) => (isTaken ? null : reason));
      return taken ? null : reason;
    },
  };
}

/** Waits only for a configured rate limit. */
function admit(
  server: string,
  limiter: TimeLimiter,
  meter: Meter | undefined,
  { circuits, ratePerMinute }: LimitParts,
  rates: Rates,
): Entered | Promise<Entered> {
  const entered = circuits.enter(server);
  const refuse = (thrown: unknown): never => {
    circuits.abandon(server, entered);
    throw thrown;
  };
  const reserve = () => {
    const reserved = meter?.reserve();
    return reserved ? reserved.then(() => entered) : entered;
  };
  try {
    const perMinute = ratePerMinute(server);
    const turn =
      perMinute === undefined ? undefined : rates.take(serverRate(server, perMinute), limiter.leftMs(), limiter.signal);
    const admitted = turn ? turn.then(reserve) : reserve();
    return admitted instanceof Promise ? admitted.catch(refuse) : admitted;
  } catch (thrown) {
    return refuse(thrown);
  }
}

function passFor(
  server: string | null,
  entered: Entered | null,
  meter: Meter | undefined,
  circuits: Circuits,
): AttemptPass {
  meter?.start();
  return {
    pause: () => meter?.pause() ?? nothing,
    end(error) {
      meter?.settle(error?.data.sent !== false);
      if (error === null && server !== null && entered) circuits.leave(server, entered, null);
    },
    giveUp: (error) => server !== null && entered && circuits.leave(server, entered, error),
  };
}

function serverOf({ name, config }: ProviderSpec): string | null {
  return name === "mcp" ? String(config.server) : null;
}

/** A server, or a tool that has none. */
function targetOf(call: Routed, spec: ProviderSpec): string {
  return serverOf(spec) ?? `tool:${call.tool.name}`;
}

function isRated({ metadata }: Tool): boolean {
  return metadata.rate_limit_per_minute !== undefined;
}

function toolRate({ name, id, metadata }: Tool): Rated | undefined {
  const { rate_limit_per_minute: perMinute } = metadata;
  if (perMinute === undefined) return undefined;
  return {
    key: `tool:${JSON.stringify([id.server, id.tool])}`,
    perMinute,
    what: `Tool '${name}'`,
    setting: "rate_limit_per_minute",
    data: { tool: name },
  };
}

function serverRate(server: string, perMinute: number): Rated {
  return {
    key: `server:${server}`,
    perMinute,
    what: `Server '${server}'`,
    setting: "rateLimitPerMinute",
    data: { server },
  };
}

export type CallLimits = {
  path: Limits;
  verbs: { conversations: Pick<PlaneConversations, "budget"> };
  circuitOf(server: string): { circuit?: CircuitStatus };
  /** Closes the circuits of these servers. */
  trust(servers: readonly string[]): void;
  /** Resets servers whose definition changed. */
  apply(change: ServersChange): void;
  endConversation(conversation: string, principal: Principal): Promise<void>;
  /** Returns unused shares to other planes. */
  stop(): Promise<void>;
};

export function createLimits(
  config: () => Config,
  emit: (event: PlaneEvent) => void,
  defaultPrincipal: Principal,
  { store, outlivesUs }: Pick<Recorder, "store" | "outlivesUs">,
): CallLimits {
  // A store of this plane alone need not be opened to count.
  const shared: SharedCounts | undefined = outlivesUs
    ? {
        read: async (key) => (await store()).sharedValue(key),
        change: async (key, keptMs, step) => (await store()).changeShared(key, keptMs, step),
      }
    : undefined;
  const budgets = createBudgets(() => config().budgets, undefined, shared && createSharedBudgets(shared));
  const circuits = createCircuits({
    setting: (server) => config().servers[server]?.circuit,
    onChange: (server, state) => emit({ type: "server.circuit", server, state }),
  });
  const trust = (servers: readonly string[]) => servers.forEach(circuits.reset);
  return {
    path: createPathLimits({
      budgets,
      circuits,
      shared,
      ratePerMinute: (server) => config().servers[server]?.rateLimitPerMinute,
    }),
    verbs: {
      conversations: {
        budget: (conversation, { principal = defaultPrincipal } = {}) => budgets.everywhere(conversation, principal),
      },
    },
    circuitOf(server) {
      const circuit = circuits.status(server);
      return circuit === undefined ? {} : { circuit };
    },
    trust,
    apply: ({ changed, removed }) => trust([...changed, ...removed]),
    endConversation: budgets.forget,
    stop: budgets.release,
  };
}
