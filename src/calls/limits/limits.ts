import { createSemaphore, type Semaphore, SemaphoreFull } from "../../lib/async/semaphore.ts";
import type { TimeLimiter } from "../../lib/async/time-limit.ts";
import type { Routed } from "../../model/calls/call.ts";
import type { ProviderSpec, Tool } from "../../model/catalogue/tool.ts";
import { PlaneError } from "../../model/errors.ts";
import type { JsonObject } from "../../model/json.ts";
import type { ConversationBudgets } from "./budgets.ts";
import type { Circuits, Entered } from "./circuits.ts";
import type { Meter } from "./meter.ts";
import { createRates, type Rated } from "./rates.ts";
import type { SharedCounts } from "./shared-counts.ts";
import { createSharedRates } from "./shared-rates.ts";

/** Of the calls so many may be tried again, but always a few: ten that fail twice before they succeed are no storm. */
const share = 0.2;
const least = 20;

/** The last minute in pieces, so that nothing has to be kept of single calls. */
const pieceMs = 10_000;
const pieces = 6;

type Counts = { piece: number; calls: number[]; retries: number[] };

export type RetryBudget = {
  /** A call goes there, for the first time. */
  called(target: string): void;
  /** True when one more may be tried again. */
  take(target: string): boolean | Promise<boolean>;
};

/**
 * Keeps retries a small part of what a target is asked: one that is overloaded is not helped by more of them. Where
 * several planes count together, each tells its calls with its next retry, so the sum is never above what was made.
 */
export function createRetryBudget(shared?: SharedCounts): RetryBudget {
  const targets = new Map<string, Counts>();
  const countsOf = (target: string): Counts => {
    const piece = Math.floor(Date.now() / pieceMs);
    const found = targets.get(target) ?? emptyAt(piece);
    if (!targets.has(target)) targets.set(target, found);
    forget(found, piece);
    return found;
  };

  return {
    called(target) {
      const { calls, piece } = countsOf(target);
      calls[piece % pieces] = (calls[piece % pieces] ?? 0) + 1;
    },
    take(target) {
      const counts = countsOf(target);
      if (shared === undefined) return takeOne(counts);
      const calls = sum(counts.calls);
      counts.calls = empty();
      return takeTogether(shared, target, calls).catch(() => takeOne(counts));
    },
  };
}

function takeTogether(shared: SharedCounts, target: string, calls: number): Promise<boolean> {
  return shared.change(`retries:${target}`, pieces * pieceMs, (value, now) => {
    const piece = Math.floor(now / pieceMs);
    const counts = (value as Counts | null) ?? emptyAt(piece);
    forget(counts, piece);
    counts.calls[piece % pieces] = (counts.calls[piece % pieces] ?? 0) + calls;
    const answer = takeOne(counts);
    return { value: counts as JsonObject, answer };
  });
}

function takeOne({ calls, retries, piece }: Counts): boolean {
  if (sum(retries) + 1 > Math.max(least, share * sum(calls))) return false;
  retries[piece % pieces] = (retries[piece % pieces] ?? 0) + 1;
  return true;
}

function emptyAt(piece: number): Counts {
  return { piece, calls: empty(), retries: empty() };
}

function empty(): number[] {
  return Array.from({ length: pieces }, () => 0);
}

function sum(counts: readonly number[]): number {
  return counts.reduce((total, count) => total + count, 0);
}

/** Empties the pieces that are older than the last minute. */
function forget(counts: Counts, piece: number): void {
  const passed = Math.min(pieces, Math.abs(piece - counts.piece));
  for (let at = 0; at < passed; at += 1) {
    const old = (piece - at + pieces) % pieces;
    counts.calls[old] = 0;
    counts.retries[old] = 0;
  }
  counts.piece = piece;
}

/** How many calls of one tool may wait for each other. */
const maxLine = 1_000;

/** Calls of a tool that may not run beside itself: one after the other, in the order they came. */
type Turns = {
  /** Undefined when it is the call's turn already. Who gives up leaves the line. */
  enter(tool: Tool, signal: AbortSignal): Promise<void> | undefined;
  leave(tool: Tool): void;
  /** How many tools have a call that runs or waits. */
  size(): number;
};

/** Only where somebody said so: by default a tool may run as often as its server lets it. */
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
