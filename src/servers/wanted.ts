import { stableJson } from "../lib/stable-json.ts";
import type { ServerDefinition, ServerStatus, ServersChange } from "../model/server.ts";

/** What the configuration says: servers that can run, and those that cannot with the reason. */
export type Wanted = {
  definitions: Readonly<Record<string, ServerDefinition>>;
  broken: Readonly<Record<string, string>>;
};

export function compareWanted(before: Wanted["definitions"], after: Wanted["definitions"]): ServersChange {
  const shared = Object.keys(after).filter((name) => Object.hasOwn(before, name));
  const isSame = (name: string) => stableJson(before[name]) === stableJson(after[name]);
  return {
    added: Object.keys(after).filter((name) => !Object.hasOwn(before, name)),
    removed: Object.keys(before).filter((name) => !Object.hasOwn(after, name)),
    changed: shared.filter((name) => !isSame(name)),
    unchanged: shared.filter(isSame),
  };
}

/** Nobody has said that it should wait. */
export function isEager({ autoConnect, lazy, alwaysOn }: ServerDefinition): boolean {
  return alwaysOn || (autoConnect && lazy !== true);
}

/** Said to be lazy, it waits for its first use; unsaid, it is started as long as nobody knows what it offers. */
export function startsWithPlane(
  { alwaysOn, autoConnect, lazy }: ServerDefinition,
  isKnown: boolean,
): boolean {
  if (alwaysOn) return true;
  return autoConnect && (lazy === undefined ? !isKnown : !lazy);
}

/** The status of a server that cannot run. */
export function brokenStatus(name: string, reason: string): ServerStatus {
  return {
    name,
    state: "config_error",
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
