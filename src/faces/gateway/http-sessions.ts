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

/** The same on every plane. */
function ownerOf(principal: Principal): string {
  return JSON.stringify(principal);
}

/** None without a store that outlives us. */
function keeperFor(sessions: KeptSessions, id: string, principal: Principal, view: View): { keeper?: SessionKeeper } {
  if (!sessions.outlivesUs) return {};
  const owner = ownerOf(principal);
  // A client's wishes hold here, also while the store is away.
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

/** Undefined where this caller has none. */
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
  /** When it is here and this caller's. */
  find(id: string, principal: Principal): HttpSession | undefined;
  /** From another plane, or from before a restart. */
  reopen(id: string, principal: Principal): Promise<HttpSession | undefined>;
  /** The client listens here from now on. */
  follow(session: HttpSession): void;
  end(id: string): Promise<void>;
  size(): number;
  /** Ends the streams of listeners. */
  drain(): void;
  close(): Promise<void>;
};

type State = {
  readonly gateway: GatewayContext;
  readonly keptSessions: KeptSessions;
  readonly all: Map<string, Kept>;
  /** The ids of each owner, the least recently used first. */
  readonly byOwner: Map<string, Set<string>>;
  readonly leaving: Set<Promise<void>>;
};

/** The sessions of clients: limited per caller, ended when idle. */
export function createHttpSessions(gateway: GatewayContext): HttpSessions {
  const keptSessions = gateway.plane.clients.sessions;
  const all = new Map<string, Kept>();
  const state: State = { gateway, keptSessions, all, byOwner: new Map(), leaving: new Set() };
  const reopening = new Map<string, Promise<HttpSession | undefined>>();
  const clock = setInterval(() => void sweep(state), sweepMs).unref();
  const stopHearing = keptSessions.onNews(({ id, what }) => {
    const kept = all.get(id);
    if (kept) void (what === "mail" ? readMail(state, kept) : look(state, kept)).catch(ignore);
  });
  return {
    open(principal, view) {
      const id = randomUUID();
      const keeping = keeperFor(keptSessions, id, principal, view);
      return add(state, createHttpSession(gateway, { id, principal, view, ...keeping }), principal);
    },
    find: (id, principal) => find(state, id, principal),
    async reopen(id, principal) {
      // Several requests may come at once, also with a stolen id.
      const key = `${id} ${ownerOf(principal)}`;
      const begun = reopening.get(key) ?? reopen(state, id, principal).finally(() => reopening.delete(key));
      reopening.set(key, begun);
      return begun;
    },
    follow(session) {
      session.follow(null);
      if (keptSessions.outlivesUs) void keptSessions.find(session.id).then(session.follow, ignore);
    },
    end: (id) => end(state, id),
    size: () => all.size,
    drain() {
      for (const { session } of all.values()) session.stopListening();
    },
    async close() {
      clearInterval(clock);
      stopHearing();
      for (const id of [...all.keys()]) void leave(state, id, keptSessions.outlivesUs);
      await Promise.allSettled(state.leaving);
    },
  };
}

function find(state: State, id: string, principal: Principal): HttpSession | undefined {
  const kept = state.all.get(id);
  if (!kept || !isTheirs(kept, principal)) return undefined;
  kept.usedAt = Date.now();
  if (kept.usedAt - kept.toldAt >= sessionTouchMs && state.keptSessions.outlivesUs) tellUsed(state, kept);
  noteUse(state, id, kept.owner);
  return kept.session;
}

async function sweep(state: State): Promise<void> {
  const before = Date.now() - sessionIdleMs;
  for (const [id, kept] of state.all) {
    const { session, usedAt } = kept;
    const isUsed = usedAt >= before || !session.isIdle() || session.isListening();
    if (isUsed) tellUsed(state, kept);
    else void state.keptSessions.endUnused(id).then((isOver) => leave(state, id, !isOver), ignore);
  }
  if (!state.keptSessions.outlivesUs) return;
  void state.keptSessions.tidy().catch(ignore);
  const over = await state.keptSessions.ended([...state.all.keys()]).catch(() => []);
  // A session from a time without the store is known here only.
  for (const id of over) if (state.all.get(id)?.session.isKept()) void leave(state, id, false);
}

/** Now and then, so that no other plane ends it. */
function tellUsed(state: State, kept: Kept): void {
  if (Date.now() - kept.toldAt < sessionTouchMs) return;
  kept.toldAt = Date.now();
  void state.keptSessions.touch(kept.session.id).catch(ignore);
}

/** It was changed on another plane. */
async function look(state: State, { session }: Kept): Promise<void> {
  const now = await state.keptSessions.find(session.id);
  if (now === null) return leave(state, session.id, false);
  if (session.isListening()) session.follow(now);
}

async function readMail(state: State, { session }: Kept): Promise<void> {
  for (const message of await state.keptSessions.mail(session.id)) session.takeMail(message);
}

async function leave(state: State, id: string, goesOn: boolean): Promise<void> {
  const kept = state.all.get(id);
  state.all.delete(id);
  if (kept) forget(state, id, kept.owner);
  const left = kept?.session.close(goesOn).finally(() => state.leaving.delete(left as Promise<void>));
  if (left) state.leaving.add(left);
  await left;
}

async function end(state: State, id: string): Promise<void> {
  const left = leave(state, id, false);
  if (state.keptSessions.outlivesUs) await state.keptSessions.end(id);
  await left;
}

/** A set keeps its order: the last used stands last. */
function noteUse(state: State, id: string, owner: string): void {
  const own = state.byOwner.get(owner) ?? new Set();
  own.delete(id);
  state.byOwner.set(owner, own.add(id));
}

function forget(state: State, id: string, owner: string): void {
  const own = state.byOwner.get(owner);
  own?.delete(id);
  if (own?.size === 0) state.byOwner.delete(owner);
}

function makeRoom(state: State, owner: string): void {
  const own = state.byOwner.get(owner) ?? new Set();
  for (const id of own) {
    if (own.size < maxSessionsPerCaller) return;
    void end(state, id).catch(ignore);
  }
}

function add(state: State, session: HttpSession, principal: Principal): HttpSession {
  const owner = ownerOf(principal);
  makeRoom(state, owner);
  const now = Date.now();
  state.all.set(session.id, { session, principal, owner, usedAt: now, toldAt: now });
  noteUse(state, session.id, owner);
  return session;
}

async function reopen(state: State, id: string, principal: Principal): Promise<HttpSession | undefined> {
  const kept = state.all.has(id) ? undefined : await findElsewhere(state.keptSessions, id, principal);
  return kept && add(state, reopenSession(state.gateway, id, principal, kept), principal);
}

const ignore = () => undefined;

function isTheirs({ principal, owner }: Kept, asking: Principal): boolean {
  return principal === asking || owner === ownerOf(asking);
}
