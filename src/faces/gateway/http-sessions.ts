import { randomUUID } from "node:crypto";
import { steadyNow } from "../../lib/async/steady-time.ts";
import { withoutUndefined } from "../../lib/json/plain-data.ts";
import { PlaneError } from "../../model/errors.ts";
import type { Principal } from "../../model/principal.ts";
import {
  type SessionStore,
  type StoredSession,
  sessionIdleMs,
  sessionTouchMs,
} from "../../model/servers/client-sessions.ts";
import type { GatewayContext } from "./client-session.ts";
import { HttpSession } from "./http-session.ts";
import type { SessionKeeper } from "./session-state.ts";
import { plainView, type View } from "./view.ts";

const sweepMs = 60_000;
/** A session that was used within this time is not ended for a new one: clients would end each other in turn. */
const idleBeforeEndMs = 60_000;
const idPattern = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/;

/** A client's session works on here while the store is unreachable. */
const ignore = () => undefined;

/** The same on every plane. */
function ownerOf(principal: Principal): string {
  return JSON.stringify(principal);
}

function keeperFor(sessions: SessionStore, id: string, owner: string, view: View): SessionKeeper {
  return {
    keep: ({ version, client }) => sessions.keep(id, { owner, version, client, view, watched: [] }),
    change: (change) => sessions.change(id, change).catch(ignore),
    passOn: (message) => void sessions.leaveMail(id, message).catch(ignore),
  };
}

/** No stream is open and no request runs, so the session may end. */
function isIdle({ session }: Pick<SessionRecord, "session">): boolean {
  return session.client.isIdle() && !session.isListening();
}

type Opened = { isLocal: boolean; kept?: StoredSession };
type SessionRecord = {
  session: HttpSession;
  principal: Principal;
  owner: string;
  usedAt: number;
  toldAt: number;
};

/** The sessions of clients: limited per caller, ended when idle. */
export class HttpSessions {
  readonly #gateway: GatewayContext;
  readonly #store: SessionStore;
  readonly #all = new Map<string, SessionRecord>();
  /** The ids of each owner. */
  readonly #byOwner = new Map<string, Set<string>>();
  readonly #leaving = new Set<Promise<void>>();
  readonly #reopening = new Map<string, Promise<HttpSession | undefined>>();
  readonly #clock = setInterval(() => void this.#sweep(), sweepMs).unref();
  readonly #stopHearing: () => void;

  constructor(gateway: GatewayContext) {
    this.#gateway = gateway;
    this.#store = gateway.plane.clients.sessions;
    this.#stopHearing = this.#store.onNews(({ id, what }) => {
      const record = this.#all.get(id);
      if (record)
        void (what === "mail" ? this.#readMail(record) : this.#refresh(record)).catch(ignore);
    });
  }

  get size(): number {
    return this.#all.size;
  }

  /** `isLocal`: what it names as its roots are directories of this machine. */
  open(principal: Principal, view: View, isLocal: boolean): HttpSession {
    return this.#add(randomUUID(), principal, view, { isLocal });
  }

  /** Undefined where this plane has no such session of this caller. */
  find(id: string, principal: Principal): HttpSession | undefined {
    const record = this.#all.get(id);
    if (!record || (record.principal !== principal && record.owner !== ownerOf(principal)))
      return undefined;
    record.usedAt = steadyNow();
    if (this.#store.outlivesUs) this.#tellUsed(record);
    return record.session;
  }

  /** Takes over a session of another plane, or from before a restart. */
  reopen(id: string, principal: Principal, isLocal: boolean): Promise<HttpSession | undefined> {
    // Several requests may come at once, also with a stolen id.
    const key = `${id} ${ownerOf(principal)}`;
    const begun =
      this.#reopening.get(key) ??
      this.#reopen(id, principal, isLocal).finally(() => this.#reopening.delete(key));
    this.#reopening.set(key, begun);
    return begun;
  }

  /** The client listens here from now on. */
  follow({ client }: HttpSession): void {
    client.follow(null);
    if (this.#store.outlivesUs)
      void this.#store.find(client.id).then((stored) => client.follow(stored), ignore);
  }

  async end(id: string): Promise<void> {
    const leaving = this.#leave(id, false);
    if (this.#store.outlivesUs) await this.#store.end(id);
    await leaving;
  }

  /** Ends the streams of listeners. */
  drain(): void {
    for (const { session } of this.#all.values()) session.stopListening();
  }

  async close(): Promise<void> {
    clearInterval(this.#clock);
    this.#stopHearing();
    for (const id of [...this.#all.keys()]) void this.#leave(id, this.#store.outlivesUs);
    await Promise.allSettled(this.#leaving);
  }

  #add(id: string, principal: Principal, view: View, { isLocal, kept }: Opened): HttpSession {
    const owner = ownerOf(principal);
    this.#makeRoom(owner);
    const session = new HttpSession(this.#gateway, {
      id,
      principal,
      view,
      ...withoutUndefined({
        keeper: this.#store.outlivesUs ? keeperFor(this.#store, id, owner, view) : undefined,
        kept,
        placedBy: isLocal ? ("roots" as const) : undefined,
      }),
    });
    const now = steadyNow();
    this.#all.set(id, { session, principal, owner, usedAt: now, toldAt: now });
    this.#byOwner.set(owner, (this.#byOwner.get(owner) ?? new Set()).add(id));
    return session;
  }

  /**
   * At the limit, the least recently used session ends, if nothing runs in it and it was not used for `idleBeforeEndMs`. Where
   * all are in use, no more begin.
   */
  #makeRoom(owner: string): void {
    const sessionIds = this.#byOwner.get(owner);
    const { maxSessionsPerCaller: limit } = this.#gateway.plane.config().quotas;
    if (sessionIds === undefined || sessionIds.size < limit) return;
    const busySince = steadyNow() - idleBeforeEndMs;
    let leastUsed: SessionRecord | undefined;
    for (const id of sessionIds) {
      const record = this.#all.get(id);
      if (record === undefined || record.usedAt > busySince || !isIdle(record)) continue;
      if (leastUsed === undefined || record.usedAt < leastUsed.usedAt) leastUsed = record;
    }
    if (leastUsed !== undefined) return void this.end(leastUsed.session.client.id).catch(ignore);
    const text =
      `This caller has ${limit} sessions in use, which is the limit (quotas.maxSessionsPerCaller). ` +
      "Raise it, give the clients keys of their own, or end sessions.";
    throw new PlaneError("BUSY", text, { data: { limit, setting: "quotas.maxSessionsPerCaller" } });
  }

  async #reopen(
    id: string,
    principal: Principal,
    isLocal: boolean,
  ): Promise<HttpSession | undefined> {
    if (this.#all.has(id) || !this.#store.outlivesUs || !idPattern.test(id)) return undefined;
    const stored = await this.#store.find(id);
    if (stored?.owner !== ownerOf(principal)) return undefined;
    return this.#add(id, principal, { ...plainView, ...stored.view }, { isLocal, kept: stored });
  }

  async #sweep(): Promise<void> {
    const inUseSince = steadyNow() - sessionIdleMs;
    for (const [id, record] of this.#all) {
      if (record.usedAt >= inUseSince || !isIdle(record)) this.#tellUsed(record);
      else void this.#store.endUnused(id).then((isOver) => this.#leave(id, !isOver), ignore);
    }
    if (!this.#store.outlivesUs) return;
    void this.#store.tidy().catch(ignore);
    const endedIds = await this.#store.ended([...this.#all.keys()]).catch(() => []);
    // A session from a time without the store is known here only.
    for (const id of endedIds) if (this.#all.get(id)?.session.isKept) void this.#leave(id, false);
  }

  /** Says now and then that the session is in use, so that no other plane ends it. */
  #tellUsed(record: SessionRecord): void {
    if (steadyNow() - record.toldAt < sessionTouchMs) return;
    record.toldAt = steadyNow();
    void this.#store.touch(record.session.client.id).catch(ignore);
  }

  /** The session was changed on another plane. */
  async #refresh({ session }: SessionRecord): Promise<void> {
    const stored = await this.#store.find(session.client.id);
    if (stored === null) return this.#leave(session.client.id, false);
    if (session.isListening()) session.client.follow(stored);
  }

  async #readMail({ session: { client } }: SessionRecord): Promise<void> {
    for (const message of await this.#store.mail(client.id)) client.takeMail(message);
  }

  async #leave(id: string, goesOn: boolean): Promise<void> {
    const record = this.#all.get(id);
    if (!record) return;
    this.#all.delete(id);
    const sessionIds = this.#byOwner.get(record.owner);
    sessionIds?.delete(id);
    if (sessionIds?.size === 0) this.#byOwner.delete(record.owner);
    const closing = record.session.close(goesOn).finally(() => this.#leaving.delete(closing));
    this.#leaving.add(closing);
    await closing;
  }
}
