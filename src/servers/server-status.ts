import { wallTime } from "../lib/async/steady-time.ts";
import type { ServerDefinition } from "../model/servers/server.ts";
import type { ServerStatus } from "../model/servers/server-schema.ts";
import type { Era } from "../protocol/session.ts";
import type { ServerConnection } from "./connection.ts";
import type { ServerCatalogue } from "./server-catalogue.ts";
import type { ServerSessions } from "./sessions.ts";

type StatusParts = {
  definition: ServerDefinition;
  sessions: ServerSessions;
  catalogue: Pick<
    ServerCatalogue,
    "isKnown" | "size" | "failure" | "incomplete" | "flapping" | "listedAt" | "offerCounts"
  >;
  isAvailable: boolean;
  /** Why a session is of this era. */
  explainEra(era: Era): string;
  pending: number;
  noise: number;
};

/** The state is that of the main session. */
export function describeStatus(
  parts: StatusParts,
): Omit<ServerStatus, "name" | "tools" | "rejected"> {
  const { definition, sessions, catalogue, pending, noise } = parts;
  const { state, error, stderrTail, cooldownUntil, retryAt, installingSince, failures } =
    sessions.main.facts();
  const live = sessions.main.live();
  const starting = definition.enabled ? sessions.main.starting() : null;
  const nextAttemptAt = retryAt ?? cooldownUntil;
  const listedAt = catalogue.listedAt();
  const incomplete = catalogue.incomplete();
  const flapping = catalogue.flapping();
  const trouble = error ?? catalogue.failure();
  const since = installingSince === null ? null : wallTime(installingSince);
  return {
    state: definition.enabled ? state : "disabled",
    idle: state === "disconnected" && trouble === null && catalogue.isKnown() && parts.isAvailable,
    ...(since !== null && { installing: { since, lastLine: sessions.main.installLine() } }),
    ...(starting && {
      starting: { phase: starting.phase, since: wallTime(starting.since) },
    }),
    transport: definition.transport,
    protocolVersion: live?.session.protocolVersion ?? null,
    ...(live && { protocolReason: parts.explainEra(live.session.era) }),
    stale: catalogue.size() > 0 && trouble !== null,
    error: trouble,
    ...(stderrTail !== null && { stderrTail }),
    nextRetryAt: nextAttemptAt === null ? null : wallTime(nextAttemptAt),
    attempts: failures,
    reconnect: { backoffMs: definition.backoffMs, maxBackoffMs: definition.maxBackoffMs },
    pid: live?.channel.pid ?? null,
    ...(incomplete && { incomplete }),
    ...(flapping.length > 0 && { flapping }),
    listedAt: listedAt === null ? null : new Date(listedAt).toISOString(),
    offers: catalogue.offerCounts(),
    pending,
    sessions: sessions.all().filter(isOpen).length,
    noise,
  };
}

export function isOpen({ connection }: { connection: ServerConnection }): boolean {
  return connection.live() !== null;
}

export function brokenStatus(
  name: string,
  reason: string,
  state: "config_error" | "untrusted" = "config_error",
): ServerStatus {
  return {
    name,
    state,
    idle: false,
    transport: null,
    protocolVersion: null,
    tools: 0,
    stale: false,
    error: reason,
    nextRetryAt: null,
    pid: null,
    rejected: [],
    listedAt: null,
    offers: { prompts: null, resources: null, resourceTemplates: null },
    pending: 0,
    sessions: 0,
    noise: 0,
  };
}
