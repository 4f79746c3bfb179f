import { stableJson } from "../lib/stable-json.ts";
import { PlaneError } from "../model/errors.ts";
import type { ServerDefinition, ServersChange } from "../model/server.ts";

export type Presence = {
  /** Is it to be connected again without anybody asking? */
  isKept(): boolean;
  isStopped(): boolean;
  /** From now on it is kept connected. */
  keep(): void;
  /** It stays away until somebody keeps it again. */
  hold(): void;
  /** It never comes back. */
  stop(): void;
  /** Throws when it must not be started or asked now, with the reason. */
  refuseIfAway(): void;
  isAway(): boolean;
};

/** Whether a server is wanted: by its configuration, by whoever connected it, by the plane. */
export function createPresence(
  name: string,
  { enabled, alwaysOn }: Pick<ServerDefinition, "enabled" | "alwaysOn">,
  isOffline: boolean,
): Presence {
  let isWanted = alwaysOn;
  let isHeld = false;
  let isStopped = false;

  function reasonToStayAway(): string | null {
    if (!enabled) return "is disabled in the configuration";
    if (isStopped) return "is stopped";
    if (isOffline) return "is not asked, because the plane is offline";
    return isHeld ? "was disconnected. Connect it first" : null;
  }

  return {
    isKept: () => isWanted && !isHeld && !isStopped,
    isStopped: () => isStopped,
    keep() {
      isHeld = false;
      isWanted = true;
    },
    hold() {
      isHeld = true;
      isWanted = alwaysOn;
    },
    stop() {
      isStopped = true;
    },
    isAway: () => reasonToStayAway() !== null,
    refuseIfAway() {
      const reason = reasonToStayAway();
      if (reason === null) return;
      throw new PlaneError("SERVER_UNAVAILABLE", `Server '${name}' ${reason}.`, {
        data: { server: name, sent: false, retryAt: null },
      });
    },
  };
}

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
