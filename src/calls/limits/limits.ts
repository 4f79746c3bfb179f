import type { TimeLimiter } from "../../lib/time-limit.ts";
import type { Routed } from "../../model/call.ts";
import type { PlaneError } from "../../model/errors.ts";
import type { ProviderSpec, Tool } from "../../model/tool.ts";
import type { ConversationBudgets } from "./budgets.ts";
import type { Circuits, Entered } from "./circuits.ts";
import type { Meter } from "./meter.ts";
import { createRates, type Rated } from "./rates.ts";
import { createRetryBudget } from "./retry-budget.ts";
import type { SharedCounts } from "./shared-counts.ts";
import { createSharedRates } from "./shared-rates.ts";
import { createTurns, isSerial } from "./turns.ts";

/** Whatever may hold a call back once it is known where it goes. */
export type Limits = {
  /** Waits for the call's turn; undefined where nothing limits it. */
  enter(call: Routed, limiter: TimeLimiter): Promise<CallPass> | undefined;
  /** Before each attempt; rejects with the reason why it is not made. */
  enterAttempt(
    call: Routed,
    spec: ProviderSpec,
    limiter: TimeLimiter,
    pass: CallPass | undefined,
  ): AttemptPass | Promise<AttemptPass>;
  /** A call begins to be tried with a provider that it will not leave. */
  called(call: Routed, spec: ProviderSpec): void;
  /** Why a failed attempt is not followed by another, or null. Who is told null tries again. */
  againstRetry(call: Routed, spec: ProviderSpec, error: PlaneError): string | null | Promise<string | null>;
};

export type CallPass = { meter: Meter | undefined; leave(): void };
export type AttemptPass = {
  /** Somebody is asked, which is not the time of the tool. */
  pause(): () => void;
  /** Has to be called once, with `null` when all went well. */
  end(error: PlaneError | null): void;
  /** It has failed, and no other attempt of this call follows. */
  giveUp(error: PlaneError): void;
};

export type LimitParts = {
  budgets: ConversationBudgets;
  circuits: Circuits;
  /** How many calls a server gets in a minute, where somebody said so. */
  ratePerMinute(server: string): number | undefined;
  /** Where other planes count with us. */
  shared?: SharedCounts | undefined;
};

const nothing = () => undefined;
const free: AttemptPass = { pause: () => nothing, end: nothing, giveUp: nothing };

export function createLimits({ budgets, circuits, ratePerMinute, shared }: LimitParts): Limits {
  const turns = createTurns();
  const rates = shared ? createSharedRates(shared, createRates()) : createRates();
  const retries = createRetryBudget(shared);

  async function waitForTurn(
    { tool }: Routed,
    limiter: TimeLimiter,
    meter: Meter | undefined,
  ): Promise<CallPass> {
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

  /** Waits only where somebody has set a rate. */
  function admit(server: string, limiter: TimeLimiter, meter: Meter | undefined): Entered | Promise<Entered> {
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
        perMinute === undefined
          ? undefined
          : rates.take(serverRate(server, perMinute), limiter.leftMs(), limiter.signal);
      const admitted = turn ? turn.then(reserve) : reserve();
      return admitted instanceof Promise ? admitted.catch(refuse) : admitted;
    } catch (thrown) {
      return refuse(thrown);
    }
  }

  function passFor(server: string | null, entered: Entered | null, meter: Meter | undefined): AttemptPass {
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
        return reserved ? reserved.then(() => passFor(null, null, meter)) : passFor(null, null, meter);
      }
      const entered = admit(server, limiter, meter);
      return entered instanceof Promise
        ? entered.then((now) => passFor(server, now, meter))
        : passFor(server, entered, meter);
    },
    called: (call, spec) => retries.called(targetOf(call, spec)),
    againstRetry(call, spec, { data }) {
      const server = serverOf(spec);
      const alone = server === null ? null : circuits.reason(server);
      if (alone !== null) return alone;
      // A session that has to be opened anew burdens nobody with a second request.
      if (server !== null && data.sent === false && data.retryInMs === 0) return null;
      const whose = server === null ? `'${call.tool.name}'` : `server '${server}'`;
      const reason = `The retries of ${whose} are used up: at most a fifth of the calls of the last minute are tried again.`;
      const taken = retries.take(targetOf(call, spec));
      if (taken instanceof Promise) return taken.then((isTaken) => (isTaken ? null : reason));
      return taken ? null : reason;
    },
  };
}

function serverOf({ name, config }: ProviderSpec): string | null {
  return name === "mcp" ? String(config.server) : null;
}

/** What retries are counted for: a server, or a tool that has none. */
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
