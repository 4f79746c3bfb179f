import { stableJson } from "../lib/json/stable-json.ts";
import type { UntrustedServer } from "../model/config/config.ts";
import type { ServerDefinition, ServersChange } from "../model/servers/server.ts";
import { notSent } from "./failures.ts";

/** Should a server run, by its configuration and the last connect or disconnect? */
export function createDesiredState(
  name: string,
  { enabled, alwaysOn }: Pick<ServerDefinition, "enabled" | "alwaysOn">,
  isOffline: boolean,
) {
  let staysConnected = alwaysOn;
  let isDisconnected = false;
  let isStopped = false;

  function refusal(): string | null {
    if (!enabled) return "is disabled in the configuration";
    if (isStopped) return "is stopped";
    if (isOffline) return "is not asked, because the plane is offline";
    return isDisconnected ? "was disconnected. Connect it first" : null;
  }

  return {
    /** Is it reconnected after it was lost? */
    staysConnected: () => staysConnected && !isDisconnected && !isStopped,
    isStopped: () => isStopped,
    connect(): void {
      isDisconnected = false;
      staysConnected = true;
    },
    disconnect(): void {
      isDisconnected = true;
      staysConnected = alwaysOn;
    },
    stop(): void {
      isStopped = true;
    },
    isAvailable: () => refusal() === null,
    /** Throws why the server must not be started or asked. */
    requireAvailable(): void {
      const reason = refusal();
      if (reason !== null) throw notSent("SERVER_UNAVAILABLE", name, `Server '${name}' ${reason}.`);
    },
  };
}

/** For every face: what is wrong, and the remedy. */
export const notTrusted = {
  what: "not trusted yet: a file of the project names it",
  remedy: "Look at what it starts, then trust it with 'toolplane trust'",
};

export type ConfiguredServers = {
  definitions: Readonly<Record<string, ServerDefinition>>;
  broken: Readonly<Record<string, string>>;
  /** Those that wait for a person's trust. */
  untrusted?: Readonly<Record<string, Pick<UntrustedServer, "why">>>;
};

export function compareDefinitions(
  before: ConfiguredServers["definitions"],
  after: ConfiguredServers["definitions"],
): ServersChange {
  const shared = Object.keys(after).filter((name) => Object.hasOwn(before, name));
  const isSame = (name: string) => stableJson(before[name]) === stableJson(after[name]);
  return {
    added: Object.keys(after).filter((name) => !Object.hasOwn(before, name)),
    removed: Object.keys(before).filter((name) => !Object.hasOwn(after, name)),
    changed: shared.filter((name) => !isSame(name)),
    unchanged: shared.filter(isSame),
  };
}

export function isEager({ autoConnect, lazy, alwaysOn }: ServerDefinition): boolean {
  return alwaysOn || (autoConnect && lazy !== true);
}

/** Without `lazy`, a server starts with the plane until its tools are known. */
export function startsWithPlane(
  { alwaysOn, autoConnect, lazy }: ServerDefinition,
  isKnown: boolean,
): boolean {
  if (alwaysOn) return true;
  return autoConnect && !(lazy ?? isKnown);
}
