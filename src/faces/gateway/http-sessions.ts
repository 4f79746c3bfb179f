import { randomUUID } from "node:crypto";
import type { Principal } from "../../model/principal.ts";
import type { House } from "./client-session.ts";
import { createHttpSession, type HttpSession } from "./http-session.ts";
import { sessionIdleMs, sessionsPerCaller } from "./limits.ts";
import type { View } from "./view.ts";

const sweepMs = 60_000;

type Kept = { session: HttpSession; owner: string; usedAt: number };

export type HttpSessions = {
  open(principal: Principal, view: View): HttpSession;
  /** The session of this id, when it is this caller's. */
  find(id: string, principal: Principal): HttpSession | undefined;
  end(id: string): Promise<void>;
  size(): number;
  /** Ends the streams of those who only listen. */
  drain(): void;
  close(): Promise<void>;
};

/** The sessions that clients have with us. Nobody's number is without limit, and what is not used is forgotten. */
export function createHttpSessions(house: House): HttpSessions {
  const all = new Map<string, Kept>();
  const leaving = new Set<Promise<void>>();
  const clock = setInterval(sweep, sweepMs).unref();

  function sweep(): void {
    const before = Date.now() - sessionIdleMs;
    for (const [id, { session, usedAt }] of all)
      if (usedAt < before && session.isIdle() && !session.isListening()) void end(id);
  }

  async function end(id: string): Promise<void> {
    const kept = all.get(id);
    all.delete(id);
    const left = kept?.session.close().finally(() => leaving.delete(left as Promise<void>));
    if (left) leaving.add(left);
    await left;
  }

  /** A map keeps its order, so the first is the one that was used least recently. */
  function makeRoom(owner: string): void {
    const own = [...all].filter(([, kept]) => kept.owner === owner);
    for (const [id] of own.slice(0, Math.max(0, own.length - sessionsPerCaller + 1))) void end(id);
  }

  return {
    open(principal, view) {
      const owner = JSON.stringify(principal);
      if (all.size >= sessionsPerCaller) makeRoom(owner);
      const session = createHttpSession(house, { id: randomUUID(), principal, view });
      all.set(session.id, { session, owner, usedAt: Date.now() });
      return session;
    },
    find(id, principal) {
      const kept = all.get(id);
      if (!kept || kept.owner !== JSON.stringify(principal)) return undefined;
      kept.usedAt = Date.now();
      all.delete(id);
      all.set(id, kept);
      return kept.session;
    },
    end,
    size: () => all.size,
    drain() {
      for (const { session } of all.values()) session.stopListening();
    },
    async close() {
      clearInterval(clock);
      for (const id of [...all.keys()]) void end(id);
      await Promise.allSettled(leaving);
    },
  };
}
