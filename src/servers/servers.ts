import { nearest } from "../lib/nearest.ts";
import { sentence } from "../lib/sentence.ts";
import { PlaneError } from "../model/errors.ts";
import type { PlaneEvent } from "../model/events.ts";
import type { UnknownObject } from "../model/json.ts";
import type { ServerDefinition, ServerStatus } from "../model/server.ts";
import type { RequestOptions } from "../protocol/peer.ts";
import { type Connection, createConnection } from "./connection.ts";

export type ServersOptions = {
  definitions: Readonly<Record<string, ServerDefinition>>;
  /** Configured, but unusable as configured. */
  broken: Readonly<Record<string, string>>;
  environment: Readonly<Record<string, string | undefined>>;
  emit(event: PlaneEvent): void;
  onTools(server: string, definition: ServerDefinition, tools: unknown[]): number;
  listed(server: string): Pick<ServerStatus, "tools" | "rejected">;
};

export type Servers = {
  names(): string[];
  connect(name: string): Promise<void>;
  /** Tries them all at once; a server that fails delays and fails nobody else. */
  connectAll(names?: readonly string[]): Promise<void>;
  request(name: string, method: string, params: UnknownObject, options: RequestOptions): Promise<unknown>;
  /** Why a server offers nothing, when that is so. */
  trouble(name: string): string | null;
  status(): ServerStatus[];
  stop(): Promise<void>;
};

export function createServers(options: ServersOptions): Servers {
  const { definitions, broken, environment, emit } = options;
  const connections = new Map<string, Connection>();
  for (const [name, definition] of Object.entries(definitions)) {
    const onTools = (tools: unknown[]) => options.onTools(name, definition, tools);
    connections.set(name, createConnection({ name, definition, environment, emit, onTools }));
  }

  function connection(name: string): Connection {
    const found = connections.get(name);
    if (found) return found;
    if (broken[name] !== undefined) {
      throw new PlaneError("SERVER_UNAVAILABLE", `Server '${name}' cannot run: ${sentence(broken[name])}`, {
        data: { server: name, sent: false },
      });
    }
    const [guess] = nearest(name, connections.keys());
    const hint = guess === undefined ? "" : ` Did you mean '${guess}'?`;
    throw new PlaneError("SERVER_NOT_FOUND", `No server '${name}' is configured.${hint}`, {
      data: { server: name },
    });
  }

  function statusOf(name: string, current: Connection): ServerStatus {
    const { state, error, nextRetryAt, live } = current.snapshot();
    const { tools, rejected } = options.listed(name);
    return {
      name,
      state,
      transport: definitions[name]?.transport ?? null,
      protocolVersion: live?.info.protocolVersion ?? null,
      tools,
      stale: tools > 0 && live === null,
      error,
      nextRetryAt: nextRetryAt === null ? null : new Date(nextRetryAt).toISOString(),
      pid: live?.channel.pid ?? null,
      rejected,
    };
  }

  return {
    names: () => [...connections.keys(), ...Object.keys(broken)],
    connect: async (name) => connection(name).connect(),
    async connectAll(names = [...connections.keys()]) {
      const wanted = names.filter((name) => definitions[name]?.enabled);
      await Promise.allSettled(wanted.map((name) => connection(name).connect()));
    },
    request: async (name, method, params, requestOptions) =>
      connection(name).request(method, params, requestOptions),
    trouble(name) {
      if (broken[name] !== undefined) return `Server '${name}' cannot run: ${sentence(broken[name])}`;
      const { state, error } = connection(name).snapshot();
      const isFine = state === "connected" || state === "disabled";
      return isFine ? null : `Server '${name}' is not available: ${sentence(error ?? state)}`;
    },
    status: () => [
      ...[...connections].map(([name, current]) => statusOf(name, current)),
      ...Object.entries(broken).map(([name, reason]) => brokenStatus(name, reason)),
    ],
    stop: async () => void (await Promise.all([...connections.values()].map((current) => current.close()))),
  };
}

function brokenStatus(name: string, reason: string): ServerStatus {
  return {
    name,
    state: "config_error",
    transport: null,
    protocolVersion: null,
    tools: 0,
    stale: false,
    error: reason,
    nextRetryAt: null,
    pid: null,
    rejected: [],
  };
}
