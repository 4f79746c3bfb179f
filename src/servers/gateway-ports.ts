import { createEventBus } from "../lib/async/event-bus.ts";
import { limitTime } from "../lib/async/time-limit.ts";
import type { Asked, Relay, ServerSaid } from "../model/calls/provider.ts";
import { PlaneError } from "../model/errors.ts";
import type { UnknownObject } from "../model/json.ts";
import type { PlaneResources, PlaneServers } from "../model/plane-tools.ts";
import { type Principal, requireScope } from "../model/principal.ts";
import { type LogLevel, logLevels } from "../model/servers/server.ts";
import { RpcError } from "../protocol/message.ts";
import type { RequestOptions, Session } from "../protocol/session.ts";
import { explainFailure } from "./failures.ts";
import type { ServerDirectory } from "./server-directory.ts";
import { releasedInstructions, requireReleased, seenBy, type VerbOptions } from "./server-verbs.ts";
import { createDefaultAnswers } from "./session-opener.ts";
import type { SessionOwner } from "./sessions.ts";

/** For one prompt or resource; progress extends it. */
const limitMs = 60_000;
const maxMs = 600_000;

const byDefault = createDefaultAnswers([]);

export type GatewayOptions = Pick<VerbOptions, "judge"> & {
  defaultPrincipal: Principal;
  maySee(principal: Principal, server: string): boolean;
  fitAnswer(asked: Asked, answered: UnknownObject, relay: Relay): Promise<UnknownObject>;
};

/** Forwarded unchanged. Tools go along the one path instead. */
const forwarded: ReadonlySet<string> = new Set(["prompts/get", "resources/read", "completion/complete"]);

type GatewayVerbs = {
  servers: Pick<PlaneServers, "forward" | "wantLogs" | "sees" | "instructions" | "onMessage">;
  resources: Pick<PlaneResources, "watch">;
};

export function createGatewayPorts(servers: ServerDirectory, options: GatewayOptions) {
  const { defaultPrincipal, maySee } = options;
  const bus = createEventBus<{ type: "said"; said: ServerSaid }>();
  const logs = createLogLevels(servers);
  const subscriptions = createSubscriptions(servers.session, servers.request);
  const definitionOf = (server: string) => new Map(servers.all()).get(server)?.definition;
  const requireSeen = seenBy(servers, maySee);

  const verbs: GatewayVerbs = {
    servers: {
      async forward(server, method, params, { principal = defaultPrincipal, signal, relay = {} } = {}) {
        requireScope(principal, "read", `ask a server for '${method}'`);
        if (!forwarded.has(method))
          throw new PlaneError("USAGE", `'${method}' is not passed on to servers. Tools are called with 'call'.`);
        const name = requireSeen(server, principal);
        await requireReleased(servers, options, name, method, params);
        const limiter = limitTime(limitMs, maxMs, signal);
        const owner = { user: principal.user, conversation: null };
        try {
          const relayed = relayOptions(name, relay, limiter, options.fitAnswer);
          return await servers.request(name, method, params, relayed, owner);
        } catch (thrown) {
          if (limiter.expired()) throw tooLate(name, method);
          throw thrown instanceof RpcError ? thrown : explainFailure(thrown, name, method);
        } finally {
          limiter.clear();
        }
      },
      wantLogs: logs.want,
      sees: (server, { principal = defaultPrincipal } = {}) =>
        definitionOf(server) !== undefined && maySee(principal, server),
      instructions: async (server, { principal = defaultPrincipal } = {}) =>
        maySee(principal, server) ? releasedInstructions(servers, options, server) : null,
      onMessage: (listener) => bus.on("said", ({ said }) => listener(said)),
    },
    resources: {
      async watch(server, uri, { principal = defaultPrincipal } = {}) {
        const name = requireSeen(server, principal);
        const { session, auth } = definitionOf(name) ?? {};
        const isShared = session === "shared" && auth === undefined;
        return subscriptions.add(name, uri, { user: isShared ? null : principal.user, conversation: null });
      },
    },
  };
  return {
    verbs,
    said: (said: ServerSaid) => bus.emit({ type: "said", said }),
    connected(server: string): void {
      logs.apply(server);
      subscriptions.renew(server);
    },
    stop: subscriptions.stop,
  };
}

function tooLate(server: string, method: string): PlaneError {
  const text = `Server '${server}' did not answer '${method}' within ${limitMs / 1000} s.`;
  return new PlaneError("TIMEOUT", text, { data: { server, limitMs } });
}

/** The limit is paused while a person answers. */
function relayOptions(
  server: string,
  relay: Relay,
  limiter: ReturnType<typeof limitTime>,
  fit: GatewayOptions["fitAnswer"],
): RequestOptions {
  const { onQuestion, onProgress, onLog, client, continuation } = relay;
  return {
    signal: limiter.signal,
    onLog,
    asClient: client,
    continuation,
    ...(onProgress && {
      onProgress(progress) {
        limiter.extend();
        onProgress(progress);
      },
    }),
    ...(onQuestion && {
      async onRequest(method, params, asked) {
        const goOn = limiter.pause();
        const both = AbortSignal.any([asked, limiter.signal]);
        try {
          const answered = await onQuestion(server, { method, params }, both);
          return await (answered ? fit({ method, params }, answered, relay) : byDefault(method, params, both));
        } finally {
          goOn();
        }
      },
    }),
  };
}

/** Legacy servers have one log level: the lowest that any client asked for. */
function createLogLevels(servers: Pick<ServerDirectory, "names" | "session">) {
  const requested: LogLevel[] = [];
  let current: LogLevel | undefined;
  const apply = (server: string) => {
    const session = servers.session(server);
    if (current === undefined || session?.era !== "legacy" || session.capabilities.logging === undefined) return;
    session.request("logging/setLevel", { level: current }).catch(() => undefined);
  };
  const update = () => {
    const lowest = logLevels.find((level) => requested.includes(level));
    // Never raised: each client filters by its own.
    if (lowest === undefined || (current && logLevels.indexOf(current) <= logLevels.indexOf(lowest))) return;
    current = lowest;
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
export function createSubscriptions(session: (server: string) => Session | null, request: ServerDirectory["request"]) {
  const subscriptions = new Map<string, Subscription>();

  async function begin({ server, uri, owner, ended }: Subscription): Promise<void> {
    const { signal } = ended;
    try {
      await request(server, "resources/subscribe", { uri }, { signal }, owner);
    } catch (thrown) {
      // The modern revision has one long request instead.
      const isGone = thrown instanceof RpcError && thrown.code === -32601;
      if (!isGone || session(server)?.era !== "modern") throw thrown;
      listen(server, uri, signal);
    }
  }

  function listen(server: string, uri: string, signal: AbortSignal): void {
    const params = { notifications: { resourceSubscriptions: [uri] } };
    session(server)
      ?.request("subscriptions/listen", params, { signal })
      .catch(() => undefined);
  }

  function end(key: string, subscription: Subscription): void {
    subscription.subscribers -= 1;
    if (subscription.subscribers > 0) return;
    subscriptions.delete(key);
    subscription.ended.abort();
    const { server, uri, owner } = subscription;
    if (session(server)?.era !== "legacy") return;
    request(server, "resources/unsubscribe", { uri }, {}, owner).catch(() => undefined);
  }

  return {
    async add(server: string, uri: string, owner: SessionOwner): Promise<() => void> {
      const key = JSON.stringify([server, uri, owner.user]);
      const begun = { server, uri, owner, subscribers: 0, ended: new AbortController() };
      const subscription: Subscription = subscriptions.get(key) ?? begun;
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
