import { withoutUndefined } from "../lib/json/plain-data.ts";
import { hash } from "../lib/json/stable-json.ts";
import { nearest } from "../lib/text/nearest.ts";
import { sentence } from "../lib/text/wording.ts";
import { PlaneError } from "../model/errors.ts";
import type { UnknownObject } from "../model/json.ts";
import type { Principal } from "../model/principal.ts";
import type { PoolInfo, ServerDefinition, ServersChange } from "../model/servers/server.ts";
import type { ServerStatus } from "../model/servers/server-schema.ts";
import type { RequestOptions } from "../protocol/session.ts";
import { type ConfiguredServers, compareDefinitions, notTrusted } from "./desired-state.ts";
import { describeUnavailable } from "./failures.ts";
import type { Server } from "./server.ts";
import type { OfferMethod } from "./server-catalogue.ts";
import { brokenStatus } from "./server-status.ts";
import { type SessionOwner, sharedOwner } from "./sessions.ts";

export type DirectoryOptions = ConfiguredServers & {
  /** `after`: the predecessor of this name has stopped. */
  create(name: string, definition: ServerDefinition, after?: Promise<void>): Server;
  onRemoved(server: string): void;
  listed(server: string): Pick<ServerStatus, "tools" | "rejected" | "circuit">;
  /** The clients that it was found in; undefined for one of a configuration. */
  foundIn?(server: string): string[] | undefined;
};

export type ServerDirectory = ReturnType<typeof createServerDirectory>;

/** Whose, and where they work. */
type Reader = Pick<Principal, "user" | "directory">;

export function createServerDirectory(options: DirectoryOptions) {
  const map = createServerMap(options);
  const { find, all: allServers, broken } = map;
  const isMisconfigured = (name: string) => Object.hasOwn(broken(), name);
  const foundInField = (name: string): Pick<ServerStatus, "foundIn"> =>
    withoutUndefined({ foundIn: options.foundIn?.(name) });
  const ifRunnable = <T>(name: string, use: (server: Server) => T): T | null =>
    isMisconfigured(name) ? null : use(find(name));
  const serverFor = (name: string, { directory }: Reader): Server =>
    find(name).in?.(directory) ?? find(name);
  const chosenServers = (name: string | undefined) =>
    name === undefined ? allServers().map(([, server]) => server) : [find(name)];

  return {
    ...map,
    isMisconfigured,
    names: (): string[] => [...allServers().map(([name]) => name), ...Object.keys(broken())],
    /** Throws an error that names the nearest one. */
    requireName(name: string): string {
      if (!isMisconfigured(name)) find(name);
      return name;
    },
    enabled: (names: Iterable<string>): Server[] => {
      const servers = new Map(allServers());
      return [...names]
        .flatMap((name) => servers.get(name) ?? [])
        .filter((server) => server.definition.enabled);
    },
    /** Null where it works. */
    trouble: (name: string, owner?: SessionOwner): string | null =>
      isMisconfigured(name) ? cannotRun(name, broken()) : troubleOf(name, find(name), owner),
    status: (): ServerStatus[] => [
      ...allServers().map(([name, server]) => ({
        name,
        ...foundInField(name),
        ...options.listed(name),
        ...server.status(),
      })),
      ...Object.entries(broken()).map(([name, reason]) => ({
        ...brokenStatus(name, reason, map.isUntrusted(name) ? "untrusted" : "config_error"),
        ...foundInField(name),
      })),
    ],
    /** Not async: each call comes through here. */
    request(
      name: string,
      method: string,
      params: UnknownObject,
      requestOptions: RequestOptions,
      owner: SessionOwner = sharedOwner,
    ): Promise<unknown> {
      try {
        return find(name).request(method, params, requestOptions, owner);
      } catch (thrown) {
        return Promise.reject(thrown);
      }
    },
    isOpen: (name: string, owner: SessionOwner) => map.known(name)?.isOpen(owner) ?? false,
    /** False where another server should be asked meanwhile. */
    isReady: async (name: string, ...args: Parameters<Server["isReady"]>) =>
      (await map.known(name)?.isReady(...args)) ?? true,
    connect: async (name: string) => find(name).connect(),
    disconnect: async (name: string) => find(name).disconnect(),
    check: async (name: string, signal: AbortSignal) => find(name).check(signal),
    /** Without asking the server; null where it was never asked. */
    offered: (name: string, method: OfferMethod, owner: SessionOwner) =>
      ifRunnable(name, (server) => server.offered(method, owner)),
    denied: (name: string) => ifRunnable(name, (server) => server.definition.deny_tools),
    session: (name: string, owner?: SessionOwner) =>
      ifRunnable(name, (server) => server.session(owner)),
    extensions: (name: string) => ifRunnable(name, (server) => server.extensions()) ?? {},
    /** What a person must do first, such as to sign in. */
    requirement: (name: string, owner?: SessionOwner) =>
      ifRunnable(name, (server) => server.requirement(owner)),
    /** For whom alone it lists, or undefined. */
    listOwner: (name: string, owner: SessionOwner) =>
      ifRunnable(name, (server) => server.listOwner(owner)) ?? undefined,
    logs: (name: string, reader: Reader) => serverFor(name, reader).logs(reader.user),
    followLogs: (name: string, reader: Reader, listener: Parameters<Server["followLogs"]>[1]) =>
      serverFor(name, reader).followLogs(reader.user, listener),
    record: (name: string, on: boolean, reader: Reader) =>
      serverFor(name, reader).record(on, reader.user),
    messages: (name: string, reader: Reader, reading: Parameters<Server["messages"]>[1]) =>
      serverFor(name, reader).messages(reader.user, reading),
    /** Ends the user's sessions, because the token changed. */
    forgetUser: async (name: string, ...args: Parameters<Server["forgetUser"]>) =>
      find(name).forgetUser(...args),
    pool: () => poolOf(allServers()),
    clear: async (name?: string) =>
      sum(await Promise.all(chosenServers(name).map((server) => server.clear()))),
    release: async (belongs: (owner: SessionOwner) => boolean, reason: string, name?: string) =>
      sum(await Promise.all(chosenServers(name).map((server) => server.release(belongs, reason)))),
  };
}

function createServerMap(options: DirectoryOptions) {
  const servers = new Map<string, Server>();
  let { definitions, untrusted = {} } = options;
  let broken = cannotRunYet(options);
  const add = (name: string, after?: Promise<void>) =>
    servers.set(name, options.create(name, definitions[name] as ServerDefinition, after));
  for (const name of Object.keys(definitions)) add(name);

  async function remove(name: string): Promise<void> {
    const leaving = servers.get(name);
    servers.delete(name);
    options.onRemoved(name);
    await leaving?.stop();
  }

  /** The new server takes calls at once, and opens nothing before the old one has stopped. */
  async function replace(name: string): Promise<void> {
    const stopped = remove(name);
    add(
      name,
      stopped.catch(() => undefined),
    );
    await stopped;
  }

  return {
    all: (): [name: string, server: Server][] => [...servers],
    broken: () => broken,
    isUntrusted: (name: string) => Object.hasOwn(untrusted, name),
    /** Why it waits for a person's trust; null where it does not. */
    waitsFor: (name: string) =>
      Object.hasOwn(untrusted, name) ? (untrusted[name]?.why ?? notTrusted) : null,
    known: (name: string): Server | undefined => servers.get(name),
    find: (name: string): Server => servers.get(name) ?? notFound(name, servers.keys(), broken),
    async apply(configured: ConfiguredServers): Promise<ServersChange> {
      const change = compareDefinitions(definitions, configured.definitions);
      ({ definitions, untrusted = {} } = configured);
      broken = cannotRunYet(configured);
      for (const name of change.unchanged) servers.get(name)?.reviewTrust?.();
      for (const name of change.added) add(name);
      await Promise.all([...change.removed.map(remove), ...change.changed.map(replace)]);
      return change;
    },
  };
}

/** Why each of those cannot run that are named in the configuration. */
function cannotRunYet({
  definitions,
  broken,
  untrusted = {},
}: ConfiguredServers): ConfiguredServers["broken"] {
  // One that is defined all the same waits in some directories and runs in others.
  const untrustedOnly = Object.entries(untrusted).filter(
    ([name]) => !Object.hasOwn(definitions, name),
  );
  const waitingReasons = untrustedOnly.map(([name, { why: { what, remedy } = notTrusted }]) => {
    return [name, `${what}. ${remedy}`] as const;
  });
  return { ...broken, ...Object.fromEntries(waitingReasons) };
}

function notFound(
  name: string,
  names: Iterable<string>,
  broken: ConfiguredServers["broken"],
): never {
  if (Object.hasOwn(broken, name))
    throw new PlaneError("SERVER_UNAVAILABLE", cannotRun(name, broken), {
      data: { server: name, sent: false },
    });
  const [guess] = nearest(name, names);
  const hint =
    guess === undefined ? "'toolplane servers list' shows which are." : `Did you mean '${guess}'?`;
  const data = { server: name, ...(guess === undefined && { personHints: [hint] }) };
  throw new PlaneError("SERVER_NOT_FOUND", `No server '${name}' is configured. ${hint}`, { data });
}

function cannotRun(name: string, broken: ConfiguredServers["broken"]): string {
  return `Server '${name}' cannot run: ${sentence(broken[name] ?? "")}`;
}

function troubleOf(name: string, server: Server, owner?: SessionOwner): string | null {
  if (owner && server.listOwner(owner)) {
    const required = server.requirement(owner);
    if (required || server.isKnown(owner)) return required?.message ?? null;
  }
  const { state, error, stderrTail = null, installing } = server.status();
  if (installing) return describeUnavailable(name, "it is still being installed", null);
  const isFine =
    state === "connected" || state === "disabled" || (server.isKnown() && error === null);
  return isFine ? null : describeUnavailable(name, error ?? state, stderrTail);
}

function poolOf(servers: readonly [name: string, server: Server][]): PoolInfo {
  const sessions = servers.flatMap(([name, { definition, sessionOwners }]) =>
    sessionOwners().map((owner) => ({ server: name, key: hash({ name, owner, of: definition }) })),
  );
  const direct = Object.fromEntries(servers.map(([name, server]) => [name, server.direct()]));
  return { size: sessions.length, sessions, direct };
}

function sum(counts: readonly number[]): number {
  return counts.reduce((total, count) => total + count, 0);
}
