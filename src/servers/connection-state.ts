import type { PlaneEvent } from "../model/events.ts";
import type { ServerState } from "../model/servers/server.ts";

/** What is known about one connection at one moment. */
export type ConnectionFacts = {
  state: ServerState;
  error: string | null;
  /** What the server itself wrote before that; for people who may read its log. */
  stderrTail: string | null;
  /** Attempts and short lives in a row that came to nothing. */
  failures: number;
  /** No attempt before this, unless it is forced. */
  cooldownUntil: number | null;
  /** When the next automatic attempt is made. */
  retryAt: number | null;
  /** Since when a program fetches the server before it starts it; null when none does. */
  installingSince: number | null;
};

/** What can happen to it. */
export type ConnectionSignal =
  | { type: "connect" }
  | { type: "installing"; at: number }
  | { type: "connected"; toolCount: number; protocolVersion: string }
  /** `kept` means that it is retried automatically. */
  | {
      type: "failed";
      reason: string;
      stderrTail?: string | null;
      at: number;
      kept: boolean;
      hopeless?: boolean;
    }
  /** `useful` means that it lived long enough, or answered something, before it was lost. */
  | { type: "lost"; reason: string; stderrTail?: string | null; at: number; kept: boolean; useful: boolean }
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

/** The whole life of a connection as one function: what happened in, what is true now and what to tell out. */
export function nextFacts(
  server: string,
  facts: ConnectionFacts,
  signal: ConnectionSignal,
  policy: RetryPolicy,
  random: () => number = Math.random,
): Next {
  if (isLate[signal.type](facts.state)) return { facts, event: null };
  switch (signal.type) {
    case "connect":
      return {
        facts: { ...facts, state: "connecting", retryAt: null, installingSince: null },
        event: { type: "server.connecting", server },
      };
    case "installing":
      return {
        facts: { ...facts, installingSince: signal.at },
        event: { type: "server.installing", server },
      };
    case "connected": {
      const { toolCount, protocolVersion } = signal;
      return {
        facts: { ...initialFacts, state: "connected", failures: facts.failures },
        event: { type: "server.connected", server, toolCount, protocolVersion },
      };
    }
    case "failed":
      return {
        facts: afterFailure(facts, signal, policy, random),
        event: { type: "server.error", server, message: signal.reason },
      };
    case "lost":
      return {
        facts: afterLoss(facts, signal, policy, random),
        event: { type: "server.disconnected", server, reason: signal.reason },
      };
    case "closed":
      return {
        facts: initialFacts,
        event: facts.state === "connected" ? { type: "server.disconnected", server, reason: signal.reason } : null,
      };
    case "worked":
      return { facts: facts.failures === 0 ? facts : { ...facts, failures: 0 }, event: null };
  }
}

type Failure = { reason: string; stderrTail?: string | null; at: number; kept: boolean; hopeless?: boolean };

/** What did its work, or was lost for the first time, may come back at once; what keeps falling over may not. */
function afterLoss(
  facts: ConnectionFacts,
  { useful, ...lost }: Failure & { useful: boolean },
  policy: RetryPolicy,
  random: () => number,
): ConnectionFacts {
  const failures = useful ? 0 : facts.failures + 1;
  const state = lost.kept ? "backoff" : "disconnected";
  if (failures > 1) {
    return { ...afterFailure({ ...facts, failures: failures - 2 }, lost, policy, random), state, failures };
  }
  const { reason: error, stderrTail = null } = lost;
  return { ...initialFacts, state, error, stderrTail, failures, retryAt: lost.kept ? lost.at : null };
}

function afterFailure(
  { failures }: ConnectionFacts,
  { reason, stderrTail = null, at, kept, hopeless = false }: Failure,
  { firstMs, maxMs }: RetryPolicy,
  random: () => number,
): ConnectionFacts {
  const gapMs = Math.min(maxMs, firstMs * 2 ** Math.min(failures, 30));
  const spread = Math.min(maxMs, Math.round(gapMs * (1 + jitter * (2 * random() - 1))));
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
