import { pause } from "../lib/pause.ts";
import { hash } from "../lib/stable-json.ts";
import { PlaneError } from "../model/errors.ts";
import { isObject, type UnknownObject } from "../model/json.ts";
import { anonymous, type Caller, mayDo, type Principal } from "../model/principal.ts";
import type { ServerDefinition, ServerStatus } from "../model/server.ts";
import type { Listed, ServerVerbs } from "../model/server-verbs.ts";
import { explainFailure } from "./failures.ts";
import type { OfferMethod } from "./offers.ts";
import type { Servers } from "./servers-contract.ts";

/** A whole listing, and one prompt or resource, may take this long. */
const limitMs = 60_000;

/** The same words mean another server where they are read in another directory. */
export function identifyServer(name: string, definition: ServerDefinition, directory: string): string {
  return hash({ name, definition, directory: definition.command === undefined ? null : directory });
}

/** The same whether it is hidden or not there, and without the names of others. */
export function unknownServer(server: string): PlaneError {
  return new PlaneError("SERVER_NOT_FOUND", `No server '${server}' is configured for you.`, {
    data: { server },
  });
}

/** What a server wrote is for those who may read its log. */
function statusFor(principal: Principal, status: ServerStatus): ServerStatus {
  if (mayDo(principal, "admin")) return status;
  const { lastWords: _, installing, ...open } = status;
  return installing ? { ...open, installing: { ...installing, lastLine: null } } : open;
}

/** What is known, where asking takes longer. */
function inTime(
  asked: Promise<unknown[]>,
  waitMs: number | undefined,
  known: () => unknown[] | null,
): Promise<unknown[]> {
  if (waitMs === undefined) return asked;
  const late = pause(waitMs, { isBackground: true }).then(() => known() ?? []);
  return Promise.race([asked, late]);
}

/** What can be asked of the servers beside calling their tools. */
export function createServerVerbs(
  servers: Servers,
  defaultPrincipal: Principal = anonymous,
  maySee: (principal: Principal, server: string) => boolean = () => true,
  /** A person has taken care of these. */
  trust: (servers: readonly string[]) => void = () => undefined,
): ServerVerbs {
  const requireSeen = (server: string, principal: Principal): string => {
    if (maySee(principal, server)) return servers.requireName(server);
    throw unknownServer(server);
  };
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
      const items = inTime(servers.list(name, method, signal, isNamed), waitMs, () =>
        servers.offered(name, method),
      );
      // Asked of all, a server that cannot is left out; asked of one, it says why.
      return (await (isNamed ? items : items.catch(() => [])))
        .filter(isObject)
        .map((item) => ({ ...item, server: name }));
    });
    return (await Promise.all(listed)).flat();
  }
  const ask = (server: string, method: string, what: string, params: UnknownObject) =>
    servers.request(server, method, params, { signal: AbortSignal.timeout(limitMs) }).catch((thrown) => {
      throw explainFailure(thrown, server, what);
    });

  return {
    async servers({ connect = false, principal = defaultPrincipal } = {}) {
      if (connect) await servers.probe();
      const seen = servers.status().filter(({ name }) => maySee(principal, name));
      return seen.map((status) => statusFor(principal, status));
    },
    async server(name, { connect = false, principal = defaultPrincipal } = {}) {
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
      // Of a server that never ran there is nothing to tell.
      const name = requireSeen(server, principal);
      if (connect) {
        await servers.warmOne(name).catch(() => undefined);
        // What it wrote before it answered comes another way, and may be heard right after the answer.
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
    prompts: (server, caller) => list("prompts/list", server, caller),
    prompt: (server, name, args = {}) => ask(server, "prompts/get", name, { name, arguments: args }),
    resources: (server, caller) => list("resources/list", server, caller),
    resourceTemplates: (server, caller) => list("resources/templates/list", server, caller),
    resource: (server, uri) => ask(server, "resources/read", uri, { uri }),
  };
}
