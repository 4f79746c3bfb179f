import { PlaneError } from "../../model/errors.ts";
import type { ServerDefinition } from "../../model/servers/server.ts";
import type { ServerInstance, ServerState } from "../../model/servers/server-schema.ts";
import { notSent } from "../failures.ts";
import type { Server } from "../server.ts";
import type { CachedLists } from "../server-catalogue.ts";
import { brokenStatus } from "../server-status.ts";
import { type SessionOwner, sharedOwner } from "../sessions.ts";

/** Each may be a process. */
export const maxInstances = 16;

type DirectoryServerOptions = {
  name: string;
  definition: ServerDefinition;
  /** Where callers work who do not say it; null where the plane belongs to no directory. */
  home: string | null;
  /** Nothing is started, so nothing has to be trusted. */
  isOffline: boolean;
  /** Null where a person trusts the directory for it. */
  whyNot(directory: string): { what: string; remedy: string } | null;
  /** It starts nothing before it is asked. */
  create(directory: string): Server;
  /** What it listed there is no longer offered. */
  onEnded(directory: string): void;
};

/**
 * A server that works in the directory of its caller: one server for each directory, made when a caller asks there and
 * a person trusts the directory for it. To the rest of the plane it is one.
 */
export function createDirectoryServer(options: DirectoryServerOptions): Server {
  const { definition, home } = options;
  const instances = createInstances(options);
  const { servers, serverIn, findServer } = instances;
  const forEachServer = async (use: (server: Server) => Promise<unknown>): Promise<void> => {
    const failed = (await Promise.allSettled(servers().map(use))).find(
      (outcome) => outcome.status === "rejected",
    );
    if (failed) throw failed.reason;
  };
  /** What is asked about the server as a whole is asked of the usual directory, or of the one that was used last. */
  const usualServer = () => findServer(sharedOwner) ?? servers().at(-1);
  const sum = (count: (server: Server) => number) =>
    servers().reduce((total, server) => total + count(server), 0);

  const inDirectory = (directory?: string): Server =>
    directory === undefined ? (usualServer() ?? serverIn({})) : serverIn({ directory });

  return {
    definition,
    in: inDirectory,
    isKnown: (owner = sharedOwner) => findServer(owner)?.isKnown(owner) ?? false,
    // Each has its own, except what was recorded.
    recall: (lists) => instances.recall(lists),
    async connect() {
      instances.disconnect(false);
      if (home !== null) serverIn({});
      await forEachServer((server) => server.connect());
    },
    async warm() {
      if (home !== null) await serverIn({}).warm();
    },
    async disconnect() {
      instances.disconnect(true);
      await forEachServer((server) => server.disconnect());
    },
    async restart() {
      instances.disconnect(false);
      if (home !== null) serverIn({});
      await forEachServer((server) => server.restart());
    },
    async clear() {
      const counts = await Promise.all(servers().map((server) => server.clear()));
      return counts.reduce((total, count) => total + count, 0);
    },
    forgetUser: (...args) => forEachServer((server) => server.forgetUser(...args)),
    isReady: async (owner, isHasty) => (await findServer(owner)?.isReady(owner, isHasty)) ?? true,
    isOpen: (owner) => findServer(owner)?.isOpen(owner) ?? false,
    isActive: () => servers().some((server) => server.isActive()),
    discover: async (owner) => serverIn(owner).discover(owner),
    revive: async (owner) => findServer(owner)?.revive(owner),
    isSettled: (owner) => findServer(owner)?.isSettled(owner) ?? false,
    refresh: async () => {
      if (home !== null) serverIn({});
      await forEachServer((server) => server.refresh());
    },
    offered: (method, owner) => findServer(owner)?.offered(method, owner) ?? null,
    list: async (method, signal, owner) => serverIn(owner).list(method, signal, owner),
    listOwner(owner) {
      const directory = owner.directory ?? home;
      if (directory === null) return undefined;
      return { user: null, ...findServer(owner)?.listOwner(owner), directory };
    },
    requirement(owner = sharedOwner) {
      const server = findServer(owner);
      return server ? server.requirement(owner) : instances.refusal(owner);
    },
    request: (method, params, requestOptions, owner) =>
      serverIn(owner).request(method, params, requestOptions, owner),
    check: async (signal) => (usualServer() ?? serverIn({})).check(signal),
    session: (owner = sharedOwner) =>
      (owner.directory === undefined ? usualServer() : findServer(owner))?.session() ?? null,
    extensions: () => usualServer()?.extensions() ?? {},
    installingSince: () =>
      servers()
        .find((server) => server.installingSince() !== null)
        ?.installingSince() ?? null,
    status() {
      const instance =
        usualServer()?.status() ?? statusOfNone(definition, instances.refusal(sharedOwner), home);
      const counts = {
        pending: sum((server) => server.status().pending),
        sessions: sum((server) => server.status().sessions),
        noise: sum((server) => server.status().noise),
      };
      return { ...instance, ...counts, instances: instances.describe() };
    },
    sessionOwners: () =>
      instances
        .entries()
        .flatMap(([directory, server]) =>
          server.sessionOwners().map((owner) => ({ ...owner, directory })),
        ),
    direct: () => sum((server) => server.direct()),
    logs: (...args) => inDirectory().logs(...args),
    followLogs: (...args) => inDirectory().followLogs(...args),
    record: (...args) => inDirectory().record(...args),
    messages: (...args) => inDirectory().messages(...args),
    async release(belongs, reason) {
      const counts = await Promise.all(servers().map((server) => server.release(belongs, reason)));
      return counts.reduce((total, count) => total + count, 0);
    },
    reviewTrust: instances.reviewTrust,
    stop: instances.stop,
  };
}

type Caller = Pick<SessionOwner, "directory">;

/** One for each directory, the last used last. */
function createInstances(options: DirectoryServerOptions) {
  const { name, definition, home, isOffline, whyNot } = options;
  const instances = new Map<string, Server>();
  /** Where a caller has asked and no person had trusted it: it is looked at again when a person answers. */
  const refused = new Set<string>();
  const leaving = new Set<Promise<void>>();
  let recordedLists: CachedLists | undefined;
  let isDisconnected = false;
  if (home !== null && (isOffline || whyNot(home) === null)) add(home);

  function add(directory: string): Server {
    const server = options.create(directory);
    if (recordedLists) server.recall(recordedLists);
    if (isDisconnected) void server.disconnect();
    instances.set(directory, server);
    refused.delete(directory);
    return server;
  }

  function end(directory: string): void {
    const stopped = instances.get(directory)?.stop();
    instances.delete(directory);
    options.onEnded(directory);
    const ended = stopped
      ?.catch(() => undefined)
      .finally(() => leaving.delete(ended as Promise<void>));
    if (ended) leaving.add(ended);
  }

  /** The least recently used that does nothing makes room; that of the plane's own directory stays. */
  function makeRoom(): void {
    if (instances.size < maxInstances) return;
    const isIdle = ([directory, server]: [string, Server]) =>
      directory !== home && server.status().pending === 0;
    const idle = [...instances].find(isIdle);
    if (idle) return end(idle[0]);
    const text = `Server '${name}' is busy: it works in ${maxInstances} directories already.`;
    throw notSent("BUSY", name, text);
  }

  /** Null where it runs there, or may. */
  function refusal({ directory = home ?? undefined }: Caller): PlaneError | null {
    if (directory === undefined)
      return notSent("SERVER_UNAVAILABLE", name, `Server '${name}' cannot run: ${nowhere}.`);
    if (isOffline || instances.has(directory)) return null;
    const obstacle = whyNot(directory);
    if (obstacle === null) return null;
    const text = `Server '${name}' cannot run: ${obstacle.what}. ${obstacle.remedy}.`;
    return new PlaneError("SERVER_UNAVAILABLE", text, {
      data: { server: name, sent: false, retryAt: null },
    });
  }

  function findServer({ directory = home ?? undefined }: Caller): Server | undefined {
    if (directory === undefined) return undefined;
    const server = instances.get(directory);
    if (server === undefined) return undefined;
    // A map keeps its order.
    instances.delete(directory);
    instances.set(directory, server);
    return server;
  }

  return {
    findServer,
    refusal,
    servers: () => [...instances.values()],
    entries: () => [...instances],
    /** Throws where it may not run. */
    serverIn(caller: Caller): Server {
      const server = findServer(caller);
      if (server) return server;
      const directory = caller.directory ?? home;
      const error = refusal(caller);
      if (error && directory !== null && refused.size < maxInstances) refused.add(directory);
      if (error || directory === null) throw error;
      makeRoom();
      return add(directory);
    },
    recall(lists: CachedLists): void {
      if (isOffline) recordedLists = lists;
      for (const server of instances.values()) server.recall(lists);
    },
    disconnect(on: boolean): void {
      isDisconnected = on;
    },
    describe: (): ServerInstance[] =>
      [...instances].map(([directory, server]) => {
        const { state, pid, error } = server.status();
        return { directory, state, pid, error };
      }),
    /** A person has answered: what is no longer trusted ends, and what a caller waits for lists its tools. */
    reviewTrust(): void {
      if (isOffline) return;
      for (const directory of [...instances.keys()]) if (whyNot(directory) !== null) end(directory);
      if (home !== null) refused.add(home);
      for (const directory of [...refused])
        if (
          !instances.has(directory) &&
          instances.size < maxInstances &&
          whyNot(directory) === null
        ) {
          const server = add(directory);
          if (definition.autoConnect) void server.discover(sharedOwner).catch(() => undefined);
        }
    },
    async stop(): Promise<void> {
      await Promise.all([...[...instances.values()].map((server) => server.stop()), ...leaving]);
    },
  };
}

const nowhere =
  "it works in the directory of its client, and this client has named none. A client over HTTP names it as its first root";

/** No caller has asked for it yet. */
function statusOfNone(
  definition: ServerDefinition,
  refusal: PlaneError | null,
  home: string | null,
) {
  const { name: _, tools: __, rejected: ___, ...status } = brokenStatus("", "");
  const isWaiting = home !== null && refusal !== null;
  return {
    ...status,
    transport: definition.transport,
    state: stateOfNone(definition, isWaiting),
    error: isWaiting ? refusal.message.replace(/^Server '.*?' cannot run: /s, "") : null,
  };
}

function stateOfNone({ enabled }: ServerDefinition, isWaiting: boolean): ServerState {
  if (!enabled) return "disabled";
  return isWaiting ? "untrusted" : "disconnected";
}
