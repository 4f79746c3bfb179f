import { pause } from "../lib/async/pause.ts";
import type { Relay } from "../model/calls/provider.ts";
import { PlaneError } from "../model/errors.ts";
import type { KnownServer, ServersChange } from "../model/servers/server.ts";
import type { RefreshReport } from "../model/servers/server-schema.ts";
import { type ConfiguredServers, isEager, startsWithPlane } from "./desired-state.ts";
import { reportInstalling } from "./installer.ts";
import type { Server } from "./server.ts";
import type { OfferMethod } from "./server-catalogue.ts";
import type { ServerDirectory } from "./server-directory.ts";
import { type SessionOwner, sharedOwner } from "./sessions.ts";

export type LifecycleOptions = {
  isOffline: boolean;
  identify(name: string, server: Server): string;
  /** What replaces the cached lists. */
  recorded?(name: string): Omit<KnownServer, "identity"> | undefined;
  known(identities: readonly string[]): Promise<readonly KnownServer[]>;
};

type DiscoverOptions = {
  waitMs?: number;
  owner?: SessionOwner;
  /** Without names: only these servers. */
  among?: readonly string[];
  onProgress?: Relay["onProgress"];
};

export type ServerLifecycle = ReturnType<typeof createServerLifecycle>;

/** Starts servers and learns their tools: with the plane, on demand, and after a new configuration. */
export function createServerLifecycle(directory: ServerDirectory, options: LifecycleOptions) {
  const { find, all: allServers, enabled } = directory;
  const allNames = () => allServers().map(([name]) => name);
  const activeNames = () =>
    allServers().flatMap(([name, { isActive }]) => (isActive() ? name : []));
  const recall = createListCache(directory, options);
  let isStarted = false;

  async function start(names: readonly string[]): Promise<void> {
    if (options.isOffline) return;
    isStarted = true;
    await recall.once();
    const starting = enabled(names).filter(({ definition, isKnown }) =>
      startsWithPlane(definition, isKnown()),
    );
    await Promise.allSettled(starting.map((server) => server.connect()));
  }

  return {
    cachedListsLoaded: recall.once,
    start: () => start(allNames()),
    /** Tries the servers that start with the plane, without keeping them connected. */
    async probe(): Promise<void> {
      await recall.once();
      const eager = enabled(allNames()).filter(({ definition }) => isEager(definition));
      await Promise.allSettled(eager.filter(isNotInstalling).map((server) => server.warm()));
    },
    async warmOne(name: string): Promise<void> {
      const server = find(name);
      if (isNotInstalling(server)) await server.warm();
    },
    warm(names: readonly string[]): void {
      if (recall.hasBegun() || options.isOffline) return;
      void Promise.allSettled(enabled(names).map((server) => server.warm()));
    },
    async discover(
      names?: readonly string[],
      discoverOptions: DiscoverOptions = {},
    ): Promise<void> {
      await recall.once();
      await discoverServers(directory, names, discoverOptions);
    },
    async discoverOne(
      name: string,
      discoverOptions: Pick<DiscoverOptions, "waitMs" | "owner"> = {},
    ): Promise<void> {
      const server = find(name);
      await recall.once();
      await discoverOne(name, server, discoverOptions);
    },
    /** For a name that no list has: those that ended with an error are opened again. */
    async revive(names: readonly string[], owner: SessionOwner): Promise<void> {
      if (options.isOffline) return;
      const lost = enabled(names).filter(isNotInstalling);
      await Promise.allSettled(lost.map((server) => server.revive(owner)));
    },
    /** Would `discover` find nothing new? */
    isSettled(names: readonly string[], owner: SessionOwner): boolean {
      for (const name of names)
        if (directory.isMisconfigured(name) || !find(name).isSettled(owner)) return false;
      return recall.isDone();
    },
    /** Without `force` servers in backoff are skipped. */
    async refresh(
      names: readonly string[],
      { force = true }: { force?: boolean } = {},
    ): Promise<RefreshReport> {
      const runnable = names.filter((name) => !directory.isMisconfigured(name));
      return refreshAll(
        runnable.map((name) => ({ name, server: find(name) })),
        force,
      );
    },
    /** Without names, those that run or are to run; how each is then is in its status. */
    async restart(names?: readonly string[]): Promise<readonly string[]> {
      const chosen = names ?? activeNames();
      const restarted = await Promise.allSettled(chosen.map((name) => find(name).restart()));
      const failed = restarted.find((outcome) => outcome.status === "rejected");
      if (names && failed) throw failed.reason;
      return chosen;
    },
    /** Without `isNamed`, a server without `autoConnect` is not asked. */
    async list(
      name: string,
      method: OfferMethod,
      signal: AbortSignal,
      { isNamed, owner }: { isNamed: boolean; owner: SessionOwner },
    ): Promise<unknown[]> {
      const server = find(name);
      await recall.once();
      const { enabled: isEnabled, autoConnect } = server.definition;
      const isAsked = isNamed || (isEnabled && autoConnect);
      if (isAsked) return server.list(method, signal, owner);
      return server.offered(method, owner) ?? [];
    },
    async apply(configured: ConfiguredServers): Promise<ServersChange> {
      const active = new Set(activeNames());
      const change = await directory.apply(configured);
      const fresh = [...change.added, ...change.changed];
      if (recall.hasBegun()) await recall.again(fresh);
      const restart = enabled(change.changed.filter((name) => active.has(name)));
      void Promise.allSettled(restart.map((server) => server.connect()));
      if (isStarted) void start(fresh);
      return change;
    },
  };
}

/** From an earlier run, where the definition is the same. */
function createListCache({ all: allServers }: ServerDirectory, options: LifecycleOptions) {
  let recalled: Promise<void> | undefined;
  let isDone = false;
  async function recall(names: readonly string[]): Promise<void> {
    const named = allServers().filter(([name]) => names.includes(name));
    const cached = named.filter(([name, server]) => {
      const recorded = options.recorded?.(name);
      if (recorded) server.recall(recorded);
      return recorded === undefined;
    });
    const identified = new Map(
      cached.map(([name, server]) => [options.identify(name, server), server]),
    );
    for (const lists of await options.known([...identified.keys()]))
      identified.get(lists.identity)?.recall(lists);
  }
  return {
    again: recall,
    once(): Promise<void> {
      recalled ??= recall(allServers().map(([name]) => name)).finally(() => {
        isDone = true;
      });
      return recalled;
    },
    hasBegun: () => recalled !== undefined,
    isDone: () => isDone,
  };
}

async function discoverServers(
  { all: allServers, enabled }: ServerDirectory,
  names: readonly string[] | undefined,
  {
    among = allServers().map(([name]) => name),
    waitMs = 0,
    owner = sharedOwner,
    onProgress,
  }: DiscoverOptions,
): Promise<void> {
  // Without names, servers without autoConnect are not started, and an installer is not awaited.
  const chosen = enabled(names ?? among).filter(
    (server) => names || (server.definition.autoConnect && isNotInstalling(server)),
  );
  const discovered = Promise.allSettled(chosen.map((server) => server.discover(owner)));
  const installing = () =>
    allServers().find(([, server]) => chosen.includes(server) && !isNotInstalling(server));
  const serverName = () => installing()?.[0] ?? "";
  const since = () => installing()?.[1].installingSince() ?? null;
  const completion = onProgress
    ? reportInstalling(discovered, { server: serverName, since, onProgress })
    : discovered;
  if (waitMs === 0) await completion;
  else await Promise.race([completion, pause(waitMs, { isBackground: true })]);
}

async function discoverOne(
  name: string,
  server: Server,
  { waitMs = 0, owner = sharedOwner }: Pick<DiscoverOptions, "waitMs" | "owner">,
): Promise<void> {
  const discovery = server.discover(owner);
  if (waitMs === 0) return discovery;
  const isKnown = await Promise.race([
    discovery.then(() => true),
    pause(waitMs, { isBackground: true }).then(() => false),
  ]);
  if (isKnown) return;
  const text = `Server '${name}' did not list its tools within ${waitMs / 1000} s.`;
  throw new PlaneError("TIMEOUT", text, { data: { server: name, limitMs: waitMs } });
}

/** An installer may take minutes; its progress is reported instead. */
function isNotInstalling({ installingSince }: Pick<Server, "installingSince">): boolean {
  return installingSince() === null;
}

export async function refreshAll(
  servers: readonly { name: string; server: Server }[],
  force: boolean,
): Promise<RefreshReport> {
  const report: RefreshReport = { attempted: [], reconnected: [], still_failed: [], skipped: [] };
  const refresh = async (name: string, server: Server) => {
    const { state, nextRetryAt } = server.status();
    const reason = reasonToSkip(server, force ? null : nextRetryAt);
    if (reason !== null) return void report.skipped.push({ server: name, reason });
    report.attempted.push(name);
    try {
      await server.refresh();
      if (state !== "connected") report.reconnected.push(name);
    } catch (thrown) {
      report.still_failed.push({ server: name, reason: (thrown as Error).message });
    }
  };
  await Promise.all(servers.map(({ name, server }) => refresh(name, server)));
  return report;
}

function reasonToSkip({ definition }: Server, nextRetryAt: string | null): string | null {
  if (!definition.enabled) return "it is disabled in the configuration";
  if (nextRetryAt === null) return null;
  const waitMs = Date.parse(nextRetryAt) - Date.now();
  return waitMs > 0 ? `next try in ${Math.ceil(waitMs / 1_000)} s` : null;
}
