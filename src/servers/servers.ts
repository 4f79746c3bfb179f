import { pause } from "../lib/pause.ts";
import { runAll } from "../lib/run-all.ts";
import { hash } from "../lib/stable-json.ts";
import { PlaneError } from "../model/errors.ts";
import { isEager, startsWithPlane } from "./desired-state.ts";
import { tellWhileInstalling } from "./installer.ts";
import { createProcessGuard } from "./process-guard.ts";
import { refreshServers } from "./refresh.ts";
import { createServer, type Server } from "./server.ts";
import { createServerDirectory } from "./server-directory.ts";
import type { Servers, ServersOptions } from "./servers-contract.ts";
import { nobodysSession } from "./sessions.ts";

export function createServers(options: ServersOptions): Servers {
  const guard = createProcessGuard();
  let lastTurn = Promise.resolve();
  const turn = () => {
    lastTurn = lastTurn.then(() => new Promise(setImmediate));
    return lastTurn;
  };
  let recalled: Promise<void> | undefined;
  let hasRecalled = false;
  let isStarted = false;

  const directory = createServerDirectory({
    ...options,
    create: (name, definition, after) =>
      createServer({
        ...options,
        name,
        definition,
        after,
        guard,
        turn,
        capabilities: options.capabilities ?? {},
        onSaid: (user, method, params) => options.onSaid?.({ server: name, user, method, params }),
        isPersonal: () => options.isPersonal(definition),
        access: (user, resolved) => options.access(name, resolved, user),
        onTools: (tools, era) => options.onTools(name, definition, tools, era),
        recalled: recallOnce,
        onKnown: (known) =>
          options.onKnown({ ...known, identity: options.identify(name, definition) }, name, definition),
      }),
  });
  const { find, all, enabled } = directory;
  const allNames = () => all().map(([name]) => name);
  const chosen = (name: string | undefined) =>
    name === undefined ? all().map(([, one]) => one) : [find(name)];

  /** What was known the last time, as far as the definition is still the same. */
  async function recall(names: readonly string[]): Promise<void> {
    const identified = new Map(
      all()
        .filter(([name]) => names.includes(name))
        .map(([name, current]) => [options.identify(name, current.definition), current]),
    );
    for (const known of await options.known([...identified.keys()])) {
      identified.get(known.identity)?.recall(known);
    }
  }
  function recallOnce(): Promise<void> {
    recalled ??= recall(allNames()).finally(() => {
      hasRecalled = true;
    });
    return recalled;
  }

  async function start(names: readonly string[]): Promise<void> {
    if (options.isOffline) return;
    isStarted = true;
    await recallOnce();
    const wanted = enabled(names).filter(({ definition, isKnown }) => startsWithPlane(definition, isKnown()));
    await Promise.allSettled(wanted.map((one) => one.connect()));
  }

  return {
    ...directory,
    start: () => start(allNames()),
    connect: async (name) => find(name).connect(),
    disconnect: async (name) => find(name).disconnect(),
    async probe() {
      await recallOnce();
      const eager = enabled(allNames()).filter(({ definition }) => isEager(definition));
      await Promise.allSettled(eager.filter(isWorthWaiting).map((one) => one.warm()));
    },
    async warmOne(name) {
      const one = find(name);
      if (isWorthWaiting(one)) await one.warm();
    },
    warm(names) {
      if (!recalled && !options.isOffline) void Promise.allSettled(enabled(names).map((one) => one.warm()));
    },
    async discover(names, options = {}) {
      const { waitMs = 0, owner = nobodysSession, among = allNames(), onProgress } = options;
      await recallOnce();
      // A look at everything leaves those alone that wait to be named, and does not wait for an installer.
      const meant = enabled(names ?? among).filter(
        (one) => names || (one.definition.autoConnect && isWorthWaiting(one)),
      );
      const asked = Promise.allSettled(meant.map((one) => one.discover(owner)));
      const installing = () => all().find(([, one]) => meant.includes(one) && one.installingSince() !== null);
      const known = onProgress
        ? tellWhileInstalling(asked, {
            server: () => installing()?.[0] ?? "",
            since: () => installing()?.[1].installingSince() ?? null,
            onProgress,
          })
        : asked;
      await (waitMs === 0 ? known : Promise.race([known, pause(waitMs, { isBackground: true })]));
    },
    isSettled(names, owner) {
      for (const name of names) if (directory.isBroken(name) || !find(name).isSettled(owner)) return false;
      return hasRecalled;
    },
    async discoverOne(name, { waitMs = 0, owner = nobodysSession } = {}) {
      const one = find(name);
      await recallOnce();
      const known = one.discover(owner);
      if (waitMs === 0) return known;
      const isKnown = await Promise.race([
        known.then(() => true),
        pause(waitMs, { isBackground: true }).then(() => false),
      ]);
      if (isKnown) return;
      const text = `Server '${name}' did not list its tools within ${waitMs / 1000} s.`;
      throw new PlaneError("TIMEOUT", text, { data: { server: name, limitMs: waitMs } });
    },
    refresh: async (names, { force = true } = {}) =>
      refreshServers(
        names.filter((name) => !directory.isBroken(name)).map((name) => ({ name, server: find(name) })),
        force,
      ),
    request(name, method, params, requestOptions, owner = nobodysSession) {
      try {
        return find(name).request(method, params, requestOptions, owner);
      } catch (thrown) {
        return Promise.reject(thrown);
      }
    },
    check: async (name, signal) => find(name).check(signal),
    async list(name, method, signal, isNamed) {
      const one = find(name);
      await recallOnce();
      const { enabled: isEnabled, autoConnect } = one.definition;
      const isMeant = isNamed || (isEnabled && autoConnect);
      return isMeant ? one.list(method, signal) : (one.offered(method) ?? []);
    },
    offered: (name, method) => (directory.isBroken(name) ? null : find(name).offered(method)),
    session: (name) => (directory.isBroken(name) ? null : find(name).session()),
    requirement: (name) => (directory.isBroken(name) ? null : find(name).requirement()),
    logs: (name, user) => find(name).logs(user),
    followLogs: (name, user, listener) => find(name).followLogs(user, listener),
    forgetUser: async (name, user, isMainUser) => find(name).forgetUser(user, isMainUser),
    pool() {
      const sessions = all().flatMap(([name, { definition, sessionOwners }]) =>
        sessionOwners().map((owner) => ({ server: name, key: hash({ name, owner, of: definition }) })),
      );
      return { size: sessions.length, sessions };
    },
    clear: async (name) => sum(await Promise.all(chosen(name).map((one) => one.clear()))),
    release: async (belongs, reason, name) =>
      sum(await Promise.all(chosen(name).map((one) => one.release(belongs, reason)))),
    async apply(wanted) {
      const running = new Set(all().flatMap(([name, { isWanted }]) => (isWanted() ? name : [])));
      const change = await directory.apply(wanted);
      const fresh = [...change.added, ...change.changed];
      if (recalled) await recall(fresh);
      const restart = enabled(change.changed.filter((name) => running.has(name)));
      void Promise.allSettled(restart.map((one) => one.connect()));
      if (isStarted) void start(fresh);
      return change;
    },
    stop: () => runAll([all().map(([, one]) => one.stop), guard.stop]),
  };
}

/** An installer that was at work before may take minutes; how far it is can be told at once. */
function isWorthWaiting({ installingSince }: Pick<Server, "installingSince">): boolean {
  return installingSince() === null;
}

function sum(counts: readonly number[]): number {
  return counts.reduce((total, count) => total + count, 0);
}
