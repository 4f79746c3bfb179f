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
  const { find, all, enabled } = directory;
  const allNames = () => all().map(([name]) => name);
  const recall = createListCache(directory, options);
  let isStarted = false;

  async function start(names: readonly string[]): Promise<void> {
    if (options.isOffline) return;
    isStarted = true;
    await recall.once();
    const starting = enabled(names).filter(({ definition, isKnown }) =>
      startsWithPlane(definition, isKnown()),
    );
    await Promise.allSettled(starting.map((one) => one.connect()));
  }

  return {
    cachedListsLoaded: recall.once,
    start: () => start(allNames()),
    /** Tries the servers that start with the plane, without keeping them connected. */
    async probe(): Promise<void> {
      await recall.once();
      const eager = enabled(allNames()).filter(({ definition }) => isEager(definition));
      await Promise.allSettled(eager.filter(isNotInstalling).map((one) => one.warm()));
    },
    async warmOne(name: string): Promise<void> {
      const one = find(name);
      if (isNotInstalling(one)) await one.warm();
    },
    warm(names: readonly string[]): void {
      if (recall.hasBegun() || options.isOffline) return;
      void Promise.allSettled(enabled(names).map((one) => one.warm()));
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
      const one = find(name);
      await recall.once();
      await discoverOne(name, one, discoverOptions);
    },
    /** For a name that no list has: those that ended with an error are opened again. */
    async revive(names: readonly string[], owner: SessionOwner): Promise<void> {
      if (options.isOffline) return;
      const lost = enabled(names).filter(isNotInstalling);
      await Promise.allSettled(lost.map((one) => one.revive(owner)));
    },
    /** Would `discover` find nothing new? */
    isSettled(names: readonly string[], owner: SessionOwner): boolean {
      for (const name of names)
        if (directory.isBroken(name) || !find(name).isSettled(owner)) return false;
      return recall.isDone();
    },
    /** Without `force` servers in backoff are skipped. */
    async refresh(
      names: readonly string[],
      { force = true }: { force?: boolean } = {},
    ): Promise<RefreshReport> {
      const runnable = names.filter((name) => !directory.isBroken(name));
      return refreshAll(
        runnable.map((name) => ({ name, server: find(name) })),
        force,
      );
    },
    /** Without names, those that run or are to run; how each is then is in its status. */
    async restart(names?: readonly string[]): Promise<readonly string[]> {
      const active = () => all().flatMap(([name, { isActive }]) => (isActive() ? name : []));
      const chosen = names ?? active();
      const restarted = await Promise.allSettled(chosen.map((name) => find(name).restart()));
      const failed = restarted.find((one) => one.status === "rejected");
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
      const one = find(name);
      await recall.once();
      const { enabled: isEnabled, autoConnect } = one.definition;
      const isAsked = isNamed || (isEnabled && autoConnect);
      return isAsked ? one.list(method, signal, owner) : (one.offered(method, owner) ?? []);
    },
    async apply(configured: ConfiguredServers): Promise<ServersChange> {
      const active = new Set(all().flatMap(([name, { isActive }]) => (isActive() ? name : [])));
      const change = await directory.apply(configured);
      const fresh = [...change.added, ...change.changed];
      if (recall.hasBegun()) await recall.again(fresh);
      const restart = enabled(change.changed.filter((name) => active.has(name)));
      void Promise.allSettled(restart.map((one) => one.connect()));
      if (isStarted) void start(fresh);
      return change;
    },
  };
}

/** From an earlier run, where the definition is the same. */
function createListCache({ all }: ServerDirectory, options: LifecycleOptions) {
  let recalled: Promise<void> | undefined;
  let isDone = false;
  async function again(names: readonly string[]): Promise<void> {
    const named = all().filter(([name]) => names.includes(name));
    const cached = named.filter(([name, server]) => {
      const recorded = options.recorded?.(name);
      if (recorded) server.recall(recorded);
      return recorded === undefined;
    });
    const identified = new Map(
      cached.map(([name, server]) => [options.identify(name, server), server]),
    );
    for (const known of await options.known([...identified.keys()]))
      identified.get(known.identity)?.recall(known);
  }
  return {
    again,
    once(): Promise<void> {
      recalled ??= again(all().map(([name]) => name)).finally(() => {
        isDone = true;
      });
      return recalled;
    },
    hasBegun: () => recalled !== undefined,
    isDone: () => isDone,
  };
}

async function discoverServers(
  { all, enabled }: ServerDirectory,
  names: readonly string[] | undefined,
  {
    among = all().map(([name]) => name),
    waitMs = 0,
    owner = sharedOwner,
    onProgress,
  }: DiscoverOptions,
): Promise<void> {
  // Without names, servers without autoConnect are not started, and an installer is not awaited.
  const asked = enabled(names ?? among).filter(
    (one) => names || (one.definition.autoConnect && isNotInstalling(one)),
  );
  const discovered = Promise.allSettled(asked.map((one) => one.discover(owner)));
  const installing = () => all().find(([, one]) => asked.includes(one) && !isNotInstalling(one));
  const server = () => installing()?.[0] ?? "";
  const since = () => installing()?.[1].installingSince() ?? null;
  const known = onProgress
    ? reportInstalling(discovered, { server, since, onProgress })
    : discovered;
  await (waitMs === 0 ? known : Promise.race([known, pause(waitMs, { isBackground: true })]));
}

async function discoverOne(
  name: string,
  server: Server,
  { waitMs = 0, owner = sharedOwner }: Pick<DiscoverOptions, "waitMs" | "owner">,
): Promise<void> {
  const known = server.discover(owner);
  if (waitMs === 0) return known;
  const isKnown = await Promise.race([
    known.then(() => true),
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
  const waitMs = nextRetryAt === null ? 0 : Date.parse(nextRetryAt) - Date.now();
  return waitMs > 0 ? `next try in ${Math.ceil(waitMs / 1_000)} s` : null;
}
