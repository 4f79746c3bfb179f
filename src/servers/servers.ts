import type { Settings } from "../config/config.ts";
import { runAll } from "../lib/async/once.ts";
import { hash } from "../lib/json/stable-json.ts";
import type { Egress } from "../lib/net/egress.ts";
import type { Grants } from "../model/access/grants.ts";
import type { ListOwner } from "../model/catalogue/list-owner.ts";
import type { DoctorReport } from "../model/config/doctor-schema.ts";
import type { UnknownObject } from "../model/json.ts";
import type { PlaneOptions } from "../model/plane-options.ts";
import type { PlaneServers } from "../model/plane-tools.ts";
import type { Inside, KnownCaller, Principal, WaitingCaller } from "../model/principal.ts";
import type { KnownServer, ServerDefinition } from "../model/servers/server.ts";
import type { ServerStatus } from "../model/servers/server-schema.ts";
import type { Era } from "../protocol/session.ts";
import type { Recorder } from "../store/store.ts";
import { createCredentials } from "./auth/credentials.ts";
import { createTokenVerbs, serverCredentialsOf } from "./auth/tokens.ts";
import type { createVault } from "./auth/vault.ts";
import { createDirectoryServer } from "./directories/directory-server.ts";
import type { DoctorPackage, TakeTools } from "./doctor/doctor-package.ts";
import { describeUnavailable, notSent } from "./failures.ts";
import { createGatewayPorts, createLearnedExtensions } from "./gateway-ports.ts";
import type { RequestCredentials } from "./open-session.ts";
import { createProcessGuard } from "./process-guard.ts";
import { createServer, type ServerOptions } from "./server.ts";
import {
  createServerDirectory,
  type DirectoryOptions,
  type ServerDirectory,
} from "./server-directory.ts";
import { createServerLifecycle, type LifecycleOptions } from "./server-lifecycle.ts";
import { createServerVerbs, requireNotQuarantined, type VerbOptions } from "./server-verbs.ts";
import type { SessionOwner } from "./sessions.ts";
import type { FindTransport } from "./transports/added.ts";
import type { ServerPackages } from "./transports/packages.ts";

export { basicHeader, tokenHeaders, tokenIn } from "./auth/credentials-contract.ts";
export { endedWords } from "./auth/problems.ts";
export type { EndedSignIn } from "./auth/records.ts";
export type { Vault } from "./auth/vault.ts";
export type { DoctorMeans, DoctorPackage, TakeTools } from "./doctor/doctor-package.ts";
export { explainFailure, reasonLine, unknownServer, withSeen } from "./failures.ts";
export { installerOf, installFailure } from "./installer.ts";
export { type OpenOptions, openSession } from "./open-session.ts";
export { ownerOfCaller, type SessionOwner } from "./sessions.ts";
export {
  childEnvironment,
  inheritedSecrets,
  inheritedVariables,
} from "./transports/child-environment.ts";
export { isExecutable } from "./transports/child-process.ts";
export type { CredentialTarget, RequestCredentials } from "./transports/http-request.ts";
export {
  inMemory,
  type MemoryHandler,
  type MemoryMessage,
  type MemoryServer,
  type MemoryTransport,
} from "./transports/memory.ts";
export type { ContainerOptions, DescribedApi, ServerPackages } from "./transports/packages.ts";
export { openStdio } from "./transports/stdio.ts";

/** Sealed values for another room; loaded with the first of them. */
export async function loadVault(options: Parameters<typeof createVault>[0]) {
  return (await import("./auth/vault.ts")).createVault(options);
}

export type ServersPorts = Omit<DirectoryOptions, "create"> &
  Omit<LifecycleOptions, "identify"> &
  VerbOptions &
  Pick<
    ServerOptions,
    | "environment"
    | "packages"
    | "resolveSecrets"
    | "secretValues"
    | "ownCapabilities"
    | "taskQuietMs"
    | "emit"
  > &
  Partial<Pick<ServerOptions, "capabilities">> & {
    /** That the plane declares itself. */
    ownExtensions?: UnknownObject;
    access(name: string, definition: ServerDefinition, user: string | null): RequestCredentials;
    isPersonal(definition: ServerDefinition): boolean;
    opensForUser(server: string, definition: ServerDefinition): boolean;
    directoryOf(name: string): string;
    /** Servers that work in the directory of their caller. */
    directories?: Directories;
    /** With `owner`, for this user or directory alone. */
    onTools(
      server: string,
      definition: ServerDefinition,
      tools: unknown[],
      era: Era,
      owner?: ListOwner,
    ): void;
    /** It was restarted, or says that its lists have changed. */
    onRenewed?(server: string): void;
    onToolsGone?(server: string, owner: ListOwner): void;
    onKnown(known: KnownServer, server: string, definition: ServerDefinition): void;
    takeTools: TakeTools;
    packages: { doctor(): Promise<DoctorPackage> };
  };

type Directories = Pick<
  Settings["directories"],
  "home" | "whyNot" | "definitionIn" | "secretsIn"
> & {
  has(server: string): boolean;
};

/** What the servers need of the plane. Rooms above this one are described by what they do for it. */
type ServersContext = {
  readonly settings: Pick<
    Settings,
    | "config"
    | "secretsOf"
    | "secretValues"
    | "directoryOf"
    | "directories"
    | "requireDocument"
    | "vaultKey"
  >;
  readonly environment: ServersPorts["environment"];
  readonly packages: ServersPorts["packages"];
  readonly options: Pick<PlaneOptions, "dataDirectory" | "offline" | "taskQuietMs">;
  readonly defaultPrincipal: Principal;
  readonly recorder: Pick<Recorder, "store" | "emit" | "isInformed" | "onNews">;
  readonly egress: Egress;
  readonly access: { grants: Pick<Grants, "maySeeServer" | "lockedServer"> };
  readonly answers: Required<Pick<ServersPorts, "capabilities" | "ownCapabilities">> & {
    extensions: UnknownObject;
  };
  readonly limits: Pick<ServersPorts, "trust"> & {
    circuitOf(server: string): Pick<ServerStatus, "circuit">;
  };
  readonly recordings: {
    isOffline: boolean;
    watch(
      listening: Listening,
      usual: string | null,
    ): Partial<Listening> & Pick<ServersPorts, "recorded">;
  };
  readonly catalogue: {
    forServers: Listening &
      Pick<ServersPorts, "takeTools" | "judge" | "known" | "onRemoved" | "onToolsGone">;
    registry: { listed(server: string): Pick<ServerStatus, "tools" | "rejected"> };
  };
  readonly calls: { forgetReads(server: string): void };
  readonly extensions: { openTransport: FindTransport };
};
type Listening = Pick<ServersPorts, "onTools" | "onKnown">;

export type Servers = ReturnType<typeof createServers>;

export function createServers(context: ServersContext) {
  const {
    settings,
    environment,
    options,
    defaultPrincipal,
    recorder,
    egress,
    access,
    recordings,
    catalogue,
  } = context;
  const { config } = settings;
  const credentials = createCredentials({
    store: recorder.store,
    directory: options.dataDirectory,
    vaultKey: settings.vaultKey,
    clientName: "Toolplane",
    news: recorder,
    egress,
    onChanged: (server, user) =>
      void pool.forgetUser(server, user, user === defaultPrincipal.user).catch(() => undefined),
  });
  const pool = createServerPool({
    definitions: config().servers,
    broken: config().broken,
    untrusted: config().untrusted,
    environment,
    packages: context.packages,
    emit: recorder.emit,
    isOffline: options.offline === true || recordings.isOffline,
    isPersonal: credentials.isPersonal,
    opensForUser: credentials.opensForUser,
    // Servers list what they offer for the default principal.
    access: (name, definition, user) => ({
      ...serverCredentialsOf(credentials, name, definition, user ?? defaultPrincipal.user),
      namedBy: egress.namedBy,
      findTransport: (scheme) => context.extensions.openTransport(scheme),
      requireDocument: (address) => settings.requireDocument(name, address),
    }),
    endedSignIns: async (user) => {
      const ended = await credentials.ended(user);
      // Another server may have its name now.
      return new Map([...ended].filter(([name, { url }]) => config().servers[name]?.url === url));
    },
    capabilities: context.answers.capabilities,
    ownCapabilities: context.answers.ownCapabilities,
    ownExtensions: context.answers.extensions,
    taskQuietMs: options.taskQuietMs,
    resolveSecrets: settings.secretsOf,
    secretValues: settings.secretValues,
    directoryOf: settings.directoryOf,
    directories: { ...settings.directories, has: (name) => config().inWorkspace.includes(name) },
    defaultPrincipal,
    maySee: access.grants.maySeeServer,
    trust: context.limits.trust,
    onRenewed: (server) => context.calls.forgetReads(server),
    ...catalogue.forServers,
    ...recordings.watch(catalogue.forServers, defaultPrincipal.user),
    foundIn: (server) => config().foundIn?.[server],
    listed: (server) => ({
      ...catalogue.registry.listed(server),
      ...context.limits.circuitOf(server),
    }),
  });
  const definitionOf = async (name: string) => {
    const definition = config().servers[pool.requireName(name)] as ServerDefinition;
    const resolved = await settings.secretsOf(name, definition);
    return completeDefinition(name, resolved, egress.namedBy, context.packages);
  };
  const locked: Inside<PlaneServers>["locked"] = async ({ principal }) =>
    pool.names().flatMap((name) => access.grants.lockedServer(principal, name) ?? []);
  return {
    ...pool,
    verbs: {
      ...pool.verbs,
      servers: { ...pool.verbs.servers, locked },
      tokens: createTokenVerbs(credentials, definitionOf),
    },
  };
}

/** The servers themselves, without what the plane knows of them. */
export function createServerPool(ports: ServersPorts) {
  const guard = createProcessGuard();
  const turn = createTurns();
  const learned = createLearnedExtensions();
  const extensions = { own: ports.ownExtensions ?? {}, ofClients: learned.all };
  const { directories } = ports;
  const identify = (name: string, definition: ServerDefinition) => {
    const sharedHome = directories?.has(name) ? directories.home : null;
    return identifyServer(name, definition, sharedHome ?? ports.directoryOf(name));
  };
  /** `where` is empty for one that is the same wherever it is asked for. */
  const createOne = (
    name: string,
    definition: ServerDefinition,
    where: { directory?: string },
    after?: Promise<void>,
  ) => {
    const { directory } = where;
    // Only the lists of the plane's own directory are asked for at its next start.
    const isKept = directory === undefined || directory === directories?.home;
    return createServer({
      ...ports,
      guard,
      turn,
      name,
      definition,
      after,
      capabilities: ports.capabilities ?? {},
      extensions,
      recalled: () => lifecycle.cachedListsLoaded(),
      emit(event) {
        ports.emit(event);
        if (event.type === "server.connected") gateway.connected(event.server);
      },
      onNotification: (user, method, params) =>
        gateway.said({ server: name, user, ...where, isDefaultDirectory: isKept, method, params }),
      isPersonal: () => ports.isPersonal(definition),
      access: (user, resolved) => ports.access(name, resolved, user),
      onTools: (tools, era, owner) =>
        ports.onTools(
          name,
          definition,
          tools,
          era,
          directory === undefined ? owner : { user: null, ...owner, directory },
        ),
      onRenewed: () => ports.onRenewed?.(name),
      onToolsGone: (owner) => ports.onToolsGone?.(name, { ...owner, ...where }),
      onKnown(lists) {
        if (!isKept) return;
        ports.onKnown({ ...lists, identity: identify(name, definition) }, name, definition);
      },
      ...(directory !== undefined &&
        directories && {
          resolveSecrets: (_: string, unresolved: ServerDefinition) =>
            directories.secretsIn(name, unresolved, directory),
        }),
    });
  };
  const create: DirectoryOptions["create"] = (name, definition, after) => {
    if (!directories?.has(name)) return createOne(name, definition, {}, after);
    const { home, whyNot, definitionIn } = directories;
    return createDirectoryServer({
      name,
      definition,
      home,
      isOffline: ports.isOffline,
      whyNot: (directory) => whyNot(name, directory),
      create: (directory) => createOne(name, definitionIn(name, directory), { directory }, after),
      onEnded: (directory) => ports.onToolsGone?.(name, { user: null, directory }),
    });
  };
  const directory = createServerDirectory({ ...ports, create });
  const lifecycle = createServerLifecycle(directory, {
    ...ports,
    identify: (name, { definition }) => identify(name, definition),
  });
  const gateway = createGatewayPorts(directory, ports, learned);

  const verbs = createServerVerbs({ ...directory, ...lifecycle }, ports);

  return {
    ...directory,
    ...lifecycle,
    async start() {
      await Promise.all([removeLeftovers(directory, ports), lifecycle.start()]);
    },
    watch: gateway.watch,
    /** May an answer of it be for one user only? */
    opensForUser(name: string): boolean {
      const definition = directory.known(name)?.definition;
      return definition !== undefined && ports.opensForUser(name, definition);
    },
    /** Rejects a prompt or resource that is quarantined. */
    requireReleased: (
      server: string,
      method: string,
      params: UnknownObject,
      owner: SessionOwner,
    ): Promise<void> => requireNotQuarantined(directory, ports, server, method, params, owner),
    /** Has servers list what they offer beside tools, and compares it with the pins. */
    async listOffers(
      server: string | undefined,
      caller: KnownCaller & WaitingCaller,
    ): Promise<void> {
      const { prompts, resources } = verbs;
      const lists = [prompts.list, resources.list, resources.templates].map((list) =>
        list(server, caller),
      );
      const names = server === undefined ? directory.names() : [server];
      const instructions = names.map((name) => gateway.verbs.servers.instructions(name, caller));
      await Promise.allSettled([...lists, ...instructions]);
    },
    verbs: {
      ...verbs,
      servers: { ...verbs.servers, ...gateway.verbs.servers },
      async doctor(server?: string): Promise<DoctorReport> {
        const { examineServers } = await ports.packages.doctor();
        const names = server === undefined ? directory.names() : [directory.requireName(server)];
        const { user } = ports.defaultPrincipal;
        return examineServers(names, directory, {
          ...ports,
          discover: lifecycle.discover,
          endedSignIns: (await ports.endedSignIns?.(user).catch(() => undefined)) ?? new Map(),
        });
      },
    },
    async stop() {
      gateway.stop();
      await runAll([directory.all().map(([, server]) => server.stop), guard.stop]);
    },
  };
}

/** Containers that an earlier plane could not remove. */
async function removeLeftovers(
  { all: allServers }: Pick<ServerDirectory, "all">,
  { packages, environment }: ServersPorts,
) {
  const runtimes = allServers().flatMap(
    ([, { definition }]) => definition.container?.runtime ?? [],
  );
  if (runtimes.length === 0) return;
  const containers = await packages.containers();
  await containers.removeLeftovers(runtimes, environment);
}

/** Of an API, with what only its document says of its address and of sign-ins. */
async function completeDefinition(
  server: string,
  definition: ServerDefinition,
  namedBy: NonNullable<RequestCredentials["namedBy"]>,
  packages: ServerPackages,
): Promise<ServerDefinition> {
  if (definition.transport !== "openapi" || definition.auth?.type !== "oauth") return definition;
  const { describeApi } = await packages.openapi();
  const api = await describeApi(definition).catch((thrown: Error) => {
    throw notSent("SERVER_UNAVAILABLE", server, describeUnavailable(server, thrown.message, null));
  });
  return { ...definition, ...(await api?.target(namedBy)) };
}

/** The same command in another directory is another server. */
export function identifyServer(
  name: string,
  definition: ServerDefinition,
  directory: string,
): string {
  const { command, openapi, skills } = definition;
  const isLocal =
    command !== undefined ||
    skills !== undefined ||
    (openapi !== undefined && !/^https?:/i.test(openapi));
  return hash({ name, definition, directory: isLocal ? directory : null });
}

/** One process start per turn of the event loop, to leave room for other work. */
function createTurns(): () => Promise<void> {
  let lastTurn = Promise.resolve();
  return () => {
    lastTurn = lastTurn.then(() => new Promise(setImmediate));
    return lastTurn;
  };
}
