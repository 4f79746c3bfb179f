import { backoffMs } from "../lib/async/pause.ts";
import type { PlaneEvent } from "../model/events.ts";
import type { ServerState } from "../model/servers/server.ts";

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

/** `kept`: it is retried automatically. */
type Failure = { reason: string; stderrTail?: string | null; at: number; kept: boolean; hopeless?: boolean };

export type ConnectionSignal =
  | { type: "connect" }
  | { type: "installing"; at: number }
  | { type: "connected"; toolCount: number; protocolVersion: string }
  | ({ type: "failed" } & Failure)
  /** `useful`: it lived long enough, or answered something. */
  | ({ type: "lost"; useful: boolean } & Failure)
  | { type: "closed"; reason: string }
  | { type: "worked" };

export type RetryPolicy = { firstMs: number; maxMs: number };

/** A call waits no longer than this, however long the backoff is. */
const maxCooldownMs = 4_000;
const jitter = 0.2;

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
  worked: () => false,
};

type Next = { facts: ConnectionFacts; event: PlaneEvent | null };

/** The life of a connection as one function: what happened in, the new facts and the event out. */
export function nextFacts(
  server: string,
  facts: ConnectionFacts,
  signal: ConnectionSignal,
  policy: RetryPolicy,
  random: () => number = Math.random,
): Next {
  if (isLate[signal.type](facts.state)) return { facts, event: null };
  const { type } = signal;
  switch (type) {
    case "connect": {
      const event = { type: "server.connecting", server } as const;
      return { facts: { ...facts, state: "connecting", retryAt: null, installingSince: null }, event };
    }
    case "installing":
      return { facts: { ...facts, installingSince: signal.at }, event: { type: "server.installing", server } };
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
    case "worked":
      return { facts: facts.failures === 0 ? facts : { ...facts, failures: 0 }, event: null };
  }
}

/** What worked, or was lost for the first time, may return at once; what keeps failing may not. */
function afterLoss(
  facts: ConnectionFacts,
  { useful, ...lost }: Failure & { useful: boolean },
  policy: RetryPolicy,
  random: () => number,
): ConnectionFacts {
  const failures = useful ? 0 : facts.failures + 1;
  const state = lost.kept ? "backoff" : "disconnected";
  if (failures > 1)
    return { ...afterFailure({ ...facts, failures: failures - 2 }, lost, policy, random), state, failures };
  const { reason: error, stderrTail = null } = lost;
  return { ...initialFacts, state, error, stderrTail, failures, retryAt: lost.kept ? lost.at : null };
}

function afterFailure(
  { failures }: ConnectionFacts,
  { reason, stderrTail = null, at, kept, hopeless = false }: Failure,
  { firstMs, maxMs }: RetryPolicy,
  random: () => number,
): ConnectionFacts {
  const spread = Math.min(maxMs, backoffMs({ firstMs, maxMs, jitter }, failures + 1, random));
  const retries = kept && !hopeless;
  return {
    state: retries ? "backoff" : "error",
    error: reason,
    stderrTail,
    failures: failures + 1,
    cooldownUntil: hopeless ? null : at + Math.min(spread, maxCooldownMs),
    retryAt: retries ? at + spread : null,
    installingSince: null,
  };
}
