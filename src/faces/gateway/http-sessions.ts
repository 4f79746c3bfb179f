import { randomUUID } from "node:crypto";
import type { Principal } from "../../model/principal.ts";
import {
  type KeptSession,
  type KeptSessions,
  sessionIdleMs,
  sessionTouchMs,
} from "../../model/servers/client-sessions.ts";
import type { GatewayContext } from "./client-session.ts";
import { createHttpSession, type HttpSession } from "./http-session.ts";
import type { SessionKeeper } from "./session-state.ts";
import { plainView, type View } from "./view.ts";

/** At this number, the least recently used session ends. */
const maxSessionsPerCaller = 256;

/** Whose a session is, as a text that is the same on every plane. */
function ownerOf(principal: Principal): string {
  return JSON.stringify(principal);
}

/** Tells the other planes of one session; without a store that outlives us there are none. */
function keeperFor(sessions: KeptSessions, id: string, principal: Principal, view: View): { keeper?: SessionKeeper } {
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
async function findElsewhere(
  sessions: KeptSessions,
  id: string,
  principal: Principal,
): Promise<KeptSession | undefined> {
  if (!sessions.outlivesUs || !idPattern.test(id)) return undefined;
  const kept = await sessions.find(id);
  return kept !== null && kept.owner === ownerOf(principal) ? kept : undefined;
}

function reopenSession(gateway: GatewayContext, id: string, principal: Principal, kept: KeptSession): HttpSession {
  const view = { ...plainView, ...kept.view } as View;
  const keeping = keeperFor(gateway.plane.clients.sessions, id, principal, view);
  return createHttpSession(gateway, { id, principal, view, ...keeping, kept });
}

const sweepMs = 60_000;

type Kept = { session: HttpSession; principal: Principal; owner: string; usedAt: number; toldAt: number };

export type HttpSessions = {
  open(principal: Principal, view: View): HttpSession;
  /** The session of this id, when it is here and this caller's. */
  find(id: string, principal: Principal): HttpSession | undefined;
  /** The same when it was begun on another plane, or before this one was started. */
  reopen(id: string, principal: Principal): Promise<HttpSession | undefined>;
  /** The client listens here from now on. */
  follow(session: HttpSession): void;
  end(id: string): Promise<void>;
  size(): number;
  /** Ends the streams of those who only listen. */
  drain(): void;
  close(): Promise<void>;
};

/** The sessions of clients: limited per caller, ended when idle. */
export function createHttpSessions(gateway: GatewayContext): HttpSessions {
  const keptSessions = gateway.plane.clients.sessions;
  const all = new Map<string, Kept>();
  /** The ids of each owner, the least recently used first. */
  const byOwner = new Map<string, Set<string>>();
  const leaving = new Set<Promise<void>>();
  const reopening = new Map<string, Promise<HttpSession | undefined>>();
  const clock = setInterval(() => void sweep(), sweepMs).unref();
  const stopHearing = keptSessions.onNews(({ id, what }) => {
    const kept = all.get(id);
    if (kept) void (what === "mail" ? readMail(kept) : look(kept)).catch(ignore);
  });

  async function sweep(): Promise<void> {
    const before = Date.now() - sessionIdleMs;
    for (const [id, kept] of all) {
      const { session, usedAt } = kept;
      const isUsed = usedAt >= before || !session.isIdle() || session.isListening();
      if (isUsed) tellUsed(kept);
      else void keptSessions.endUnused(id).then((isOver) => leave(id, !isOver), ignore);
    }
    if (!keptSessions.outlivesUs) return;
    void keptSessions.tidy().catch(ignore);
    const over = await keptSessions.ended([...all.keys()]).catch(() => []);
    // What was begun while the store was away is known here only.
    for (const id of over) if (all.get(id)?.session.isKept()) void leave(id, false);
  }

  /** From time to time, so that no other plane takes it for forgotten. */
  function tellUsed(kept: Kept): void {
    if (Date.now() - kept.toldAt < sessionTouchMs) return;
    kept.toldAt = Date.now();
    void keptSessions.touch(kept.session.id).catch(ignore);
  }

  /** Something about it was changed on another plane. */
  async function look({ session }: Kept): Promise<void> {
    const now = await keptSessions.find(session.id);
    if (now === null) return leave(session.id, false);
    if (session.isListening()) session.follow(now);
  }

  async function readMail({ session }: Kept): Promise<void> {
    for (const message of await keptSessions.mail(session.id)) session.takeMail(message);
  }

  async function leave(id: string, goesOn: boolean): Promise<void> {
    const kept = all.get(id);
    all.delete(id);
    if (kept) forget(id, kept.owner);
    const left = kept?.session.close(goesOn).finally(() => leaving.delete(left as Promise<void>));
    if (left) leaving.add(left);
    await left;
  }

  async function end(id: string): Promise<void> {
    const left = leave(id, false);
    if (keptSessions.outlivesUs) await keptSessions.end(id);
    await left;
  }

  /** A set keeps its order, so what was used last stands last. */
  function noteUse(id: string, owner: string): void {
    const own = byOwner.get(owner) ?? new Set();
    own.delete(id);
    byOwner.set(owner, own.add(id));
  }

  function forget(id: string, owner: string): void {
    const own = byOwner.get(owner);
    own?.delete(id);
    if (own?.size === 0) byOwner.delete(owner);
  }

  function makeRoom(owner: string): void {
    const own = byOwner.get(owner) ?? new Set();
    for (const id of own) {
      if (own.size < maxSessionsPerCaller) return;
      void end(id).catch(ignore);
    }
  }

  function add(session: HttpSession, principal: Principal): HttpSession {
    const owner = ownerOf(principal);
    makeRoom(owner);
    const now = Date.now();
    all.set(session.id, { session, principal, owner, usedAt: now, toldAt: now });
    noteUse(session.id, owner);
    return session;
  }

  async function reopen(id: string, principal: Principal): Promise<HttpSession | undefined> {
    const kept = all.has(id) ? undefined : await findElsewhere(keptSessions, id, principal);
    return kept && add(reopenSession(gateway, id, principal, kept), principal);
  }

  return {
    open(principal, view) {
      const id = randomUUID();
      const keeping = keeperFor(keptSessions, id, principal, view);
      return add(createHttpSession(gateway, { id, principal, view, ...keeping }), principal);
    },
    find(id, principal) {
      const kept = all.get(id);
      if (!kept || !isTheirs(kept, principal)) return undefined;
      kept.usedAt = Date.now();
      if (kept.usedAt - kept.toldAt >= sessionTouchMs && keptSessions.outlivesUs) tellUsed(kept);
      noteUse(id, kept.owner);
      return kept.session;
    },
    async reopen(id, principal) {
      // Several requests may come at once, also with a stolen id.
      const key = `${id} ${ownerOf(principal)}`;
      const begun = reopening.get(key) ?? reopen(id, principal).finally(() => reopening.delete(key));
      reopening.set(key, begun);
      return begun;
    },
    follow(session) {
      session.follow(null);
      if (keptSessions.outlivesUs) void keptSessions.find(session.id).then(session.follow, ignore);
    },
    end,
    size: () => all.size,
    drain() {
      for (const { session } of all.values()) session.stopListening();
    },
    async close() {
      clearInterval(clock);
      stopHearing();
      for (const id of [...all.keys()]) void leave(id, keptSessions.outlivesUs);
      await Promise.allSettled(leaving);
    },
  };
}

const ignore = () => undefined;

function isTheirs({ principal, owner }: Kept, asking: Principal): boolean {
  return principal === asking || owner === ownerOf(asking);
}
