import { backoffMs } from "../lib/async/pause.ts";
import type { PlaneEvent } from "../model/events.ts";
import type { ServerState } from "../model/servers/server-schema.ts";

export type ConnectionFacts = {
  state: ServerState;
  error: string | null;
  /** The server's own words, for people who may read its log. */
  stderrTail: string | null;
  /** Failed attempts and short lives in a row. */
  failures: number;
  /** No attempt before this, unless forced. */
  cooldownUntil: number | null;
  retryAt: number | null;
  /** Null when no program fetches the server. */
  installingSince: number | null;
};

/** `isRetried`: automatically. */
type Failure = {
  reason: string;
  stderrTail?: string | null;
  at: number;
  isRetried: boolean;
  hopeless?: boolean;
};

/** `useful`: it lived long enough, or answered something and did not crash. */
type Loss = Failure & { useful: boolean; answered: boolean };

export type ConnectionSignal =
  | { type: "connect" }
  | { type: "installing"; at: number }
  | { type: "connected"; toolCount: number; protocolVersion: string }
  | ({ type: "failed" } & Failure)
  | ({ type: "lost" } & Loss)
  | { type: "closed"; reason: string };

/** `maxCooldownMs`: calls are refused no longer than this. */
export type ReconnectPolicy = { firstMs: number; maxMs: number; maxCooldownMs: number };

const jitter = 0.2;
/** Losses in a row after which it may return at once, where the last life answered nothing or something. */
const quickReturns = { silent: 1, answered: 4 };

export const initialFacts: ConnectionFacts = {
  state: "disconnected",
  error: null,
  stderrTail: null,
  failures: 0,
  cooldownUntil: null,
  retryAt: null,
  installingSince: null,
};

/** A late or repeated signal changes nothing, so each connection ends exactly once. */
const isLate: Record<ConnectionSignal["type"], (state: ServerState) => boolean> = {
  connect: (state) => state === "connected",
  installing: (state) => state !== "connecting",
  connected: (state) => state !== "connecting",
  failed: (state) => state !== "connecting",
  lost: (state) => state !== "connected",
  closed: () => false,
};

type Transition = { facts: ConnectionFacts; event: PlaneEvent | null };

/** The life of a connection as one function: what happened in, the new facts and the event out. */
export function nextFacts(
  server: string,
  facts: ConnectionFacts,
  signal: ConnectionSignal,
  policy: ReconnectPolicy,
  random: () => number = Math.random,
): Transition {
  if (isLate[signal.type](facts.state)) return { facts, event: null };
  const { type } = signal;
  switch (type) {
    case "connect": {
      const event = { type: "server.connecting", server } as const;
      return {
        facts: { ...facts, state: "connecting", retryAt: null, installingSince: null },
        event,
      };
    }
    case "installing":
      return {
        facts: { ...facts, installingSince: signal.at },
        event: { type: "server.installing", server },
      };
    case "connected": {
      const { toolCount, protocolVersion } = signal;
      const event = { type: "server.connected", server, toolCount, protocolVersion } as const;
      return { facts: { ...initialFacts, state: "connected", failures: facts.failures }, event };
    }
    case "failed": {
      const event = { type: "server.error", server, message: signal.reason } as const;
      return { facts: afterFailure(facts, signal, policy, random), event };
    }
    case "lost":
    case "closed": {
      const event = { type: "server.disconnected", server, reason: signal.reason } as const;
      if (type === "lost") return { facts: afterLoss(facts, signal, policy, random), event };
      return { facts: initialFacts, event: facts.state === "connected" ? event : null };
    }
  }
}

/** What worked, or was lost a few times only, may return at once; what keeps failing may not. */
function afterLoss(
  facts: ConnectionFacts,
  { useful, answered, ...failure }: Loss,
  policy: ReconnectPolicy,
  random: () => number,
): ConnectionFacts {
  const failures = useful ? 0 : facts.failures + 1;
  const state = failure.isRetried ? "backoff" : "disconnected";
  if (failures > quickReturns[answered ? "answered" : "silent"])
    return { ...afterFailure(facts, failure, policy, random), state };
  const { reason: error, stderrTail = null } = failure;
  return {
    ...initialFacts,
    state,
    error,
    stderrTail,
    failures,
    retryAt: failure.isRetried ? failure.at : null,
  };
}

function afterFailure(
  { failures }: ConnectionFacts,
  { reason, stderrTail = null, at: failedAt, isRetried, hopeless = false }: Failure,
  { firstMs, maxMs, maxCooldownMs }: ReconnectPolicy,
  random: () => number,
): ConnectionFacts {
  const plainMs = backoffMs({ firstMs, maxMs }, failures + 1);
  // Never sooner than the backoff, except at its maximum.
  const deviation = plainMs < maxMs ? random() : -random();
  const delayMs = Math.min(maxMs, Math.round(plainMs * (1 + jitter * deviation)));
  const willRetry = isRetried && !hopeless;
  return {
    state: willRetry ? "backoff" : "error",
    error: reason,
    stderrTail,
    failures: failures + 1,
    cooldownUntil: hopeless ? null : failedAt + Math.min(delayMs, maxCooldownMs),
    retryAt: willRetry ? failedAt + delayMs : null,
    installingSince: null,
  };
}
