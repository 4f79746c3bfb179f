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
  /** Ends its sessions; it stays disconnected until `connect`. */
  disconnect(): Promise<void>;
  /** Ends its sessions and forgets its listing; tells how many sessions were open. */
  clear(): Promise<number>;
  /** Ends the sessions that were opened in this user's name. */
  forgetUser(user: string | null, isMainUser: boolean): Promise<void>;
  /** Is it running, or meant to? */
  isActive(): boolean;
  release(belongs: (owner: SessionOwner) => boolean, reason: string): Promise<number>;
  /** Throws at once while it is away. */
  request(method: string, params: UnknownObject, options: RequestOptions, owner: SessionOwner): Promise<unknown>;
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
  /** Its log of the shared session and of this user. */
  logs(user: string | null): ServerLogLine[];
  /** The same from now on, line by line, until the returned function is called. */
  followLogs(user: string | null, listener: (line: ServerLogLine) => void): () => void;
  stop(): Promise<void>;
};

/** One MCP server: its sessions, its lists, its log and the requests to it. */
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

/** The parts of a server. They refer to each other only once it is in use. */
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

/** Resolves the references to secrets in the definition, and hides their values in texts from then on. */
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
      // An explicit connect shows the current tools, not cached ones.
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

  /** Whether a server wants personal credentials may become known only by asking it. */
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
