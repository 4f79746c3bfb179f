import { runAll } from "../lib/async/once.ts";
import { hash } from "../lib/json/stable-json.ts";
import { joinNamespaces } from "../lib/lazy-verbs.ts";
import type { Trial } from "../model/config/adding.ts";
import type { UnknownObject } from "../model/json.ts";
import type { Plane } from "../model/plane.ts";
import type { WaitingCaller } from "../model/principal.ts";
import type { KnownServer, ServerDefinition } from "../model/servers/server.ts";
import type { Era } from "../protocol/session.ts";
import type { TakeTools } from "./doctor/check-session.ts";
import type { tryServer as tried } from "./doctor/doctor.ts";
import { describeUnavailable, notSent } from "./failures.ts";
import { createGatewayPorts } from "./gateway-ports.ts";
import type { Access } from "./open-session.ts";
import { createProcessGuard } from "./process-guard.ts";
import { createServer, type ServerOptions } from "./server.ts";
import { createServerDirectory, type DirectoryOptions, type ServerDirectory } from "./server-directory.ts";
import { createServerLifecycle, type LifecycleOptions, type ServerLifecycle } from "./server-lifecycle.ts";
import { createServerVerbs, requireReleased, type VerbOptions } from "./server-verbs.ts";
import type { SessionOwner } from "./sessions.ts";
import type { ListOwner } from "./user-lists.ts";

export { createCredentials } from "./auth/credentials.ts";
export { accessOf, createTokenVerbs } from "./auth/tokens.ts";
export type { DirectCall, DirectRequest } from "./direct-request.ts";
export { explainFailure, unknownServer } from "./failures.ts";
export type { SessionOwner } from "./sessions.ts";
export {
  inMemory,
  type MemoryHandler,
  type MemoryMessage,
  type MemoryServer,
  type MemoryTransport,
} from "./transports/memory.ts";

/** Loaded when it is used: most planes try nothing. */
export async function tryServer(...asked: Parameters<typeof tried>): Promise<Trial> {
  return (await import("./doctor/doctor.ts")).tryServer(...asked);
}

export type ServersPorts = Omit<DirectoryOptions, "create"> &
  Omit<LifecycleOptions, "identify"> &
  VerbOptions &
  Pick<ServerOptions, "environment" | "resolveSecrets" | "secretValues" | "ownCapabilities" | "taskQuietMs" | "emit"> &
  Partial<Pick<ServerOptions, "capabilities">> & {
    access(name: string, definition: ServerDefinition, user: string | null): Access;
    isPersonal(definition: ServerDefinition): boolean;
    opensForUser(server: string, definition: ServerDefinition): boolean;
    directoryOf(name: string): string;
    /** With `owner`, for this user alone. */
    onTools(server: string, definition: ServerDefinition, tools: unknown[], era: Era, owner?: ListOwner): void;
    /** It was restarted, or says that its lists have changed. */
    onRenewed?(server: string): void;
    onToolsGone?(server: string, owner: ListOwner): void;
    onKnown(known: KnownServer, server: string, definition: ServerDefinition): void;
    /** For the doctor: which listed tools the catalogue accepts. */
    takeTools: TakeTools;
  };

export type Servers = Omit<ServerDirectory, "apply" | "find" | "all" | "enabled" | "broken" | "isBroken"> &
  Omit<ServerLifecycle, "recalled"> & {
    /** Has servers list what they offer beside tools, and compares it with the pins. */
    listOffers(server: string | undefined, caller: WaitingCaller): Promise<void>;
    /** Rejects a prompt or resource that is quarantined. */
    requireReleased(server: string, method: string, params: UnknownObject, owner: SessionOwner): Promise<void>;
    verbs: ReturnType<typeof createServerVerbs> &
      ReturnType<typeof createGatewayPorts>["verbs"] &
      Pick<Plane, "doctor">;
    watch: ReturnType<typeof createGatewayPorts>["watch"];
    /** May an answer of it be for one user only? */
    opensForUser(name: string): boolean;
    stop(): Promise<void>;
  };

export function createServers(ports: ServersPorts): Servers {
  const guard = createProcessGuard();
  const turn = createTurns();
  const identify = (name: string, definition: ServerDefinition) =>
    identifyServer(name, definition, ports.directoryOf(name));
  const create: DirectoryOptions["create"] = (name, definition, after) =>
    createServer({
      ...ports,
      guard,
      turn,
      name,
      definition,
      after,
      capabilities: ports.capabilities ?? {},
      recalled: () => lifecycle.recalled(),
      emit(event) {
        ports.emit(event);
        if (event.type === "server.connected") gateway.connected(event.server);
      },
      onSaid: (user, method, params) => gateway.said({ server: name, user, method, params }),
      isPersonal: () => ports.isPersonal(definition),
      access: (user, resolved) => ports.access(name, resolved, user),
      onTools: (tools, era, owner) => ports.onTools(name, definition, tools, era, owner),
      onRenewed: () => ports.onRenewed?.(name),
      onToolsGone: (owner) => ports.onToolsGone?.(name, owner),
      onKnown: (known) => ports.onKnown({ ...known, identity: identify(name, definition) }, name, definition),
    });
  const directory = createServerDirectory({ ...ports, create });
  const lifecycle = createServerLifecycle(directory, {
    ...ports,
    identify: (name, { definition }) => identify(name, definition),
  });
  const gateway = createGatewayPorts(directory, ports);

  const verbs = createServerVerbs({ ...directory, ...lifecycle }, ports);

  return {
    ...directory,
    ...lifecycle,
    async start() {
      await Promise.all([removeLeftovers(directory, ports.environment), lifecycle.start()]);
    },
    watch: gateway.watch,
    opensForUser(name) {
      const definition = directory.known(name)?.definition;
      return definition !== undefined && ports.opensForUser(name, definition);
    },
    requireReleased: (...asked) => requireReleased(directory, ports, ...asked),
    async listOffers(server, caller) {
      const { prompts, resources } = verbs;
      const lists = [prompts.list, resources.list, resources.templates].map((list) => list(server, caller));
      const names = server === undefined ? directory.names() : [server];
      const said = names.map((name) => gateway.verbs.servers.instructions(name, caller));
      await Promise.allSettled([...lists, ...said]);
    },
    verbs: joinNamespaces(verbs, gateway.verbs, {
      async doctor(server?: string) {
        const { examineServers } = await import("./doctor/doctor.ts");
        const names = server === undefined ? directory.names() : [directory.requireName(server)];
        return examineServers(names, directory, { ...ports, discover: lifecycle.discover });
      },
    }),
    async stop() {
      gateway.stop();
      await runAll([directory.all().map(([, one]) => one.stop), guard.stop]);
    },
  };
}

/** Containers that an earlier plane could not remove. */
async function removeLeftovers({ all }: Pick<ServerDirectory, "all">, environment: ServerOptions["environment"]) {
  const wanted = all().flatMap(([, { definition }]) => definition.container?.runtime ?? []);
  if (wanted.length === 0) return;
  const [{ findRuntime }, { sweepLeftovers }] = await Promise.all([
    import("./containers/open-container.ts"),
    import("./containers/leftovers.ts"),
  ]);
  const found = new Set(wanted.flatMap((runtime) => findRuntime(runtime, environment) ?? []));
  await Promise.all([...found].map(sweepLeftovers));
}

/** Of an API, with what only its document says of its address and of sign-ins. */
export async function completeDefinition(
  server: string,
  definition: ServerDefinition,
  namedBy: NonNullable<Access["namedBy"]>,
): Promise<ServerDefinition> {
  if (definition.transport !== "openapi" || definition.auth?.type !== "oauth") return definition;
  const { describedBy, loadApi } = await import("./openapi/api.ts");
  const loaded = await loadApi(definition).catch((thrown: Error) => {
    throw notSent("SERVER_UNAVAILABLE", server, describeUnavailable(server, thrown.message, null));
  });
  return { ...definition, ...(loaded && (await describedBy(loaded.api, definition, namedBy))) };
}

/** The same command in another directory is another server. */
export function identifyServer(name: string, definition: ServerDefinition, directory: string): string {
  const { command, openapi } = definition;
  const isLocal = command !== undefined || (openapi !== undefined && !/^https?:/i.test(openapi));
  return hash({ name, definition, directory: isLocal ? directory : null });
}

/** One process start per turn of the event loop, to leave room for other work. */
function createTurns(): () => Promise<void> {
  let last = Promise.resolve();
  return () => {
    last = last.then(() => new Promise(setImmediate));
    return last;
  };
}
