import { abortable } from "../lib/async/signals.ts";
import { PlaneError } from "../model/errors.ts";
import type { UnknownObject } from "../model/json.ts";
import type { ServerCheck, ServerDefinition, ServerLogLine, ServerStatus } from "../model/servers/server.ts";
import type { RequestOptions, Session } from "../protocol/session.ts";
import { type Connection, type ConnectionOptions, createConnection } from "./connection.ts";
import { createDesiredState } from "./desired-state.ts";
import { createServerHider } from "./failures.ts";
import { installerOf, installFailure } from "./installer.ts";
import { checkServer } from "./liveness.ts";
import type { OfferMethod } from "./offers.ts";
import type { OpenSteps } from "./open-attempt.ts";
import {
  type CatalogueOptions,
  createOpenListing,
  createServerCatalogue,
  type Remembered,
} from "./server-catalogue.ts";
import { createServerLog } from "./server-log.ts";
import { createServerRequests, type RequestsOptions } from "./server-requests.ts";
import { describeStatus, isOpen } from "./server-status.ts";
import { createSessionOpener, type OpenerOptions } from "./session-opener.ts";
import { createSessions, type SessionOwner } from "./sessions.ts";
import { inheritedSecrets } from "./transports/child-environment.ts";

export type ServerOptions = Pick<
  OpenerOptions,
  "environment" | "access" | "capabilities" | "ownCapabilities" | "emit" | "recalled" | "guard" | "turn" | "onSaid"
> &
  Pick<CatalogueOptions, "onTools" | "onKnown"> &
  Pick<RequestsOptions, "taskQuietMs"> & {
    name: string;
    definition: ServerDefinition;
    /** When they are needed. */
    resolveSecrets(name: string, definition: ServerDefinition): Promise<ServerDefinition>;
    secretValues(): readonly string[];
    /** Does every user have their own session? */
    isPersonal(): boolean;
    /** Nothing is started or asked; known lists are used. */
    isOffline: boolean;
    /** The predecessor of this name has stopped. */
    after?: Promise<void> | undefined;
  };

export type Server = {
  definition: ServerDefinition;
  /** It has listed its tools, now or in an earlier run. */
  isKnown(): boolean;
  recall(known: Remembered): void;
  /** And keeps it connected. */
  connect(): Promise<void>;
  /** Opens its session for use. */
  warm(): Promise<void>;
  /** Lists again only when the last listing is too old. */
  discover(owner: SessionOwner): Promise<void>;
  /** Would `discover` find nothing new? */
  isSettled(owner: SessionOwner): boolean;
  refresh(): Promise<void>;
  /** Until `connect`. */
  disconnect(): Promise<void>;
  /** Also forgets its listing; returns how many sessions were open. */
  clear(): Promise<number>;
  /** Ends this user's sessions. */
  forgetUser(user: string | null, isMainUser: boolean): Promise<void>;
  /** Is it running, or meant to? */
  isActive(): boolean;
  release(belongs: (owner: SessionOwner) => boolean, reason: string): Promise<number>;
  /** Throws at once while it is away. */
  request(method: string, params: UnknownObject, options: RequestOptions, owner: SessionOwner): Promise<unknown>;
  /** Null where it was never asked. */
  offered(method: OfferMethod): unknown[] | null;
  /** Asks where it was never asked, or too long ago. */
  list(method: OfferMethod, signal: AbortSignal): Promise<unknown[]>;
  /** With a ping, or a listing where there is none. */
  check(signal: AbortSignal): Promise<ServerCheck>;
  session(): Session | null;
  /** What a person must do before it can be used. */
  requirement(): PlaneError | null;
  /** Null when it is not being installed. */
  installingSince(): number | null;
  status(): Omit<ServerStatus, "name" | "tools" | "rejected">;
  sessionOwners(): SessionOwner[];
  /** Of the shared session and of this user. */
  logs(user: string | null): ServerLogLine[];
  /** Line by line, until the returned function is called. */
  followLogs(user: string | null, listener: (line: ServerLogLine) => void): () => void;
  stop(): Promise<void>;
};

/** Its sessions, lists, log and requests. */
export function createServer(options: ServerOptions): Server {
  const parts = createParts(options);
  const { desired, sessions, catalogue, opener, log } = parts;
  const { main } = sessions;
  return {
    definition: options.definition,
    isKnown: catalogue.isKnown,
    recall(known) {
      opener.remember({ era: known.era, at: Date.parse(known.eraAt) });
      catalogue.recall(known);
    },
    ...createStarts(parts),
    ...createListings(parts),
    request: parts.requests.send,
    async check(signal) {
      desired.requireAvailable();
      const { session } = await abortable(main.ensure(), signal);
      return checkServer(session, signal);
    },
    session: () => main.live()?.session ?? null,
    installingSince: () => main.facts().installingSince,
    status: () =>
      describeStatus({
        definition: options.definition,
        sessions,
        catalogue,
        isAvailable: desired.isAvailable(),
        pending: parts.requests.pending(),
        noise: opener.noise(),
      }),
    sessionOwners: () =>
      sessions
        .all()
        .filter(isOpen)
        .map(({ owner }) => owner),
    logs: log.lines,
    followLogs: log.follow,
    release: sessions.release,
    async stop() {
      desired.stop();
      catalogue.stop();
      await sessions.close("closed");
    },
  };
}

type Parts = ReturnType<typeof createParts>;

/** The parts refer to each other only once it is in use. */
function createParts(options: ServerOptions) {
  const { name, definition } = options;
  const secrets = createSecrets(options);
  const desired = createDesiredState(name, definition, options.isOffline);
  const log = createServerLog(() => secrets.hide);
  const opener = createSessionOpener({
    ...options,
    log,
    resolve: secrets.resolve,
    onListChanged: (list) => desired.isStopped() || catalogue.listChanged(list),
  });
  const sharing = () => (definition.session === "shared" && options.isPersonal() ? "principal" : definition.session);
  const sessions = createSessions(sharing, (owner) =>
    createConnection({
      ...connectionOptions(options, owner, () => sessions.drop(owner)),
      install: installOf(options, () => catalogue.isKnown()),
      open: (steps) => open(owner, steps),
      staysConnected: () => isMain(owner) && desired.staysConnected(),
      hide: secrets.hide,
    }),
  );
  const catalogue = createServerCatalogue({
    listingTtlMs: definition.listingTtlMs,
    limitMs: definition.connectTimeoutMs,
    session: async () => (await sessions.main.ensure()).session,
    isOpen: () => sessions.main.live() !== null,
    verdict: opener.verdict,
    log,
    hide: secrets.hide,
    onTools: options.onTools,
    onOffers: (list) => options.onSaid(null, `notifications/${list}/list_changed`, {}),
    onKnown: options.onKnown,
  });
  const listing = createOpenListing({
    catalogue,
    transport: definition.transport,
    isPersonal: options.isPersonal,
  });
  const { requireAvailable } = desired;
  const requests = createServerRequests({
    ...{ name, definition, taskQuietMs: options.taskQuietMs, sessions, catalogue, requireAvailable },
    answering: opener.answering,
    hide: secrets.hide,
  });

  async function open(owner: SessionOwner, { signal, ...steps }: OpenSteps) {
    requireAvailable();
    const opened = await opener.open(owner.user, { signal, ...steps });
    const before = catalogue.listedAt();
    steps.phase("tools/list");
    const owesListing = await (isMain(owner) ? listing.main : listing.other)(opened.session, signal);
    const hasListed = catalogue.listedAt() !== before;
    return { opened, toolCount: catalogue.size(), hasListed, owesListing };
  }

  return { options, desired, log, opener, sessions, catalogue, requests };
}

function isMain({ user, conversation }: SessionOwner): boolean {
  return user === null && conversation === null;
}

/** Hides the values of references in texts from then on. */
function createSecrets({ name, definition, environment, secretValues, resolveSecrets }: ServerOptions) {
  const hiderOf = (known: ServerDefinition) =>
    createServerHider(known, [...secretValues(), ...inheritedSecrets(environment, definition.inheritEnv)]);
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

function connectionOptions(options: ServerOptions, owner: SessionOwner, drop: () => void) {
  const { name, definition, guard, after } = options;
  return {
    name,
    after,
    connectTimeoutMs: definition.connectTimeoutMs,
    retry: { firstMs: definition.backoffMs, maxMs: definition.maxBackoffMs },
    // The public state of a server is that of its main session.
    emit: isMain(owner) ? options.emit : () => undefined,
    onLeft: ({ pid }) => pid !== null && guard.release(pid),
    idleTimeoutMs: definition.alwaysOn ? 0 : definition.idleTimeoutMs,
    ...(isMain(owner) ? {} : { onIdle: drop }),
  } satisfies Partial<ConnectionOptions>;
}

function installOf({ definition, recalled }: ServerOptions, isKnown: () => boolean): ConnectionOptions["install"] {
  if (definition.transport !== "stdio" || installerOf(definition) === null) return undefined;
  return {
    limitMs: definition.installTimeoutMs,
    async isInstalled() {
      await recalled().catch(() => undefined);
      return isKnown();
    },
    explain: (said) => installFailure(definition, said),
  };
}

type Starts = Pick<Server, "connect" | "warm" | "disconnect" | "clear" | "forgetUser" | "isActive">;

function createStarts({ options, desired, sessions, catalogue }: Parts): Starts {
  const { main } = sessions;
  return {
    async connect() {
      desired.connect();
      desired.requireAvailable();
      await options.recalled().catch(() => undefined);
      const before = catalogue.listedAt();
      const wasOpen = main.live() !== null;
      await main.ensure({ force: true });
      // An explicit connect shows current tools, not cached ones.
      if (!wasOpen && catalogue.listedAt() === before) await catalogue.list({ force: true }).catch(() => undefined);
    },
    async warm() {
      desired.requireAvailable();
      await main.ensure();
    },
    async disconnect() {
      desired.disconnect();
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
    isActive: () => desired.staysConnected() || ["connecting", "connected", "backoff"].includes(main.facts().state),
  };
}

type Listings = Pick<Server, "discover" | "isSettled" | "refresh" | "offered" | "list" | "requirement">;

function createListings({ options, desired, sessions, catalogue, requests }: Parts): Listings {
  const { main } = sessions;
  let requirement: PlaneError | null = null;

  /** Only asking may show whether a server wants personal credentials. */
  async function ensureFor(owner: SessionOwner): Promise<void> {
    const connectionNow = (): Connection => (options.isPersonal() ? requests.connectionOf(owner) : main);
    const first = connectionNow();
    try {
      await first.ensure().catch((thrown) => {
        if (connectionNow() === first) throw thrown;
        return connectionNow().ensure();
      });
      requirement = null;
    } catch (thrown) {
      requirement = thrown instanceof PlaneError && thrown.code === "AUTH_REQUIRED" ? thrown : null;
      throw thrown;
    }
  }

  return {
    async discover(owner) {
      if (options.isOffline && catalogue.isKnown()) return;
      desired.requireAvailable();
      // A cached list needs no process.
      if (catalogue.isKnown() && !main.live()) return;
      await ensureFor(owner);
      if (main.live()) await catalogue.list().catch(() => undefined);
    },
    isSettled(owner) {
      if (!desired.isAvailable() || !catalogue.isKnown()) return false;
      if (!main.live()) return true;
      const isTheirs = !options.isPersonal() || (sessions.find(owner)?.live() ?? null) !== null;
      return isTheirs && requirement === null && catalogue.isFresh();
    },
    async refresh() {
      desired.requireAvailable();
      // A cached list must not count as a new one.
      await options.recalled().catch(() => undefined);
      const before = catalogue.listedAt();
      await main.ensure({ force: true });
      await catalogue.refresh(before);
    },
    offered: catalogue.offered,
    list: (method, signal) => listOffers({ desired, main, catalogue }, method, signal),
    requirement: () => main.requirement() ?? requirement,
  };
}

async function listOffers(
  { desired, main, catalogue }: Pick<Parts, "desired" | "catalogue"> & { main: Connection },
  method: OfferMethod,
  signal: AbortSignal,
): Promise<unknown[]> {
  const known = catalogue.offered(method);
  if (known !== null && !(desired.isAvailable() && main.live())) return known;
  desired.requireAvailable();
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
}
