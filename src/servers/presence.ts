import { PlaneError } from "../model/errors.ts";
import type { ServerDefinition } from "../model/server.ts";

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
