import { nearest } from "../lib/nearest.ts";
import { sentence } from "../lib/sentence.ts";
import { PlaneError } from "../model/errors.ts";
import type { ServerDefinition, ServerStatus, ServersChange } from "../model/server.ts";
import { compareWanted, type Wanted } from "./desired-state.ts";
import { describeUnavailable } from "./failures.ts";
import type { Server } from "./server.ts";
import { brokenStatus } from "./server-status.ts";

export type DirectoryOptions = Wanted & {
  /** `after`: the server of that name before it has stopped. */
  create(name: string, definition: ServerDefinition, after?: Promise<void>): Server;
  /** The server is not configured any more. */
  onRemoved(server: string): void;
  listed(server: string): Pick<ServerStatus, "tools" | "rejected" | "circuit">;
};

export type ServerDirectory = {
  names(): string[];
  /** The name itself, or an error that names the nearest one. */
  requireName(name: string): string;
  find(name: string): Server;
  all(): [name: string, server: Server][];
  /** Those of these names that are switched on. */
  enabled(names: Iterable<string>): Server[];
  isBroken(name: string): boolean;
  /** Why a server offers nothing, when that is so. */
  trouble(name: string): string | null;
  status(): ServerStatus[];
  /** Stops what is gone, replaces what is different, leaves the rest alone. */
  apply(wanted: Wanted): Promise<ServersChange>;
};

/** Which servers there are, and which cannot be. */
export function createServerDirectory(options: DirectoryOptions): ServerDirectory {
  const servers = new Map<string, Server>();
  let { definitions, broken } = options;
  const add = (name: string, definition: ServerDefinition, after?: Promise<void>) =>
    servers.set(name, options.create(name, definition, after));
  for (const [name, definition] of Object.entries(definitions)) add(name, definition);

  const isBroken = (name: string) => Object.hasOwn(broken, name);
  const cannotRun = (name: string) => `Server '${name}' cannot run: ${sentence(broken[name] ?? "")}`;

  function find(name: string): Server {
    const found = servers.get(name);
    if (found) return found;
    if (isBroken(name)) {
      throw new PlaneError("SERVER_UNAVAILABLE", cannotRun(name), { data: { server: name, sent: false } });
    }
    const [guess] = nearest(name, servers.keys());
    const hint =
      guess === undefined ? " 'toolplane servers list' shows which are." : ` Did you mean '${guess}'?`;
    throw new PlaneError("SERVER_NOT_FOUND", `No server '${name}' is configured.${hint}`, {
      data: { server: name },
    });
  }

  async function remove(name: string): Promise<void> {
    const leaving = servers.get(name);
    servers.delete(name);
    options.onRemoved(name);
    await leaving?.stop();
  }

  /** At once in the place of the one before, so that calls find it meanwhile; it opens nothing before that one is gone. */
  async function replace(name: string): Promise<void> {
    const definition = definitions[name];
    const stopped = remove(name);
    if (definition)
      add(
        name,
        definition,
        stopped.catch(() => undefined),
      );
    await stopped;
  }

  return {
    names: () => [...servers.keys(), ...Object.keys(broken)],
    requireName(name) {
      if (!isBroken(name)) find(name);
      return name;
    },
    find,
    all: () => [...servers],
    enabled: (names) =>
      [...names].flatMap((name) => servers.get(name) ?? []).filter((one) => one.definition.enabled),
    isBroken,
    trouble(name) {
      if (isBroken(name)) return cannotRun(name);
      const current = find(name);
      const { state, error, lastWords = null, installing } = current.status();
      if (installing) return describeUnavailable(name, "it is still being installed", null);
      const isFine = state === "connected" || state === "disabled" || (current.isKnown() && error === null);
      return isFine ? null : describeUnavailable(name, error ?? state, lastWords);
    },
    status: () => [
      ...[...servers].map(([name, current]) => ({ name, ...options.listed(name), ...current.status() })),
      ...Object.entries(broken).map(([name, reason]) => brokenStatus(name, reason)),
    ],
    async apply(wanted) {
      const change = compareWanted(definitions, wanted.definitions);
      ({ definitions, broken } = wanted);
      for (const name of change.added) {
        const definition = definitions[name];
        if (definition) add(name, definition);
      }
      await Promise.all([...change.removed.map(remove), ...change.changed.map(replace)]);
      return change;
    },
  };
}
