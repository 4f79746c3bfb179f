import type { KeptSession, KeptSessions } from "../../model/kept-sessions.ts";
import type { Principal } from "../../model/principal.ts";
import type { GatewayContext } from "./client-session.ts";
import { createHttpSession, type HttpSession } from "./http-session.ts";
import type { SessionKeeper } from "./session-state.ts";
import { plainView, type View } from "./view.ts";

/** Whose a session is, as a text that is the same on every plane. */
export function ownerOf(principal: Principal): string {
  return JSON.stringify(principal);
}

/** Tells the other planes of one session; without a store that outlives us there are none. */
export function keeperFor(
  sessions: KeptSessions,
  id: string,
  principal: Principal,
  view: View,
): { keeper?: SessionKeeper } {
  if (!sessions.outlivesUs) return {};
  const owner = ownerOf(principal);
  // What a client has asked for holds here, also while the store is away.
  const ignore = () => undefined;
  return {
    keeper: {
      keep: ({ version, client }) => sessions.keep(id, { owner, version, client, view, watched: [] }),
      change: (change) => sessions.change(id, change).catch(ignore),
      passOn: (message) => void sessions.leaveMail(id, message).catch(ignore),
    },
  };
}

const idPattern = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/;

/** The session that this caller has begun on another plane; undefined where there is none of theirs. */
export async function findElsewhere(
  sessions: KeptSessions,
  id: string,
  principal: Principal,
): Promise<KeptSession | undefined> {
  if (!sessions.outlivesUs || !idPattern.test(id)) return undefined;
  const kept = await sessions.find(id);
  return kept !== null && kept.owner === ownerOf(principal) ? kept : undefined;
}

export function reopenSession(
  house: GatewayContext,
  id: string,
  principal: Principal,
  kept: KeptSession,
): HttpSession {
  const view = { ...plainView, ...kept.view } as View;
  const keeping = keeperFor(house.plane.keptSessions, id, principal, view);
  return createHttpSession(house, { id, principal, view, ...keeping, kept });
}
