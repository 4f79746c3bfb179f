import { nearest } from "../lib/nearest.ts";
import { sentence } from "../lib/sentence.ts";
import { stableJson } from "../lib/stable-json.ts";
import { PlaneError } from "../model/errors.ts";
import type { PlaneEvent } from "../model/events.ts";
import type { UnknownObject } from "../model/json.ts";
import type { ServerDefinition, ServerStatus, ServersChange } from "../model/server.ts";
import type { RequestOptions } from "../protocol/peer.ts";
import { type Connection, createConnection } from "./connection.ts";

/** What the configuration says: servers that can run, and those that cannot with the reason. */
export type Wanted = {
  definitions: Readonly<Record<string, ServerDefinition>>;
  broken: Readonly<Record<string, string>>;
};

export type ServersOptions = Wanted & {
  environment: Readonly<Record<string, string | undefined>>;
  /** Turns references to secrets into secrets, when they are needed. */
  resolveSecrets(name: string, definition: ServerDefinition): Promise<ServerDefinition>;
  /** Values that must not be told in any message, beside those of the definition itself. */
  secretValues(): readonly string[];
  emit(event: PlaneEvent): void;
  onTools(server: string, definition: ServerDefinition, tools: unknown[]): number;
  /** The server is not configured any more. */
  onRemoved(server: string): void;
  listed(server: string): Pick<ServerStatus, "tools" | "rejected">;
};

export type Servers = {
  names(): string[];
  /** The name itself, or an error that names the nearest one. */
  requireName(name: string): string;
  connect(name: string): Promise<void>;
  /** Tries them all at once; a server that fails delays and fails nobody else. */
  connectAll(names?: readonly string[]): Promise<void>;
  request(name: string, method: string, params: UnknownObject, options: RequestOptions): Promise<unknown>;
  /** Why a server offers nothing, when that is so. */
  trouble(name: string): string | null;
  status(): ServerStatus[];
  /** Stops what is gone, replaces what is different, leaves the rest alone. */
  apply(wanted: Wanted): Promise<ServersChange>;
  stop(): Promise<void>;
};

export function createServers(options: ServersOptions): Servers {
  const connections = new Map<string, Connection>();
  let { definitions, broken } = options;

  const add = (name: string, definition: ServerDefinition) => {
    const onTools = (tools: unknown[]) => options.onTools(name, definition, tools);
    connections.set(name, createConnection({ ...options, name, definition, onTools }));
  };
  for (const [name, definition] of Object.entries(definitions)) add(name, definition);

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

  async function remove(name: string): Promise<void> {
    const leaving = connections.get(name);
    connections.delete(name);
    options.onRemoved(name);
    await leaving?.close();
  }

  async function apply(wanted: Wanted): Promise<ServersChange> {
    const change = compare(definitions, wanted.definitions);
    const running = new Set(
      [...connections].filter(([, { snapshot }]) => snapshot().live).map(([name]) => name),
    );
    definitions = wanted.definitions;
    broken = wanted.broken;
    await Promise.all([...change.removed, ...change.changed].map(remove));
    for (const name of [...change.added, ...change.changed]) {
      const definition = definitions[name];
      if (definition) add(name, definition);
    }
    const restart = change.changed.filter((name) => running.has(name));
    const start = change.added.filter((name) => definitions[name]?.autoConnect);
    void connectAll([...restart, ...start]);
    return change;
  }

  async function connectAll(names: readonly string[] = [...connections.keys()]): Promise<void> {
    const able = names.filter((name) => definitions[name]?.enabled);
    await Promise.allSettled(able.map(async (name) => connection(name).connect()));
  }

  return {
    names: () => [...connections.keys(), ...Object.keys(broken)],
    requireName(name) {
      if (broken[name] === undefined) connection(name);
      return name;
    },
    connect: async (name) => connection(name).connect(),
    connectAll,
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
    apply,
    stop: async () => void (await Promise.all([...connections.values()].map((current) => current.close()))),
  };
}

function compare(before: Wanted["definitions"], after: Wanted["definitions"]): ServersChange {
  const shared = Object.keys(after).filter((name) => before[name] !== undefined);
  const isSame = (name: string) => stableJson(before[name]) === stableJson(after[name]);
  return {
    added: Object.keys(after).filter((name) => before[name] === undefined),
    removed: Object.keys(before).filter((name) => after[name] === undefined),
    changed: shared.filter((name) => !isSame(name)),
    unchanged: shared.filter(isSame),
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
