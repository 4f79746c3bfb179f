import { abortable } from "../lib/async/signals.ts";
import type { ListOwner } from "../model/catalogue/list-owner.ts";
import { PlaneError } from "../model/errors.ts";
import type { PlaneEvent } from "../model/events.ts";
import type { ServerDefinition } from "../model/servers/server.ts";
import { transports } from "../model/servers/transports.ts";
import {
  type ConnectionOptions,
  createServerConnection,
  type ServerConnection,
} from "./connection.ts";
import { createDesiredState } from "./desired-state.ts";
import { createSharedEra, explainEra } from "./eras/client-era.ts";
import { createServerHider } from "./failures.ts";
import { installerOf, installFailure } from "./installer.ts";
import { createMessageRecorder } from "./message-recorder.ts";
import type { OpenSteps } from "./open-attempt.ts";
import * as catalogues from "./server-catalogue.ts";
import { createServerLog } from "./server-log.ts";
import { createServerRequests, probeSession, type RequestsOptions } from "./server-requests.ts";
import { describeStatus, isOpen } from "./server-status.ts";
import { createSessionOpener, type OpenerOptions } from "./session-opener.ts";
import { createServerSessions, isShared, type SessionOwner, sharedOwner } from "./sessions.ts";
import { inheritedSecrets } from "./transports/child-environment.ts";
import { createUserLists, type UserListsOptions } from "./user-lists.ts";

export type ServerOptions = Omit<OpenerOptions, "log" | "recorder" | "resolve" | "onListChanged"> &
  Pick<
    UserListsOptions,
    "onKnown" | "onTools" | "onToolsGone" | "isPersonal" | "defaultPrincipal"
  > &
  Pick<RequestsOptions, "taskQuietMs"> & {
    resolveSecrets(name: string, definition: ServerDefinition): Promise<ServerDefinition>;
    secretValues(): readonly string[];
    /** Nothing is started or asked; known lists are used. */
    isOffline: boolean;
    /** Another process or session answers, or its lists have changed. */
    onRenewed?(): void;
    /** The predecessor of this name has stopped. */
    after?: Promise<void> | undefined;
  };

/** One that works in the directory of its caller is several (`directories/`). */
export type Server = ReturnType<typeof createServer> & {
  /** The one that works there. */
  in?(directory: string | undefined): Server;
  /** A person has said what they trust. */
  reviewTrust?(): void;
};

export function createServer(options: ServerOptions) {
  const parts = createParts(options);
  const { desired, sessions, catalogue, lists, opener, log, recording, requests } = parts;
  const { main } = sessions;
  const { definition } = options;
  return {
    definition,
    /** It has listed its tools, now or in an earlier run. */
    isKnown: ({ user }: SessionOwner = sharedOwner) => lists.of(user).isKnown(),
    recall(cached: catalogues.CachedLists): void {
      const { era, eraAt, extensions = {} } = cached;
      opener.remember({ era, at: Date.parse(eraAt), extensions });
      catalogue.recall(cached);
    },
    ...createStarts(parts),
    ...createListings(parts),
    /** Throws at once while it is unreachable. */
    request: requests.send,
    /** With a ping, or a listing where there is none. */
    async check(signal: AbortSignal) {
      desired.requireAvailable();
      const { session } = await abortable(main.ensure(), signal);
      return probeSession(session, signal);
    },
    session: (_: SessionOwner = sharedOwner) => main.live()?.session ?? null,
    /** That it declares, now or when it was last connected. */
    extensions: () => opener.verdict()?.extensions ?? {},
    /** Null when it is not being installed. */
    installingSince: () => main.facts().installingSince,
    status() {
      const counts = { pending: requests.pending(), noise: opener.noise() };
      return describeStatus({
        definition,
        sessions,
        catalogue,
        isAvailable: desired.isAvailable(),
        explainEra: (era) => explainEra(era, parts),
        ...counts,
      });
    },
    sessionOwners(): SessionOwner[] {
      return sessions
        .all()
        .filter(isOpen)
        .map(({ owner }) => owner);
    },
    direct: requests.direct,
    logs: log.lines,
    followLogs: log.follow,
    record: recording.record,
    messages: recording.read,
    release: sessions.release,
    async stop(): Promise<void> {
      desired.stop();
      catalogue.stop();
      lists.drop();
      recording.stop();
      await sessions.close("closed");
    },
  };
}

type Parts = ReturnType<typeof createParts>;

/** The parts refer to each other only once it is in use. */
function createParts(options: ServerOptions) {
  const { name, definition, isPersonal } = options;
  const { hide, resolve } = createSecrets(options);
  const desired = createDesiredState(name, definition, options.isOffline);
  const { requireAvailable } = desired;
  const log = createServerLog(hide);
  const recording = createMessageRecorder(hide);
  const opener = createSessionOpener({
    ...options,
    log,
    recorder: recording.recorder,
    resolve,
    onListChanged(list, user) {
      options.onRenewed?.();
      if (!desired.isStopped()) lists.of(user).listChanged(list);
    },
  });
  const byDefault = transports[definition.transport].isLocal ? "shared" : "principal";
  const { session = byDefault } = definition;
  const sharing = () => (session === "shared" && isPersonal() ? "principal" : session);
  // Main is the session of the usual caller, except where users have credentials of their own.
  const isUsual = (user: string | null) =>
    definition.session === undefined && !isPersonal() && user === options.defaultPrincipal.user;
  const sessions = createServerSessions({ sharing, isUsual }, (owner) =>
    createServerConnection({
      ...connectionOptions(options, owner, () =>
        isShared(owner) ? sharedEra.forget() : sessions.drop(owner),
      ),
      install: installOf(options, () => catalogue.isKnown()),
      open: (steps) => open(owner, steps),
      staysConnected: () => isShared(owner) && desired.staysConnected(),
      hide,
    }),
  );
  const listing = { limitMs: definition.connectTimeoutMs, listingTtlMs: definition.listingTtlMs };
  const lists = createUserLists(
    { ...options, ...listing, verdict: opener.verdict, log, hide },
    sessions,
  );
  const catalogue = lists.main;
  const { answering, speaksBoth } = opener;
  const { isAvailable } = desired;
  const sharedEra = createSharedEra({
    main: sessions.main,
    speaksBoth,
    isDetected: () => opener.verdict() !== null,
  });
  const hasOneSession = () => sharing() === "shared" && definition.transport !== "http";
  const ports = {
    sessions,
    catalogueOf: lists.of,
    requireAvailable,
    isAvailable,
    answering,
    hide,
    speaksBoth,
    sharedEra: () => (hasOneSession() ? sharedEra : null),
  };
  const requests = createServerRequests({ ...options, ...ports });

  async function open(owner: SessionOwner, steps: OpenSteps) {
    requireAvailable();
    const wantedEra = isShared(owner) ? sharedEra.settled()?.era : owner.era;
    const opened = await opener.open(owner.user, steps, wantedEra);
    const ownerCatalogue = isShared(owner) ? catalogue : lists.of(owner.user);
    const listedBefore = ownerCatalogue.listedAt();
    steps.phase("tools/list");
    const listing = catalogues.createOpenListing(ownerCatalogue, {
      transport: definition.transport,
      isPersonal,
    });
    const isFirst = isShared(owner) || ownerCatalogue !== catalogue;
    const owesListing = await (isFirst ? listing.main : listing.other)(
      opened.session,
      steps.signal,
    );
    return {
      opened,
      toolCount: ownerCatalogue.size(),
      hasListed: ownerCatalogue.listedAt() !== listedBefore,
      owesListing,
    };
  }

  return {
    options,
    desired,
    log,
    recording,
    opener,
    sessions,
    catalogue,
    lists,
    requests,
    sharedEra,
  };
}

/** Hides the values of references in texts from then on. */
function createSecrets({
  name,
  definition,
  environment,
  secretValues,
  resolveSecrets,
}: ServerOptions) {
  const hiderOf = (source: ServerDefinition) =>
    createServerHider(source, [
      ...secretValues(),
      ...inheritedSecrets(environment, definition.inheritEnv),
    ]);
  let hide = hiderOf(definition);
  return {
    hide: (text: string) => hide(text),
    async resolve(unresolved: ServerDefinition): Promise<ServerDefinition> {
      const resolved = await resolveSecrets(name, unresolved);
      hide = hiderOf(resolved);
      return resolved;
    },
  };
}

const maxRemoteCooldownMs = 4_000;

function connectionOptions(
  { name, definition, guard, after, emit, onRenewed }: ServerOptions,
  owner: SessionOwner,
  onIdle: () => void,
) {
  const {
    transport,
    connectTimeoutMs,
    backoffMs: firstMs,
    maxBackoffMs: maxMs,
    alwaysOn,
    idleTimeoutMs,
  } = definition;
  return {
    name,
    after,
    connectTimeoutMs,
    // Another start of a process is dear; asking a remote server again is not.
    retry: { firstMs, maxMs, maxCooldownMs: transport === "stdio" ? maxMs : maxRemoteCooldownMs },
    // The public state of a server is that of its main session.
    emit(event: PlaneEvent) {
      if (event.type === "server.disconnected" || event.type === "server.error") onRenewed?.();
      if (isShared(owner)) emit(event);
    },
    onLeft({ pid }) {
      if (pid !== null) guard.release(pid);
    },
    idleTimeoutMs: alwaysOn ? 0 : idleTimeoutMs,
    onIdle,
  } satisfies Partial<ConnectionOptions>;
}

function installOf(
  { definition, recalled }: ServerOptions,
  isKnown: () => boolean,
): ConnectionOptions["install"] {
  if (definition.transport !== "stdio" || installerOf(definition) === null) return undefined;
  return {
    limitMs: definition.installTimeoutMs,
    isInstalled: () => recalled().then(isKnown, isKnown),
    explain: (output) => installFailure(definition, output),
  };
}

/** A start that takes longer is not waited for where another server can be asked. */
const startMs = 2_000;

function createStarts({ options, desired, sessions, catalogue, lists, sharedEra }: Parts) {
  const { main } = sessions;
  return {
    /** And keeps it connected. */
    async connect(): Promise<void> {
      desired.connect();
      desired.requireAvailable();
      await options.recalled().catch(() => undefined);
      const listedBefore = catalogue.listedAt();
      const wasOpen = main.live() !== null;
      await main.ensure({ force: true });
      // An explicit connect shows current tools, not cached ones.
      if (!wasOpen && catalogue.listedAt() === listedBefore)
        await catalogue.list({ force: true }).catch(() => undefined);
    },
    async warm(): Promise<void> {
      desired.requireAvailable();
      await main.ensure();
    },
    async disconnect(): Promise<void> {
      desired.disconnect();
      sharedEra.forget();
      await sessions.close("disconnected");
    },
    /** Requests that come meanwhile wait for the new process. */
    async restart(): Promise<void> {
      if (!desired.isAvailable()) desired.connect();
      desired.requireAvailable();
      await options.recalled().catch(() => undefined);
      const closed = sessions.close("restarted");
      await Promise.all([closed, main.ensure({ force: true })]);
    },
    /** Forgets lists and sessions. Returns how many were open. */
    async clear(): Promise<number> {
      catalogue.forgetAll();
      lists.drop();
      return sessions.close("cleared");
    },
    /** `isMainUser`: the main session uses this user's token. */
    async forgetUser(user: string | null, isMainUser: boolean): Promise<void> {
      const reason = "its token changed";
      lists.drop(user);
      await Promise.all([
        sessions.release((owner) => owner.user === user, reason),
        isMainUser ? main.close(reason) : undefined,
      ]);
    },
    /**
     * Can a request be sent now, or soon? False where another server should be asked meanwhile; it is opened all the same.
     * One that has worked is given a moment to start.
     */
    async isReady(owner: SessionOwner, isHasty: boolean): Promise<boolean> {
      if (!desired.isAvailable()) return true;
      const connection = sessions.of(owner);
      if (!connection || connection.live()) return true;
      const hasWorked = lists.of(owner.user).isKnown() && connection.facts().error === null;
      return connection.opensWithin(isHasty && !hasWorked ? 0 : startMs);
    },
    isOpen: (owner: SessionOwner) => (sessions.find(owner)?.live() ?? null) !== null,
    isActive: () =>
      desired.staysConnected() ||
      ["connecting", "connected", "backoff"].includes(main.facts().state),
  };
}

function createListings({ options, desired, sessions, catalogue, lists, requests }: Parts) {
  const { main } = sessions;
  let requirement: PlaneError | null = null;
  const connectionFor = (
    userCatalogue: catalogues.ServerCatalogue,
    owner: SessionOwner,
  ): ServerConnection => (userCatalogue === catalogue ? main : requests.connectionOf(owner));
  const needsPerson = (thrown: unknown) =>
    thrown instanceof PlaneError && thrown.code === "AUTH_REQUIRED" ? thrown : null;

  /** Only asking may show whether a server wants personal credentials. */
  async function ensureFor(owner: SessionOwner): Promise<void> {
    const connectionNow = (): ServerConnection =>
      options.isPersonal() ? requests.connectionOf(owner) : main;
    const first = connectionNow();
    try {
      await first.ensure().catch((thrown) => {
        if (connectionNow() === first) throw thrown;
        return connectionNow().ensure();
      });
      requirement = null;
    } catch (thrown) {
      requirement = needsPerson(thrown);
      throw thrown;
    }
  }

  async function discoverShared(owner: SessionOwner): Promise<void> {
    // A cached list needs no process.
    if (catalogue.isKnown() && !main.live()) return;
    await ensureFor(owner);
    if (main.live()) await catalogue.list().catch(() => undefined);
  }

  async function discoverOwn(owner: SessionOwner): Promise<void> {
    const userCatalogue = lists.of(owner.user);
    const connection = requests.connectionOf(owner);
    if (userCatalogue.isKnown() && !connection.live()) return;
    try {
      await connection.ensure();
      lists.requires(owner.user, null);
    } catch (thrown) {
      lists.requires(owner.user, needsPerson(thrown));
      throw thrown;
    }
    await userCatalogue.list().catch(() => undefined);
  }

  async function list(
    method: catalogues.OfferMethod,
    signal: AbortSignal,
    owner: SessionOwner,
  ): Promise<unknown[]> {
    const userCatalogue = lists.of(owner.user);
    const cachedOffers = userCatalogue.offered(method);
    const connection = connectionFor(userCatalogue, owner);
    if (cachedOffers !== null && !(desired.isAvailable() && connection.live())) return cachedOffers;
    desired.requireAvailable();
    connection.enter();
    const done = connection.ensure().then(async () => {
      if (lists.of(owner.user) === userCatalogue) await userCatalogue.listOffer(method);
    });
    try {
      await abortable(done, signal);
    } catch (thrown) {
      if (cachedOffers === null && lists.of(owner.user) === userCatalogue) throw thrown;
    } finally {
      connection.leave();
    }
    // Only asking showed that each user has a list of their own.
    if (lists.of(owner.user) !== userCatalogue) return list(method, signal, owner);
    return userCatalogue.offered(method) ?? [];
  }

  return {
    /** Lists again only when the last listing is too old. */
    async discover(owner: SessionOwner): Promise<void> {
      lists.tell();
      if (options.isOffline && catalogue.isKnown()) return;
      desired.requireAvailable();
      const isOwn = () => lists.of(owner.user) !== catalogue;
      if (!isOwn())
        await discoverShared(owner).catch((thrown) => {
          if (!isOwn()) throw thrown;
        });
      lists.tell();
      if (isOwn()) await discoverOwn(owner);
    },
    /** Opens it again where it ended with an error: what it lists since may be something else. */
    async revive(owner: SessionOwner): Promise<void> {
      if (!desired.isAvailable()) return;
      const connection = options.isPersonal() ? requests.connectionOf(owner) : main;
      if (connection.live() !== null || connection.facts().error === null) return;
      await connection.ensure();
    },
    /** Would `discover` find nothing new? */
    isSettled(owner: SessionOwner): boolean {
      const userCatalogue = lists.of(owner.user);
      if (!desired.isAvailable() || !userCatalogue.isKnown() || !lists.isTold()) return false;
      if (userCatalogue !== catalogue)
        return (
          lists.requirement(owner.user) === null &&
          (!sessions.find(owner)?.live() || userCatalogue.isFresh())
        );
      if (!main.live()) return true;
      const isTheirs = !options.isPersonal() || (sessions.find(owner)?.live() ?? null) !== null;
      return isTheirs && requirement === null && catalogue.isFresh();
    },
    async refresh(): Promise<void> {
      desired.requireAvailable();
      // A cached list must not count as a new one.
      await options.recalled().catch(() => undefined);
      const listedBefore = catalogue.listedAt();
      await main.ensure({ force: true });
      await catalogue.refresh(listedBefore);
    },
    /** Null where it was never asked. */
    offered: (method: catalogues.OfferMethod, owner: SessionOwner): unknown[] | null =>
      lists.of(owner.user).offered(method),
    list,
    /** The user for whom alone it lists, or undefined where all share one list. */
    listOwner: (owner: SessionOwner): ListOwner | undefined =>
      lists.of(owner.user) === catalogue ? undefined : { user: owner.user },
    /** What a person must do before it can be used. */
    requirement: ({ user }: SessionOwner = sharedOwner): PlaneError | null =>
      lists.of(user) === catalogue ? (main.requirement() ?? requirement) : lists.requirement(user),
  };
}
