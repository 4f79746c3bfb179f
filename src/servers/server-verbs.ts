import { pause } from "../lib/async/pause.ts";
import { passesFilter } from "../lib/text/glob.ts";
import { isObject, type UnknownObject } from "../model/json.ts";
import type { Listed, PlanePrompts, PlaneResources, PlaneServers } from "../model/plane-tools.ts";
import { type Caller, mayDo, type Principal } from "../model/principal.ts";
import type { ServerStatus } from "../model/servers/server.ts";
import { unknownServer } from "./failures.ts";
import type { OfferMethod } from "./server-catalogue.ts";
import type { ServerDirectory } from "./server-directory.ts";
import type { ServerLifecycle } from "./server-lifecycle.ts";

type KnownServers = Omit<ServerDirectory, "apply"> & ServerLifecycle;

/** For a whole listing. */
const limitMs = 60_000;

/** Output of a server is for administrators. */
function statusFor(principal: Principal, status: ServerStatus): ServerStatus {
  if (mayDo(principal, "admin")) return status;
  const { stderrTail: _, installing, ...open } = status;
  return installing ? { ...open, installing: { ...installing, lastLine: null } } : open;
}

export type VerbOptions = {
  defaultPrincipal: Principal;
  maySee(principal: Principal, server: string): boolean;
  /** A person connected or refreshed these: their circuit breakers are closed. */
  trust(servers: readonly string[]): void;
};

type ServerVerbs = {
  servers: Omit<PlaneServers, "locked" | "forward" | "wantLogs" | "sees" | "instructions" | "onMessage">;
  prompts: Pick<PlanePrompts, "list">;
  resources: Pick<PlaneResources, "list" | "templates">;
};

export function createServerVerbs(servers: KnownServers, options: VerbOptions): ServerVerbs {
  const { defaultPrincipal, maySee, trust } = options;
  const requireSeen = seenBy(servers, maySee);
  const listOf =
    (method: OfferMethod): PlanePrompts["list"] =>
    (server, caller = {}) =>
      listOffers(servers, options, method, server, caller);

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
    },
    resources: {
      list: listOf("resources/list"),
      templates: listOf("resources/templates/list"),
    },
  };
}

/** A hidden server is unknown to the caller. */
function seenBy({ requireName }: Pick<ServerDirectory, "requireName">, maySee: VerbOptions["maySee"]) {
  return (server: string, principal: Principal): string => {
    if (maySee(principal, server)) return requireName(server);
    throw unknownServer(server);
  };
}

/** `deny_tools` names them as rules do: `prompts/NAME`, `resources/URI`. */
function isShown(
  method: OfferMethod,
  { name, uri, uriTemplate }: UnknownObject,
  deny: readonly string[] | null,
): boolean {
  const what = method === "prompts/list" ? `prompts/${name}` : `resources/${uri ?? uriTemplate}`;
  return passesFilter(what, null, deny);
}

/** Of one server, or of all that the caller may see; those that fail are left out then. */
async function listOffers(
  servers: KnownServers,
  { defaultPrincipal, maySee }: VerbOptions,
  method: OfferMethod,
  server: string | undefined,
  { principal = defaultPrincipal, waitMs }: Caller & { waitMs?: number },
): Promise<Listed[]> {
  const signal = AbortSignal.timeout(limitMs);
  const isNamed = server !== undefined;
  const names = isNamed
    ? [seenBy(servers, maySee)(server, principal)]
    : servers.names().filter((name) => maySee(principal, name));
  // The main session has the credentials of the default principal.
  const owner = { user: principal.user === defaultPrincipal.user ? null : principal.user, conversation: null };
  const listOne = async (name: string): Promise<Listed[]> => {
    const asked = servers.list(name, method, signal, { isNamed, owner });
    const known = async () => servers.offered(name, method, owner) ?? [];
    // The cached list, where asking takes longer.
    const items =
      waitMs === undefined ? asked : Promise.race([asked, pause(waitMs, { isBackground: true }).then(known)]);
    const listed = await (isNamed ? items : items.catch(() => []));
    return listed
      .filter(isObject)
      .filter((item) => isShown(method, item, servers.denied(name)))
      .map((item) => ({ ...item, server: name }));
  };
  return (await Promise.all(names.map(listOne))).flat();
}
