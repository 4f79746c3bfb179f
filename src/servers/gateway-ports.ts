import { createEventBus } from "../lib/event-bus.ts";
import { limitTime } from "../lib/time-limit.ts";
import type { Config } from "../model/config.ts";
import { PlaneError } from "../model/errors.ts";
import type { UnknownObject } from "../model/json.ts";
import type { Plane } from "../model/plane.ts";
import { type Principal, requireScope } from "../model/principal.ts";
import type { Asked, Relay, ServerSaid } from "../model/relay.ts";
import { type LogLevel, logLevels } from "../model/server.ts";
import { RpcError } from "../protocol/message.ts";
import type { RequestOptions } from "../protocol/request-options.ts";
import type { Recorder } from "../store/store.ts";
import { createDefaultAnswers } from "./default-answers.ts";
import { explainFailure } from "./explain-failure.ts";
import type { Servers } from "./servers-contract.ts";
import { createWatches } from "./watches.ts";

/** One prompt or resource may take this long; progress stretches it. */
const limitMs = 60_000;
const maxMs = 600_000;

const byDefault = createDefaultAnswers([]);

export type PassOnParts = {
  servers: Servers;
  config(): Config;
  on: Recorder["on"];
  defaultPrincipal: Principal;
  maySee(principal: Principal, server: string): boolean;
  /** What a client answered, as its server may read it. */
  fit(asked: Asked, answered: UnknownObject, relay: Relay): Promise<UnknownObject>;
};

/** What goes to a server as it is. Calls of tools have one path, and this is not it. */
const passedOn: ReadonlySet<string> = new Set(["prompts/get", "resources/read", "completion/complete"]);

export type PassOn = {
  verbs: Pick<
    Plane,
    "forward" | "watchResource" | "wantLogs" | "seesServer" | "serverInstructions" | "onSaid"
  >;
  /** A server said something by itself. */
  said(said: ServerSaid): void;
  stop(): void;
};

/** What whoever is connected to us wants of servers beside calls of their tools, and what servers say to them. */
export function createPassOn(parts: PassOnParts): PassOn {
  const { servers, config, defaultPrincipal } = parts;
  const bus = createEventBus<{ type: "said"; said: ServerSaid }>();
  const logs = createLogDemand(servers);
  const watches = createWatches(servers.session, servers.request);
  const leave = parts.on("server.connected", ({ server }) => {
    logs.apply(server);
    watches.renew(server);
  });

  function requireSeen(server: string, principal: Principal): string {
    if (parts.maySee(principal, server)) return servers.requireName(server);
    throw new PlaneError("SERVER_NOT_FOUND", `No server '${server}' is configured for you.`, {
      data: { server },
    });
  }

  return {
    verbs: {
      async forward(server, method, params, { principal = defaultPrincipal, signal, relay = {} } = {}) {
        requireScope(principal, "read", `ask a server for '${method}'`);
        if (!passedOn.has(method))
          throw new PlaneError(
            "USAGE",
            `'${method}' is not passed on to servers. Tools are called with 'call'.`,
          );
        const name = requireSeen(server, principal);
        const limiter = limitTime(limitMs, maxMs, signal);
        const owner = { user: principal.user, conversation: null };
        const options = requestOptions(name, relay, limiter, parts.fit);
        try {
          return await servers.request(name, method, params, options, owner);
        } catch (thrown) {
          if (limiter.expired())
            throw new PlaneError(
              "TIMEOUT",
              `Server '${name}' did not answer '${method}' within ${limitMs / 1000} s.`,
              { data: { server: name, limitMs } },
            );
          throw thrown instanceof RpcError ? thrown : explainFailure(thrown, name, method);
        } finally {
          limiter.clear();
        }
      },
      async watchResource(server, uri, { principal = defaultPrincipal } = {}) {
        const name = requireSeen(server, principal);
        const { session, auth } = config().servers[name] ?? {};
        const isShared = session === "shared" && auth === undefined;
        return watches.add(name, uri, { user: isShared ? null : principal.user, conversation: null });
      },
      wantLogs: logs.want,
      seesServer: (server, { principal = defaultPrincipal } = {}) =>
        Object.hasOwn(config().servers, server) && parts.maySee(principal, server),
      serverInstructions: (server, { principal = defaultPrincipal } = {}) =>
        parts.maySee(principal, server) ? (servers.session(server)?.instructions ?? null) : null,
      onSaid: (listener) => bus.on("said", ({ said }) => listener(said)),
    },
    said: (said) => bus.emit({ type: "said", said }),
    stop() {
      leave();
      watches.stop();
    },
  };
}

/** Whoever waits for a person is not out of time. */
function requestOptions(
  server: string,
  relay: Relay,
  limiter: ReturnType<typeof limitTime>,
  fit: PassOnParts["fit"],
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
          return await (answered
            ? fit({ method, params }, answered, relay)
            : byDefault(method, params, both));
        } finally {
          goOn();
        }
      },
    }),
  };
}

/** Servers of the older revisions have one level for everybody: the most talkative that anybody wants. */
function createLogDemand(servers: Pick<Servers, "names" | "session">) {
  const wanted: LogLevel[] = [];
  let told: LogLevel | undefined;
  const apply = (server: string) => {
    const session = servers.session(server);
    if (told === undefined || session?.era !== "legacy" || session.capabilities.logging === undefined) return;
    session.request("logging/setLevel", { level: told }).catch(() => undefined);
  };
  const tell = () => {
    const lowest = logLevels.find((level) => wanted.includes(level));
    // What is too much for some is left out on the way to them, so nobody is told to say less.
    if (lowest === undefined || (told && logLevels.indexOf(told) <= logLevels.indexOf(lowest))) return;
    told = lowest;
    for (const server of servers.names()) apply(server);
  };
  return {
    apply,
    want(level: LogLevel): () => void {
      wanted.push(level);
      tell();
      let isOver = false;
      return () => {
        if (isOver) return;
        isOver = true;
        wanted.splice(wanted.indexOf(level), 1);
        tell();
      };
    },
  };
}
