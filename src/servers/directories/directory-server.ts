import { PlaneError } from "../../model/errors.ts";
import type { ServerDefinition } from "../../model/servers/server.ts";
import type { ServerInstance } from "../../model/servers/server-schema.ts";
import { notSent } from "../failures.ts";
import type { Server } from "../server.ts";
import type { CachedLists } from "../server-catalogue.ts";
import { brokenStatus } from "../server-status.ts";
import { type SessionOwner, sharedOwner } from "../sessions.ts";

/** Each may be a process. */
export const maxInstances = 16;

type DirectoryServerOptions = {
  name: string;
  definition: ServerDefinition;
  /** Where callers work who do not say it; null where the plane belongs to no directory. */
  home: string | null;
  /** Nothing is started, so nothing has to be trusted. */
  isOffline: boolean;
  /** Null where a person trusts the directory for it. */
  whyNot(directory: string): { what: string; remedy: string } | null;
  /** It starts nothing before it is asked. */
  create(directory: string): Server;
  /** What it listed there is no longer offered. */
  onEnded(directory: string): void;
};

/**
 * A server that works in the directory of its caller: one server for each directory, made when a caller asks there and
 * a person trusts the directory for it. To the rest of the plane it is one.
 */
export function createDirectoryServer(options: DirectoryServerOptions): Server {
  const { definition, home } = options;
  const instances = createInstances(options);
  const { all, at, known } = instances;
  const each = async (use: (one: Server) => Promise<unknown>): Promise<void> => {
    const failed = (await Promise.allSettled(all().map(use))).find(
      (one) => one.status === "rejected",
    );
    if (failed) throw failed.reason;
  };
  /** What is asked about the server as a whole is asked of the usual directory, or of the one that was used last. */
  const usual = () => known(sharedOwner) ?? all().at(-1);
  const sum = (count: (one: Server) => number) =>
    all().reduce((total, one) => total + count(one), 0);

  const inDirectory = (directory: string | undefined): Server =>
    directory === undefined ? (usual() ?? at({})) : at({ directory });

  return {
    definition,
    in: inDirectory,
    isKnown: (owner = sharedOwner) => known(owner)?.isKnown(owner) ?? false,
    // Each has its own, except what was recorded.
    recall: (lists) => instances.recall(lists),
    async connect() {
      instances.disconnect(false);
      if (home !== null) at({});
      await each((one) => one.connect());
    },
    async warm() {
      if (home !== null) await at({}).warm();
    },
    async disconnect() {
      instances.disconnect(true);
      await each((one) => one.disconnect());
    },
    async restart() {
      instances.disconnect(false);
      if (home !== null) at({});
      await each((one) => one.restart());
    },
    async clear() {
      const counts = await Promise.all(all().map((one) => one.clear()));
      return counts.reduce((total, count) => total + count, 0);
    },
    forgetUser: (...who) => each((one) => one.forgetUser(...who)),
    isReady: async (owner, isHasty) => (await known(owner)?.isReady(owner, isHasty)) ?? true,
    isOpen: (owner) => known(owner)?.isOpen(owner) ?? false,
    isActive: () => all().some((one) => one.isActive()),
    discover: async (owner) => at(owner).discover(owner),
    revive: async (owner) => known(owner)?.revive(owner),
    isSettled: (owner) => known(owner)?.isSettled(owner) ?? false,
    refresh: async () => {
      if (home !== null) at({});
      await each((one) => one.refresh());
    },
    offered: (method, owner) => known(owner)?.offered(method, owner) ?? null,
    list: async (method, signal, owner) => at(owner).list(method, signal, owner),
    listOwner(owner) {
      const directory = owner.directory ?? home;
      return directory === null
        ? undefined
        : { user: null, ...known(owner)?.listOwner(owner), directory };
    },
    requirement(owner = sharedOwner) {
      const found = known(owner);
      return found ? found.requirement(owner) : instances.refusal(owner);
    },
    request: (method, params, asked, owner) => at(owner).request(method, params, asked, owner),
    check: async (signal) => (usual() ?? at({})).check(signal),
    session: (owner = sharedOwner) =>
      (owner.directory === undefined ? usual() : known(owner))?.session() ?? null,
    extensions: () => usual()?.extensions() ?? {},
    installingSince: () =>
      all()
        .find((one) => one.installingSince() !== null)
        ?.installingSince() ?? null,
    status() {
      const instance =
        usual()?.status() ?? statusOfNone(definition, instances.refusal(sharedOwner), home);
      const counts = {
        pending: sum((one) => one.status().pending),
        sessions: sum((one) => one.status().sessions),
        noise: sum((one) => one.status().noise),
      };
      return { ...instance, ...counts, instances: instances.describe() };
    },
    sessionOwners: () =>
      instances
        .entries()
        .flatMap(([directory, one]) =>
          one.sessionOwners().map((owner) => ({ ...owner, directory })),
        ),
    direct: () => sum((one) => one.direct()),
    logs: (...asked) => inDirectory(undefined).logs(...asked),
    followLogs: (...asked) => inDirectory(undefined).followLogs(...asked),
    record: (...asked) => inDirectory(undefined).record(...asked),
    messages: (...asked) => inDirectory(undefined).messages(...asked),
    async release(belongs, reason) {
      const counts = await Promise.all(all().map((one) => one.release(belongs, reason)));
      return counts.reduce((total, count) => total + count, 0);
    },
    reviewTrust: instances.reviewTrust,
    stop: instances.stop,
  };
}

type Place = Pick<SessionOwner, "directory">;

/** One for each directory, the last used last. */
function createInstances(options: DirectoryServerOptions) {
  const { name, definition, home, isOffline, whyNot } = options;
  const instances = new Map<string, Server>();
  /** Where a caller has asked and no person had trusted it: it is looked at again when a person answers. */
  const refused = new Set<string>();
  const leaving = new Set<Promise<void>>();
  let recorded: CachedLists | undefined;
  let isDisconnected = false;
  if (home !== null && (isOffline || whyNot(home) === null)) add(home);

  function add(directory: string): Server {
    const made = options.create(directory);
    if (recorded) made.recall(recorded);
    if (isDisconnected) void made.disconnect();
    instances.set(directory, made);
    refused.delete(directory);
    return made;
  }

  function end(directory: string): void {
    const stopped = instances.get(directory)?.stop();
    instances.delete(directory);
    options.onEnded(directory);
    const left = stopped
      ?.catch(() => undefined)
      .finally(() => leaving.delete(left as Promise<void>));
    if (left) leaving.add(left);
  }

  /** The least recently used that does nothing makes room; that of the plane's own directory stays. */
  function makeRoom(): void {
    if (instances.size < maxInstances) return;
    const isIdle = ([directory, one]: [string, Server]) =>
      directory !== home && one.status().pending === 0;
    const idle = [...instances].find(isIdle);
    if (idle) return end(idle[0]);
    const text = `Server '${name}' is busy: it works in ${maxInstances} directories already.`;
    throw notSent("BUSY", name, text);
  }

  /** Null where it runs there, or may. */
  function refusal({ directory = home ?? undefined }: Place): PlaneError | null {
    if (directory === undefined)
      return notSent("SERVER_UNAVAILABLE", name, `Server '${name}' cannot run: ${nowhere}.`);
    if (isOffline || instances.has(directory)) return null;
    const why = whyNot(directory);
    if (why === null) return null;
    const text = `Server '${name}' cannot run: ${why.what}. ${why.remedy}.`;
    return new PlaneError("SERVER_UNAVAILABLE", text, {
      data: { server: name, sent: false, retryAt: null },
    });
  }

  function known({ directory = home ?? undefined }: Place): Server | undefined {
    const found = directory === undefined ? undefined : instances.get(directory);
    if (found === undefined || directory === undefined) return undefined;
    // A map keeps its order.
    instances.delete(directory);
    instances.set(directory, found);
    return found;
  }

  return {
    known,
    refusal,
    all: () => [...instances.values()],
    entries: () => [...instances],
    /** Throws where it may not run. */
    at(place: Place): Server {
      const found = known(place);
      if (found) return found;
      const directory = place.directory ?? home;
      const error = refusal(place);
      if (error && directory !== null && refused.size < maxInstances) refused.add(directory);
      if (error || directory === null) throw error;
      makeRoom();
      return add(directory);
    },
    recall(lists: CachedLists): void {
      if (isOffline) recorded = lists;
      for (const one of instances.values()) one.recall(lists);
    },
    disconnect(on: boolean): void {
      isDisconnected = on;
    },
    describe: (): ServerInstance[] =>
      [...instances].map(([directory, one]) => {
        const { state, pid, error } = one.status();
        return { directory, state, pid, error };
      }),
    /** A person has answered: what is no longer trusted ends, and what a caller waits for lists its tools. */
    reviewTrust(): void {
      if (isOffline) return;
      for (const directory of [...instances.keys()]) if (whyNot(directory) !== null) end(directory);
      if (home !== null) refused.add(home);
      for (const directory of [...refused])
        if (
          !instances.has(directory) &&
          instances.size < maxInstances &&
          whyNot(directory) === null
        ) {
          const made = add(directory);
          if (definition.autoConnect) void made.discover(sharedOwner).catch(() => undefined);
        }
    },
    async stop(): Promise<void> {
      await Promise.all([...[...instances.values()].map((one) => one.stop()), ...leaving]);
    },
  };
}

const nowhere =
  "it works in the directory of its client, and this client has named none. A client over HTTP names it as its first root";

/** No caller has asked for it yet. */
function statusOfNone(
  definition: ServerDefinition,
  refusal: PlaneError | null,
  home: string | null,
) {
  const { name: _, tools: __, rejected: ___, ...none } = brokenStatus("", "");
  const waits = home !== null && refusal !== null;
  return {
    ...none,
    transport: definition.transport,
    state: !definition.enabled
      ? ("disabled" as const)
      : waits
        ? ("untrusted" as const)
        : ("disconnected" as const),
    error: waits ? refusal.message.replace(/^Server '.*?' cannot run: /s, "") : null,
  };
}
