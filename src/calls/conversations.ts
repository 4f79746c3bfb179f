import type { Hooks } from "../access/access.ts";

import type { Plane } from "../model/plane.ts";
import type { Principal } from "../model/principal.ts";
import type { Verbs } from "../model/verbs.ts";
import type { Servers } from "../servers/servers.ts";
import { createKeptSessions, type Recorder } from "../store/store.ts";
import type { PlaneLimits } from "./limits/shared-limits.ts";

type Parts = {
  memory: Recorder;
  limits: Pick<PlaneLimits, "endConversation">;
  hooks: Pick<Hooks, "ended">;
  servers: Pick<Servers, "release">;
  defaultPrincipal: Principal;
};

/** What belongs together across several calls, here and on other planes. */
export function createConversationVerbs(parts: Parts): Pick<Verbs, "keptSessions" | "endConversation"> {
  const { memory, limits, hooks, servers, defaultPrincipal } = parts;
  return {
    keptSessions: createKeptSessions(memory),
    async endConversation(conversation, { principal = defaultPrincipal, goesOn = false } = {}) {
      if (!goesOn) {
        await limits.endConversation(conversation, principal);
        await hooks.ended(conversation, principal);
      }
      return servers.release(
        (owner) => owner.conversation === conversation && owner.user === principal.user,
        "the conversation ended",
      );
    },
  };
}
