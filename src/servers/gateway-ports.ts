import { createEventBus } from "../lib/async/event-bus.ts";
import type { ServerNotification } from "../model/calls/provider.ts";
import type { UnknownObject } from "../model/json.ts";
import type { PlaneServers } from "../model/plane-tools.ts";
import type { Inside, Principal } from "../model/principal.ts";
import { type LogLevel, logLevels } from "../model/servers/server.ts";
import { extensionsIn, isRelayed, maxExtensions } from "../protocol/extensions.ts";
import { RpcError } from "../protocol/message.ts";
import type { Session } from "../protocol/session.ts";
import type { ServerDirectory } from "./server-directory.ts";
import { releasedInstructions, type VerbOptions } from "./server-verbs.ts";
import { ownerOfCaller, type SessionOwner } from "./sessions.ts";

export type GatewayOptions = Pick<VerbOptions, "judge"> & {
  maySee(principal: Principal, server: string): boolean;
};

type GatewayVerbs = {
  servers: Pick<
    Inside<PlaneServers>,
    "wantLogs" | "sees" | "instructions" | "onMessage" | "extensions" | "declare"
  >;
};

export function createGatewayPorts(
  servers: ServerDirectory,
  options: GatewayOptions,
  learned: Pick<LearnedExtensions, "add"> = createLearnedExtensions(),
) {
  const { maySee } = options;
  const bus = createEventBus<{ type: "said"; said: ServerNotification }>();
  const logs = createLogLevels(servers);
  const subscriptions = createSubscriptions(servers.session, servers.request);
  const definitionOf = (server: string) => new Map(servers.all()).get(server)?.definition;
  const isSeen = (server: string, principal: Principal) =>
    definitionOf(server) !== undefined && maySee(principal, server);

  const verbs: GatewayVerbs = {
    servers: {
      wantLogs: logs.want,
      sees: (server, { principal }) => isSeen(server, principal),
      async instructions(server, { principal }) {
        if (!maySee(principal, server)) return null;
        return releasedInstructions(servers, options, server, ownerOfCaller(principal));
      },
      onMessage: (listener) => bus.on("said", ({ said: notification }) => listener(notification)),
      extensions: (server, { principal }) =>
        isSeen(server, principal) ? servers.extensions(server) : {},
      declare: learned.add,
    },
  };
  return {
    verbs,
    /** Until the returned function is called; in the session of the caller where it has one of its own. */
    async watch(server: string, uri: string, { user, directory }: Principal): Promise<() => void> {
      const { session, auth } = definitionOf(server) ?? {};
      const isShared = session === "shared" && auth === undefined;
      const owner = ownerOfCaller({
        user: isShared ? null : user,
        ...(directory !== undefined && { directory }),
      });
      return subscriptions.add(server, uri, owner);
    },
    said: (notification: ServerNotification) => bus.emit({ type: "said", said: notification }),
    connected(server: string): void {
      logs.apply(server);
      subscriptions.renew(server);
    },
    stop: subscriptions.stop,
  };
}

export type LearnedExtensions = ReturnType<typeof createLearnedExtensions>;

/** What clients have declared so far. The first settings of a name stay: servers may have heard them. */
export function createLearnedExtensions() {
  const extensions = new Map<string, unknown>();
  return {
    add(capabilities: UnknownObject): void {
      for (const [name, settings] of Object.entries(extensionsIn(capabilities)))
        if (isRelayed(name) && extensions.size < maxExtensions.names && !extensions.has(name))
          extensions.set(name, settings);
    },
    all: (): UnknownObject => Object.fromEntries(extensions),
  };
}

/** Legacy servers have one log level: the lowest that any client asked for. */
function createLogLevels(servers: Pick<ServerDirectory, "names" | "session">) {
  const requested: LogLevel[] = [];
  let appliedLevel: LogLevel | undefined;
  const apply = (server: string) => {
    const session = servers.session(server);
    if (
      appliedLevel === undefined ||
      session?.era !== "legacy" ||
      session.capabilities.logging === undefined
    )
      return;
    session.request("logging/setLevel", { level: appliedLevel }).catch(() => undefined);
  };
  const update = () => {
    const lowest = logLevels.find((level) => requested.includes(level));
    // Never raised: each client filters by its own.
    if (
      lowest === undefined ||
      (appliedLevel && logLevels.indexOf(appliedLevel) <= logLevels.indexOf(lowest))
    )
      return;
    appliedLevel = lowest;
    for (const server of servers.names()) apply(server);
  };
  return {
    apply,
    want(level: LogLevel): () => void {
      requested.push(level);
      update();
      return onlyOnce(() => {
        requested.splice(requested.indexOf(level), 1);
        update();
      });
    },
  };
}

function onlyOnce(end: () => void): () => void {
  let isOver = false;
  return () => {
    if (!isOver) end();
    isOver = true;
  };
}

type Subscription = {
  server: string;
  uri: string;
  owner: SessionOwner;
  subscribers: number;
  ended: AbortController;
  /** All subscribers wait for the same answer. */
  begun?: Promise<void>;
};

/** The server is asked once for all subscribers. */
export function createSubscriptions(
  session: (server: string, owner: SessionOwner) => Session | null,
  request: ServerDirectory["request"],
) {
  const subscriptions = new Map<string, Subscription>();

  async function begin({ server, uri, owner, ended }: Subscription): Promise<void> {
    const { signal } = ended;
    try {
      await request(server, "resources/subscribe", { uri }, { signal }, owner);
    } catch (thrown) {
      // The modern revision has one long request instead.
      const isUnsupported = thrown instanceof RpcError && thrown.code === -32601;
      if (!isUnsupported || session(server, owner)?.era !== "modern") throw thrown;
      listen(server, uri, owner, signal);
    }
  }

  function listen(server: string, uri: string, owner: SessionOwner, signal: AbortSignal): void {
    const params = { notifications: { resourceSubscriptions: [uri] } };
    session(server, owner)
      ?.request("subscriptions/listen", params, { signal })
      .catch(() => undefined);
  }

  function end(key: string, subscription: Subscription): void {
    subscription.subscribers -= 1;
    if (subscription.subscribers > 0) return;
    subscriptions.delete(key);
    subscription.ended.abort();
    const { server, uri, owner } = subscription;
    if (session(server, owner)?.era !== "legacy") return;
    request(server, "resources/unsubscribe", { uri }, {}, owner).catch(() => undefined);
  }

  return {
    async add(server: string, uri: string, owner: SessionOwner): Promise<() => void> {
      const key = JSON.stringify([server, uri, owner.user, owner.directory]);
      const created = { server, uri, owner, subscribers: 0, ended: new AbortController() };
      const subscription: Subscription = subscriptions.get(key) ?? created;
      subscriptions.set(key, subscription);
      subscription.subscribers += 1;
      subscription.begun ??= begin(subscription);
      try {
        await subscription.begun;
      } catch (thrown) {
        // The next subscriber asks again.
        if (subscriptions.get(key) === subscription) subscriptions.delete(key);
        throw thrown;
      }
      return onlyOnce(() => end(key, subscription));
    },
    renew(server: string): void {
      for (const subscription of subscriptions.values())
        if (subscription.server === server) begin(subscription).catch(() => undefined);
    },
    stop(): void {
      for (const { ended } of subscriptions.values()) ended.abort();
      subscriptions.clear();
    },
  };
}
