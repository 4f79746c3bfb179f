import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { hash } from "./lib/stable-json.ts";
import { isObject, type UnknownObject } from "./model/json.ts";
import type { Listed, Plane } from "./model/plane.ts";
import { nobody, type Principal } from "./model/principal.ts";
import type { ServerDefinition } from "./model/server.ts";
import type { ListMethod } from "./protocol/list-all.ts";
import { explainFailure } from "./providers/mcp.ts";
import type { Servers } from "./servers/servers.ts";

/** A whole listing, and one prompt or resource, may take this long. */
const limitMs = 60_000;

/** The same words mean another server where they are read in another directory. */
export function identifyServer(name: string, definition: ServerDefinition, directory: string): string {
  return hash({ name, definition, directory: definition.command === undefined ? null : directory });
}

/** Roots may be written as paths, from where their file stands. */
export function withRoots(definition: ServerDefinition, directory: string): ServerDefinition {
  if (definition.roots.length === 0) return definition;
  const roots = definition.roots.map((root) =>
    /^[a-z][a-z0-9+.-]*:\/\//i.test(root) ? root : pathToFileURL(resolve(directory, root)).href,
  );
  return { ...definition, roots };
}

type ServerVerbs = Pick<
  Plane,
  | "server"
  | "ping"
  | "connect"
  | "disconnect"
  | "refresh"
  | "logs"
  | "poolInfo"
  | "clearCaches"
  | "prompts"
  | "prompt"
  | "resources"
  | "resourceTemplates"
  | "resource"
>;

/** What can be asked of the servers beside calling their tools. */
export function createServerVerbs(servers: Servers, everybody: Principal = nobody): ServerVerbs {
  async function list(method: ListMethod, server: string | undefined): Promise<Listed[]> {
    const signal = AbortSignal.timeout(limitMs);
    const names = server === undefined ? servers.names() : [servers.requireName(server)];
    const listed = names.map(async (name): Promise<Listed[]> => {
      const items = servers.list(name, method, signal);
      // Asked of all, a server that cannot is left out; asked of one, it says why.
      return (await (server === undefined ? items.catch(() => []) : items))
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
    async server(name, { connect = false } = {}) {
      const required = servers.requireName(name);
      if (connect) await servers.warmOne(name).catch(() => undefined);
      return servers.status().find((status) => status.name === required) as Awaited<
        ReturnType<Plane["server"]>
      >;
    },
    ping: (server) => servers.check(server, AbortSignal.timeout(limitMs)),
    connect: servers.connect,
    disconnect: servers.disconnect,
    refresh: async (server, options) =>
      servers.refresh(server === undefined ? servers.names() : [servers.requireName(server)], options),
    async logs(server, { connect = false, principal = everybody } = {}) {
      // Of a server that never ran there is nothing to tell.
      if (connect) await servers.warmOne(servers.requireName(server)).catch(() => undefined);
      return servers.logs(server, principal.user);
    },
    poolInfo: servers.pool,
    clearCaches: servers.clear,
    prompts: (server) => list("prompts/list", server),
    prompt: (server, name, args = {}) => ask(server, "prompts/get", name, { name, arguments: args }),
    resources: (server) => list("resources/list", server),
    resourceTemplates: (server) => list("resources/templates/list", server),
    resource: (server, uri) => ask(server, "resources/read", uri, { uri }),
  };
}
