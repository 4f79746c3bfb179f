import { nearest } from "../lib/nearest.ts";
import { sentence } from "../lib/sentence.ts";
import { hash } from "../lib/stable-json.ts";
import { PlaneError } from "../model/errors.ts";
import type { PlaneEvent } from "../model/events.ts";
import type { UnknownObject } from "../model/json.ts";
import type {
  KnownServer,
  PoolInfo,
  RefreshReport,
  ServerCheck,
  ServerDefinition,
  ServerLogLine,
  ServerStatus,
  ServersChange,
} from "../model/server.ts";
import type { ListMethod } from "../protocol/list-all.ts";
import type { RequestOptions } from "../protocol/peer.ts";
import type { Era } from "../protocol/session.ts";
import { createProcessGuard } from "./guard.ts";
import type { Access } from "./open-session.ts";
import { refreshServers } from "./refresh.ts";
import { createServer, type Server } from "./server.ts";
import { nobodysSession, type SessionOwner } from "./sessions.ts";
import { brokenStatus, compareWanted, isEager, startsWithPlane, type Wanted } from "./wanted.ts";

export type ServersOptions = Wanted & {
  environment: Readonly<Record<string, string | undefined>>;
  /** Turns references to secrets into secrets, when they are needed. */
  resolveSecrets(name: string, definition: ServerDefinition): Promise<ServerDefinition>;
  /** Values that must not be told in any message, beside those of the definition itself. */
  secretValues(): readonly string[];
  /** How a server is told who asks. */
  access(name: string, definition: ServerDefinition, user: string | null): Access;
  isPersonal(definition: ServerDefinition): boolean;
  isOffline: boolean;
  /** What can be answered when a server asks something back. */
  capabilities?: UnknownObject;
  /** When a call that runs as a background task is told to be one. */
  taskQuietMs?: number | undefined;
  emit(event: PlaneEvent): void;
  onTools(server: string, definition: ServerDefinition, tools: unknown[], era: Era): void;
  /** Stands for a server and everything that makes it what it is. */
  identify(name: string, definition: ServerDefinition): string;
  /** To be kept for the next time. */
  onKnown(known: KnownServer): void;
  /** What was kept of these. */
  known(identities: readonly string[]): Promise<readonly KnownServer[]>;
  /** The server is not configured any more. */
  onRemoved(server: string): void;
  listed(server: string): Pick<ServerStatus, "tools" | "rejected">;
};

export type Servers = {
  names(): string[];
  /** The name itself, or an error that names the nearest one. */
  requireName(name: string): string;
  /** Starts those that are to run with the plane. */
  start(): Promise<void>;
  connect(name: string): Promise<void>;
  disconnect(name: string): Promise<void>;
  /** Tries those that are meant to be started, without keeping them. */
  probe(): Promise<void>;
  warmOne(name: string): Promise<void>;
  /** Begins to start these servers, because one of them is about to be used. */
  warm(names: readonly string[]): void;
  /** Makes the tools of these servers known; one that fails delays and fails nobody else. */
  discover(names?: readonly string[], options?: { patienceMs?: number; owner?: SessionOwner }): Promise<void>;
  /** Makes the tools of one server known, or says why they cannot be. */
  discoverOne(name: string, options?: { patienceMs?: number; owner?: SessionOwner }): Promise<void>;
  /** Really asks them again; without `force` those that back off are left alone. */
  refresh(names: readonly string[], options?: { force?: boolean }): Promise<RefreshReport>;
  request(
    name: string,
    method: string,
    params: UnknownObject,
    options: RequestOptions,
    owner?: SessionOwner,
  ): Promise<unknown>;
  check(name: string, signal: AbortSignal): Promise<ServerCheck>;
  list(name: string, method: ListMethod, signal: AbortSignal): Promise<unknown[]>;
  /** Why a server offers nothing, when that is so. */
  trouble(name: string): string | null;
  /** What a person has to do before it can be used, when that is why it cannot. */
  requirement(name: string): PlaneError | null;
  status(): ServerStatus[];
  instructions(name: string): string | null;
  logs(name: string, user: string | null): ServerLogLine[];
  /** The token of a user for a server is another one now. */
  forgetUser(name: string, user: string | null, isMainUser: boolean): Promise<void>;
  pool(): PoolInfo;
  clear(name?: string): Promise<number>;
  /** Ends the sessions of these owners. */
  release(belongs: (owner: SessionOwner) => boolean, reason: string, name?: string): Promise<number>;
  /** Stops what is gone, replaces what is different, leaves the rest alone. */
  apply(wanted: Wanted): Promise<ServersChange>;
  stop(): Promise<void>;
};

export function createServers(options: ServersOptions): Servers {
  const servers = new Map<string, Server>();
  const guard = createProcessGuard();
  let lastTurn = Promise.resolve();
  const turn = () => {
    lastTurn = lastTurn.then(() => new Promise(setImmediate));
    return lastTurn;
  };
  let { definitions, broken } = options;
  let recalled: Promise<void> | undefined;
  let isStarted = false;

  const add = (name: string, definition: ServerDefinition) => {
    servers.set(
      name,
      createServer({
        ...options,
        name,
        definition,
        guard,
        turn,
        capabilities: options.capabilities ?? {},
        isPersonal: () => options.isPersonal(definition),
        access: (user, resolved) => options.access(name, resolved, user),
        onTools: (tools, era) => options.onTools(name, definition, tools, era),
        recalled: recallOnce,
        onKnown: (known) => options.onKnown({ ...known, identity: options.identify(name, definition) }),
      }),
    );
  };
  for (const [name, definition] of Object.entries(definitions)) add(name, definition);

  /** What was known the last time, as far as the definition is still the same. */
  async function recall(names: readonly string[] = [...servers.keys()]): Promise<void> {
    const identified = new Map(
      [...servers]
        .filter(([name]) => names.includes(name))
        .map(([name, current]) => [options.identify(name, current.definition), current]),
    );
    for (const known of await options.known([...identified.keys()])) {
      identified.get(known.identity)?.recall(known);
    }
  }
  function recallOnce(): Promise<void> {
    recalled ??= recall();
    return recalled;
  }

  function server(name: string): Server {
    const found = servers.get(name);
    if (found) return found;
    if (broken[name] !== undefined) {
      throw new PlaneError("SERVER_UNAVAILABLE", `Server '${name}' cannot run: ${sentence(broken[name])}`, {
        data: { server: name, sent: false },
      });
    }
    const [guess] = nearest(name, servers.keys());
    const hint = guess === undefined ? "" : ` Did you mean '${guess}'?`;
    throw new PlaneError("SERVER_NOT_FOUND", `No server '${name}' is configured.${hint}`, {
      data: { server: name },
    });
  }

  const able = (names: Iterable<string>) => [...names].filter((name) => definitions[name]?.enabled);

  async function start(names: readonly string[] = [...servers.keys()]): Promise<void> {
    if (options.isOffline) return;
    isStarted = true;
    await recallOnce();
    const wanted = able(names).filter((name) =>
      startsWithPlane(server(name).definition, server(name).isKnown()),
    );
    await Promise.allSettled(wanted.map((name) => server(name).connect()));
  }

  async function discover(
    names?: readonly string[],
    { patienceMs = 0, owner = nobodysSession }: { patienceMs?: number; owner?: SessionOwner } = {},
  ): Promise<void> {
    await recallOnce();
    // Whoever looks for everything does not mean those that are to be left alone until they are named.
    const meant = names ?? [...servers.keys()].filter((name) => definitions[name]?.autoConnect);
    const known = Promise.allSettled(able(meant).map((name) => server(name).discover(owner)));
    await (patienceMs === 0 ? known : Promise.race([known, pause(patienceMs)]));
  }

  async function remove(name: string): Promise<void> {
    const leaving = servers.get(name);
    servers.delete(name);
    options.onRemoved(name);
    await leaving?.stop();
  }

  async function apply(wanted: Wanted): Promise<ServersChange> {
    const change = compareWanted(definitions, wanted.definitions);
    const running = new Set([...servers].filter(([, { isWanted }]) => isWanted()).map(([name]) => name));
    definitions = wanted.definitions;
    broken = wanted.broken;
    await Promise.all([...change.removed, ...change.changed].map(remove));
    for (const name of [...change.added, ...change.changed]) {
      const definition = definitions[name];
      if (definition) add(name, definition);
    }
    const restart = able(change.changed).filter((name) => running.has(name));
    if (recalled) await recall([...change.added, ...change.changed]);
    void Promise.allSettled(restart.map((name) => server(name).connect()));
    if (isStarted) void start([...change.added, ...change.changed]);
    return change;
  }

  return {
    names: () => [...servers.keys(), ...Object.keys(broken)],
    requireName(name) {
      if (broken[name] === undefined) server(name);
      return name;
    },
    start: () => start(),
    connect: async (name) => server(name).connect(),
    async probe() {
      await recallOnce();
      const eager = able(servers.keys()).filter((name) => isEager(server(name).definition));
      await Promise.allSettled(eager.map((name) => server(name).warm()));
    },
    warmOne: async (name) => server(name).warm(),
    warm(names) {
      if (recalled || options.isOffline) return;
      void Promise.allSettled(able(names).map((name) => server(name).warm()));
    },
    disconnect: async (name) => server(name).disconnect(),
    discover,
    async discoverOne(name, { patienceMs = 0, owner = nobodysSession } = {}) {
      const one = server(name);
      await recallOnce();
      const known = one.discover(owner);
      if (patienceMs === 0) return known;
      const tooLong = () => {
        throw new PlaneError(
          "TIMEOUT",
          `Server '${name}' did not list its tools within ${patienceMs / 1000} s.`,
          {
            data: { server: name, limitMs: patienceMs },
          },
        );
      };
      await Promise.race([known, pause(patienceMs).then(tooLong)]);
    },
    refresh: async (names, { force = true } = {}) =>
      refreshServers(
        names.filter((name) => broken[name] === undefined).map((name) => ({ name, server: server(name) })),
        force,
      ),
    request: async (name, method, params, requestOptions, owner = nobodysSession) =>
      server(name).request(method, params, requestOptions, owner),
    check: async (name, signal) => server(name).check(signal),
    list: async (name, method, signal) => server(name).list(method, signal),
    trouble(name) {
      if (broken[name] !== undefined) return `Server '${name}' cannot run: ${sentence(broken[name])}`;
      const current = server(name);
      const { state, error } = current.status();
      const isFine = state === "connected" || state === "disabled" || (current.isKnown() && error === null);
      return isFine ? null : `Server '${name}' is not available: ${sentence(error ?? state)}`;
    },
    requirement: (name) => servers.get(name)?.requirement() ?? null,
    status: () => [
      ...[...servers].map(([name, current]) => ({ name, ...options.listed(name), ...current.status() })),
      ...Object.entries(broken).map(([name, reason]) => brokenStatus(name, reason)),
    ],
    instructions: (name) => server(name).session()?.instructions ?? null,
    logs: (name, user) => server(name).logs(user),
    forgetUser: async (name, user, isMainUser) => server(name).forgetUser(user, isMainUser),
    pool: () => {
      const open = [...servers].flatMap(([name, current]) =>
        current
          .sessionOwners()
          .map((owner) => ({ server: name, key: hash({ name, owner, of: current.definition }) })),
      );
      return { size: open.length, sessions: open };
    },
    async clear(name) {
      const chosen = name === undefined ? [...servers.values()] : [server(name)];
      const closed = await Promise.all(chosen.map((current) => current.clear()));
      return closed.reduce((sum, count) => sum + count, 0);
    },
    async release(belongs, reason, name) {
      const chosen = name === undefined ? [...servers.values()] : [server(name)];
      const ended = await Promise.all(chosen.map((current) => current.release(belongs, reason)));
      return ended.reduce((sum, count) => sum + count, 0);
    },
    apply,
    async stop() {
      await Promise.all([...servers.values()].map((current) => current.stop()));
      guard.stop();
    },
  };
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms).unref());
}
