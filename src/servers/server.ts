import { abortable } from "../lib/abortable.ts";
import { sentence } from "../lib/sentence.ts";
import { PlaneError } from "../model/errors.ts";
import type { UnknownObject } from "../model/json.ts";
import type { ServerCheck, ServerDefinition, ServerLogLine, ServerStatus } from "../model/server.ts";
import { TransportError } from "../protocol/message.ts";
import type { RequestOptions } from "../protocol/request-options.ts";
import type { Session } from "../protocol/session.ts";
import { type Connection, createConnection, type Live } from "./connection.ts";
import { createPresence } from "./desired-state.ts";
import { createServerHider } from "./failures.ts";
import { installerOf, installFailure } from "./installer.ts";
import { checkServer } from "./liveness.ts";
import type { OfferMethod } from "./offers.ts";
import type { OpenSteps } from "./open-attempt.ts";
import { type CatalogueOptions, createServerCatalogue, type Remembered } from "./server-catalogue.ts";
import { createServerLog } from "./server-log.ts";
import { createRequests, type SenderOptions } from "./server-requests.ts";
import { describeStatus, isOpen } from "./server-status.ts";
import { createSessionOpener, type OpenerOptions } from "./session-opener.ts";
import { createSessions, maxSessions, type SessionOwner } from "./sessions.ts";
import { inheritedSecrets } from "./transports/child-environment.ts";

export type ServerOptions = Pick<
  OpenerOptions,
  | "environment"
  | "access"
  | "capabilities"
  | "ownCapabilities"
  | "emit"
  | "recalled"
  | "guard"
  | "turn"
  | "onSaid"
> &
  Pick<CatalogueOptions, "onTools" | "onKnown"> &
  Pick<SenderOptions, "taskQuietMs"> & {
    name: string;
    definition: ServerDefinition;
    /** Turns references to secrets into secrets, when they are needed. */
    resolveSecrets(name: string, definition: ServerDefinition): Promise<ServerDefinition>;
    secretValues(): readonly string[];
    /** Does every user speak to it in their own name? */
    isPersonal(): boolean;
    /** Nothing is started or asked; what is known from before has to do. */
    isOffline: boolean;
    /** What ran under this name before has stopped. */
    after?: Promise<void> | undefined;
  };

export type Server = {
  definition: ServerDefinition;
  /** Its tools are known: it has listed them, now or in an earlier life. */
  isKnown(): boolean;
  /** Takes over what was remembered. */
  recall(known: Remembered): void;
  /** Connects it and keeps it connected. */
  connect(): Promise<void>;
  /** Opens its session, because it is about to be used. */
  warm(): Promise<void>;
  /** Makes its tools known, asking again only when the last listing is too old. */
  discover(owner: SessionOwner): Promise<void>;
  /** Would `discover` find out nothing that is not known? */
  isSettled(owner: SessionOwner): boolean;
  /** Really asks it for its tools. */
  refresh(): Promise<void>;
  /** Ends its sessions; it stays away until somebody connects it. */
  disconnect(): Promise<void>;
  /** Ends its sessions and forgets its listing; tells how many sessions were open. */
  clear(): Promise<number>;
  /** Ends the sessions that were opened in this user's name. */
  forgetUser(user: string | null, isMainUser: boolean): Promise<void>;
  /** Is it running, or meant to? */
  isWanted(): boolean;
  release(belongs: (owner: SessionOwner) => boolean, reason: string): Promise<number>;
  /** Throws at once while it is away. */
  request(
    method: string,
    params: UnknownObject,
    options: RequestOptions,
    owner: SessionOwner,
  ): Promise<unknown>;
  /** What it lists beside its tools, as far as it is known; null where it was never asked. */
  offered(method: OfferMethod): unknown[] | null;
  /** The same, asking it where it was never asked, or runs and was asked too long ago. */
  list(method: OfferMethod, signal: AbortSignal): Promise<unknown[]>;
  /** Is it there? Asked with a ping, or with a listing where there is none. */
  check(signal: AbortSignal): Promise<ServerCheck>;
  session(): Session | null;
  /** What a person has to do before it can be used, when that is why it cannot. */
  requirement(): PlaneError | null;
  /** Since when it is being installed; null when it is not. */
  installingSince(): number | null;
  status(): Omit<ServerStatus, "name" | "tools" | "rejected">;
  sessionOwners(): SessionOwner[];
  /** What it said in the name of everybody or of this user. */
  logs(user: string | null): ServerLogLine[];
  /** The same from now on, line by line, until the returned function is called. */
  followLogs(user: string | null, listener: (line: ServerLogLine) => void): () => void;
  stop(): Promise<void>;
};

/** One server: its sessions, what it offers, what it says, and how much it is asked at once. */
export function createServer(options: ServerOptions): Server {
  const { name, definition, guard } = options;
  const { connectTimeoutMs, listingTtlMs } = definition;
  const hiderOf = (known: ServerDefinition) =>
    createServerHider(known, [
      ...options.secretValues(),
      ...inheritedSecrets(options.environment, definition.inheritEnv),
    ]);
  let hide = hiderOf(definition);
  let requirement: PlaneError | null = null;
  const presence = createPresence(name, definition, options.isOffline);
  const { refuseIfAway } = presence;
  const log = createServerLog(() => hide);

  const opener = createSessionOpener({
    ...options,
    log,
    async resolve(unresolved) {
      const resolved = await options.resolveSecrets(name, unresolved);
      hide = hiderOf(resolved);
      return resolved;
    },
    onListChanged: (list) => {
      if (!presence.isStopped()) catalogue.listChanged(list);
    },
  });

  const install =
    definition.transport !== "stdio" || installerOf(definition) === null
      ? undefined
      : {
          limitMs: definition.installTimeoutMs,
          async isInstalled() {
            await options.recalled().catch(() => undefined);
            return catalogue.isKnown();
          },
          explain: (said: string) => installFailure(definition, said),
        };
  const sharing = () =>
    definition.session === "shared" && options.isPersonal() ? "principal" : definition.session;
  const sessions = createSessions(sharing, (owner) => {
    const isMain = owner.user === null && owner.conversation === null;
    return createConnection({
      name,
      connectTimeoutMs,
      install,
      retry: { firstMs: definition.backoffMs, maxMs: definition.maxBackoffMs },
      open: (steps) => open(owner, isMain, steps),
      isKept: () => isMain && presence.isKept(),
      // The state that everybody sees is that of the main session.
      emit: isMain ? options.emit : () => undefined,
      hide: (text) => hide(text),
      onLeft: ({ pid }) => pid !== null && guard.release(pid),
      idleTimeoutMs: definition.alwaysOn ? 0 : definition.idleTimeoutMs,
      ...(isMain ? {} : { onIdle: () => sessions.drop(owner) }),
      after: options.after,
    });
  });
  const { main } = sessions;

  const catalogue = createServerCatalogue({
    listingTtlMs,
    limitMs: connectTimeoutMs,
    session: async () => (await main.ensure()).session,
    isOpen: () => main.live() !== null,
    verdict: opener.verdict,
    log,
    hide: (text) => hide(text),
    onTools: options.onTools,
    onOffers: (list) => options.onSaid(null, `notifications/${list}/list_changed`, {}),
    onKnown: options.onKnown,
  });
  const requests = createRequests({
    name,
    definition,
    toolOf: catalogue.toolOf,
    taskQuietMs: options.taskQuietMs,
    answering: opener.answering,
    settleListing,
    hide: (text) => hide(text),
  });

  async function open(owner: SessionOwner, isMain: boolean, { signal, ...steps }: OpenSteps) {
    refuseIfAway();
    const opened = await opener.open(owner.user, { signal, ...steps });
    const before = catalogue.listedAt();
    steps.phase("tools/list");
    const owesListing = await (isMain ? listMain : listOther)(opened.session, signal);
    const hasListed = catalogue.listedAt() !== before;
    return { opened, toolCount: catalogue.size(), hasListed, owesListing };
  }

  /** A server without sessions is the same one as long as its list is good. */
  const isNew = ({ era }: Session) => era === "legacy" || definition.transport !== "http";

  /** What an earlier process listed says nothing about this one. True when it did not answer. */
  async function listMain(session: Session, signal: AbortSignal): Promise<boolean> {
    if (isNew(session)) catalogue.renew();
    const listed = abortable(catalogue.list({ over: session }), signal);
    catalogue.beginOffers(session);
    const isSilent = await unlessKnown(listed, signal);
    catalogue.relistOffers();
    return isSilent && isNew(session);
  }

  /** The lists of users with credentials of their own may differ, so they do not replace each other. */
  async function listOther(session: Session, signal: AbortSignal): Promise<boolean> {
    const isAsked = !catalogue.isKnown() || (isNew(session) && !options.isPersonal());
    return isAsked && unlessKnown(abortable(catalogue.listOver(session), signal), signal);
  }

  /** With a list from before, a server that cannot list is connected all the same; its tools are not called. */
  async function unlessKnown(listed: Promise<void>, signal: AbortSignal): Promise<boolean> {
    try {
      await listed;
      return false;
    } catch (thrown) {
      if (signal.aborted || thrown instanceof PlaneError || !catalogue.isKnown()) throw thrown;
      return true;
    }
  }

  /** Before a tool is called in a process that has not listed its tools: it may have others by now. */
  async function settleListing(connection: Connection, live: Live): Promise<void> {
    try {
      await (connection === main ? catalogue.list({ over: live.session }) : catalogue.listOver(live.session));
      live.owesListing = false;
    } catch (thrown) {
      if (thrown instanceof PlaneError) throw thrown;
      const why = sentence(hide(thrown instanceof Error ? thrown.message : String(thrown)));
      const text = `Server '${name}' was started anew and has not listed its tools: ${why}`;
      const isLost = thrown instanceof TransportError;
      const data = { server: name, sent: false, ...(isLost ? {} : { retryAt: null }) };
      throw new PlaneError("SERVER_UNAVAILABLE", text, { data, cause: thrown });
    }
  }

  function sessionOf(owner: SessionOwner): Connection {
    const found = sessions.of(owner);
    if (found) return found;
    const text = `Server '${name}' is busy: all ${maxSessions} sessions of its users and conversations are in use.`;
    throw new PlaneError("BUSY", text, { data: { server: name, sent: false, retryAt: null } });
  }

  /** A server may turn out to want to know who asks only when it is asked. */
  async function ensureFor(owner: SessionOwner): Promise<void> {
    const whose = () => (options.isPersonal() ? sessionOf(owner) : main);
    const first = whose();
    try {
      await first.ensure().catch((thrown) => {
        if (whose() === first) throw thrown;
        return whose().ensure();
      });
      requirement = null;
    } catch (thrown) {
      requirement = thrown instanceof PlaneError && thrown.code === "AUTH_REQUIRED" ? thrown : null;
      throw thrown;
    }
  }

  async function refresh(): Promise<void> {
    refuseIfAway();
    // What is remembered from the last time must not look like a listing of now.
    await options.recalled().catch(() => undefined);
    const before = catalogue.listedAt();
    await main.ensure({ force: true });
    await catalogue.refresh(before);
  }

  return {
    definition,
    isKnown: catalogue.isKnown,
    recall(known) {
      opener.remember({ era: known.era, at: Date.parse(known.eraAt) });
      catalogue.recall(known);
    },
    async connect() {
      presence.keep();
      refuseIfAway();
      await options.recalled().catch(() => undefined);
      const before = catalogue.listedAt();
      const isThere = main.live() !== null;
      await main.ensure({ force: true });
      // A person who connects a server wants to see what it has now.
      if (!isThere && catalogue.listedAt() === before)
        await catalogue.list({ force: true }).catch(() => undefined);
    },
    async warm() {
      refuseIfAway();
      await main.ensure();
    },
    async discover(owner) {
      if (options.isOffline && catalogue.isKnown()) return;
      refuseIfAway();
      // What is known needs no process; whoever runs already may be asked again.
      if (catalogue.isKnown() && !main.live()) return;
      await ensureFor(owner);
      if (main.live()) await catalogue.list().catch(() => undefined);
    },
    isSettled(owner) {
      if (presence.isAway() || !catalogue.isKnown()) return false;
      if (!main.live()) return true;
      const isTheirs = !options.isPersonal() || (sessions.find(owner)?.live() ?? null) !== null;
      return isTheirs && requirement === null && catalogue.isFresh();
    },
    refresh,
    async disconnect() {
      presence.hold();
      await sessions.close("disconnected");
    },
    async clear() {
      catalogue.forgetAll();
      return sessions.close("cleared");
    },
    async forgetUser(user, isMainUser) {
      await Promise.all([
        sessions.release((owner) => owner.user === user, "its token changed"),
        isMainUser ? main.close("its token changed") : undefined,
      ]);
    },
    isWanted: () => presence.isKept() || ["connecting", "connected", "backoff"].includes(main.facts().state),
    release: sessions.release,
    request(method, params, requestOptions, owner) {
      refuseIfAway();
      return requests.send(sessionOf(owner), method, params, requestOptions, owner.user);
    },
    offered: catalogue.offered,
    async list(method, signal) {
      const known = catalogue.offered(method);
      // What is known needs no process; a server that runs already may be asked again.
      if (known !== null && (presence.isAway() || !main.live())) return known;
      refuseIfAway();
      main.enter();
      try {
        await abortable(
          main.ensure().then(() => catalogue.listOffer(method)),
          signal,
        );
      } catch (thrown) {
        if (known === null) throw thrown;
      } finally {
        main.leave();
      }
      return catalogue.offered(method) ?? [];
    },
    async check(signal) {
      refuseIfAway();
      const { session } = await abortable(main.ensure(), signal);
      return checkServer(session, signal);
    },
    session: () => main.live()?.session ?? null,
    requirement: () => main.requirement() ?? requirement,
    installingSince: () => main.facts().installingSince,
    status: () =>
      describeStatus({
        definition,
        sessions,
        catalogue,
        isAway: presence.isAway(),
        pending: requests.pending(),
        noise: opener.noise(),
      }),
    sessionOwners: () =>
      sessions
        .all()
        .filter(isOpen)
        .map(({ owner }) => owner),
    logs: log.lines,
    followLogs: log.follow,
    async stop() {
      presence.stop();
      catalogue.stop();
      await sessions.close("closed");
    },
  };
}
