import { pause } from "../lib/async/pause.ts";
import { isObject, type UnknownObject } from "../model/json.ts";
import type { Listed, PlanePrompts, PlaneResources, PlaneServers } from "../model/plane-tools.ts";
import { type Caller, mayDo, type Principal } from "../model/principal.ts";
import type { ServerStatus } from "../model/servers/server.ts";

import { explainFailure, unknownServer } from "./failures.ts";
import type { OfferMethod } from "./offers.ts";
import type { ServerDirectory } from "./server-directory.ts";
import type { ServerLifecycle } from "./server-lifecycle.ts";

type KnownServers = Omit<ServerDirectory, "apply"> & ServerLifecycle;

/** For a whole listing, and for one prompt or resource. */
const limitMs = 60_000;

/** Output of a server is for administrators. */
function statusFor(principal: Principal, status: ServerStatus): ServerStatus {
  if (mayDo(principal, "admin")) return status;
  const { stderrTail: _, installing, ...open } = status;
  return installing ? { ...open, installing: { ...installing, lastLine: null } } : open;
}

/** The cached list, where asking takes longer. */
function inTime(
  asked: Promise<unknown[]>,
  waitMs: number | undefined,
  known: () => unknown[] | null,
): Promise<unknown[]> {
  if (waitMs === undefined) return asked;
  const late = pause(waitMs, { isBackground: true }).then(() => known() ?? []);
  return Promise.race([asked, late]);
}

export type VerbOptions = {
  defaultPrincipal: Principal;
  maySee(principal: Principal, server: string): boolean;
  /** A person connected or refreshed these: their circuit breakers are closed. */
  trust(servers: readonly string[]): void;
};

type ServerVerbs = {
  servers: Omit<PlaneServers, "locked" | "forward" | "wantLogs" | "sees" | "instructions" | "onMessage">;
  prompts: PlanePrompts;
  resources: Omit<PlaneResources, "watch">;
};

export function createServerVerbs(servers: KnownServers, options: VerbOptions): ServerVerbs {
  const { defaultPrincipal, maySee, trust } = options;
  const requireSeen = (server: string, principal: Principal): string => {
    if (maySee(principal, server)) return servers.requireName(server);
    throw unknownServer(server);
  };
  const listOf = createLists(servers, options, requireSeen);
  const ask = (server: string, method: string, what: string, params: UnknownObject) =>
    servers.request(server, method, params, { signal: AbortSignal.timeout(limitMs) }).catch((thrown) => {
      throw explainFailure(thrown, server, what);
    });

  return {
    servers: {
      async list({ connect = false, principal = defaultPrincipal } = {}) {
        if (connect) await servers.probe();
        const seen = servers.status().filter(({ name }) => maySee(principal, name));
        return seen.map((status) => statusFor(principal, status));
      },
      async get(name, { connect = false, principal = defaultPrincipal } = {}) {
        const required = requireSeen(name, principal);
        if (connect) await servers.warmOne(name).catch(() => undefined);
        const found = servers.status().find((status) => status.name === required) as ServerStatus;
        return statusFor(principal, found);
      },
      ping: (server) => servers.check(server, AbortSignal.timeout(limitMs)),
      async connect(server) {
        await servers.connect(server);
        trust([server]);
      },
      disconnect: servers.disconnect,
      async refresh(server, options) {
        if (server === undefined) return servers.refresh(servers.names(), options);
        const report = await servers.refresh([servers.requireName(server)], options);
        trust([server]);
        return report;
      },
      async logs(server, { connect = false, principal = defaultPrincipal } = {}) {
        const name = requireSeen(server, principal);
        if (connect) {
          await servers.warmOne(name).catch(() => undefined);
          // Stderr may arrive right after the answer.
          await new Promise(setImmediate);
        }
        return servers.logs(server, principal.user);
      },
      followLogs(server, listener, { principal = defaultPrincipal } = {}) {
        const name = requireSeen(server, principal);
        const stop = servers.followLogs(name, principal.user, listener);
        return { lines: servers.logs(name, principal.user), stop };
      },
      poolInfo: servers.pool,
      clearCaches: servers.clear,
    },
    prompts: {
      list: listOf("prompts/list"),
      get: (server, name, args = {}) => ask(server, "prompts/get", name, { name, arguments: args }),
    },
    resources: {
      list: listOf("resources/list"),
      templates: listOf("resources/templates/list"),
      read: (server, uri) => ask(server, "resources/read", uri, { uri }),
    },
  };
}

/** Of one server, or of all that the caller may see. */
function createLists(
  servers: KnownServers,
  { defaultPrincipal, maySee }: VerbOptions,
  requireSeen: (server: string, principal: Principal) => string,
) {
  async function list(
    method: OfferMethod,
    server: string | undefined,
    { principal = defaultPrincipal, waitMs }: Caller & { waitMs?: number } = {},
  ): Promise<Listed[]> {
    const signal = AbortSignal.timeout(limitMs);
    const names =
      server === undefined
        ? servers.names().filter((name) => maySee(principal, name))
        : [requireSeen(server, principal)];
    const listed = names.map(async (name): Promise<Listed[]> => {
      const isNamed = server !== undefined;
      const items = inTime(servers.list(name, method, signal, isNamed), waitMs, () => servers.offered(name, method));
      // Without a name, servers that fail are left out.
      return (await (isNamed ? items : items.catch(() => [])))
        .filter(isObject)
        .map((item) => ({ ...item, server: name }));
    });
    return (await Promise.all(listed)).flat();
  }
  return (method: OfferMethod): PlanePrompts["list"] =>
    (server, caller) =>
      list(method, server, caller);
}
