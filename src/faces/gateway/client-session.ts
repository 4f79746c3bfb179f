import { createBriefMap } from "../../lib/brief-map.ts";
import { uniqueId } from "../../lib/stamps.ts";
import type { ClientSource } from "../../model/client-context.ts";
import { isObject, type UnknownObject } from "../../model/json.ts";
import type { Plane } from "../../model/plane.ts";
import type { Principal } from "../../model/principal.ts";
import type { KeptSession } from "../../model/servers/client-sessions.ts";
import { logLevels } from "../../model/servers/server.ts";
import { RpcError } from "../../protocol/message.ts";
import type { Core } from "./answer.ts";
import type { Changes } from "./changes.ts";
import { instructionsFor } from "./instructions.ts";
import { type ClientTools, createClientTools } from "./lazy/client-tools.ts";
import type { LazyMode } from "./lazy/lazy-mode.ts";
import type { SharedClients } from "./lazy/shared-clients.ts";
import {
  type Answer,
  failure,
  type Id,
  isId,
  objectIn,
  type Request,
  type RequestContext,
  renderAnswer,
  renderFailure,
  renderNotification,
  textIn,
} from "./request.ts";
import { createSessionState, type SessionKeeper } from "./session-state.ts";
import type { Surface, Surfaces } from "./surfaces.ts";
import type { View } from "./view.ts";
import { capabilities, serverInfo, type Wire } from "./wire.ts";

/** People read it. */
const maxName = 100;

function describeClient({ id, measure }: ClientTools, { principal }: Surface, info: UnknownObject = {}): ClientSource {
  const client = typeof info.name === "string" ? info.name.slice(0, maxName) : null;
  return { id, user: principal.user, client, era: "legacy", since: new Date().toISOString(), measure };
}

export type GatewayContext = {
  plane: Plane;
  core: Core;
  surfaces: Surfaces;
  changes: Changes;
  lazy: LazyMode;
  /** Of clients without a session. */
  shared: SharedClients;
};

export type SessionOptions = {
  id: string;
  principal: Principal;
  view: View;
  /** For messages that belong to no request. */
  announce(text: string): void;
  /** Lets other planes continue the session. */
  keeper?: SessionKeeper;
  /** What was settled on another plane. */
  kept?: KeptSession;
};

/** For the answer, and for messages because of the request. */
export type Out = { answer(wire: Wire): void; say(text: string): void };

export type ClientSession = {
  id: string;
  version(): string;
  /** Resolves when it is answered, at once where it needs no answer. */
  take(message: UnknownObject, out: Out): Promise<void>;
  /** For a message that another plane received. */
  takeMail(message: UnknownObject): void;
  cancel(id: Id): void;
  /** The client listens: it is notified of changes and of watched resources. */
  follow(kept: KeptSession | null): void;
  isIdle(): boolean;
  /** `goesOn` where another plane may continue it. */
  close(goesOn?: boolean): Promise<void>;
};

type Running = { controller: AbortController; done: Promise<void> };

type OwnMethod = (params: UnknownObject) => Promise<Answer>;

type Session = {
  readonly gateway: GatewayContext;
  readonly options: SessionOptions;
  readonly surface: Surface;
  readonly running: ReturnType<typeof createBriefMap<Running>>;
  readonly requests: ReturnType<typeof createClientRequests>;
  readonly state: ReturnType<typeof createSessionState>;
  readonly tools: ClientTools;
  readonly own: Readonly<Record<string, OwnMethod>>;
  stopTelling: (() => void) | undefined;
};

/** A legacy client, on any transport. */
export function createClientSession(gateway: GatewayContext, options: SessionOptions): ClientSession {
  const session = beginSession(gateway, options);
  const { state, running } = session;
  if (options.kept) adopt(session, options.kept);
  return {
    id: options.id,
    version: state.version,
    take(message, out) {
      const { id, method } = message;
      if (isId(id) && typeof method === "string")
        return takeRequest(session, id, { method, params: objectIn(message, "params") }, out);
      return takeOther(session, message, out);
    },
    takeMail: (message) => void takeHere(session, message),
    follow(kept) {
      beginTelling(session);
      if (kept === null) return;
      state.adopt(kept);
      void state.follow(kept);
    },
    cancel: (id) => running.get(id)?.controller.abort(),
    isIdle: () => running.size() === 0,
    close: (goesOn = false) => close(session, goesOn),
  };
}

function beginSession(gateway: GatewayContext, options: SessionOptions): Session {
  const { plane } = gateway;
  const surface: Surface = gateway.surfaces.of(options.principal, options.view);
  const state = createSessionState(plane, surface, options.keeper);
  const tools: ClientTools = createClientTools(plane, gateway.lazy, {
    id: uniqueId(),
    surface,
    keeps: () => true,
    async onChanged() {
      await state.keepLoaded(tools.loaded());
      await gateway.changes.listChanged(tools);
    },
  });
  return {
    gateway,
    options,
    surface,
    running: createBriefMap<Running>(),
    requests: createClientRequests((message) => options.announce(JSON.stringify(message))),
    state,
    tools,
    own: ownMethods(gateway, surface, state, tools),
    stopTelling: undefined,
  };
}

/** What the session itself answers. */
function ownMethods(
  { plane, lazy }: GatewayContext,
  surface: Surface,
  state: Session["state"],
  tools: ClientTools,
): Record<string, OwnMethod> {
  return {
    ping: async () => ({ result: {} }),
    async initialize(params) {
      state.settle(params);
      const isLazy = await lazy.isKnownLazy(surface);
      const instructions = await instructionsFor(plane, surface, isLazy);
      tools.watch(plane.clients.watch(describeClient(tools, surface, state.client.info)));
      await state.keep();
      return { result: { protocolVersion: state.version(), capabilities, serverInfo, instructions } };
    },
    async "logging/setLevel"({ level }) {
      const known = logLevels.find((candidate) => candidate === level);
      if (known === undefined) return failure(-32602, `'level' must be one of ${logLevels.join(", ")}.`);
      await state.setLevel(known);
      return { result: {} };
    },
    async "resources/subscribe"(params) {
      await state.watch(textIn(params, "uri") ?? "");
      return { result: {} };
    },
    async "resources/unsubscribe"(params) {
      await state.unwatch(textIn(params, "uri") ?? "");
      return { result: {} };
    },
  };
}

function answer(session: Session, request: Request, signal: AbortSignal, out: Out): Promise<Answer> {
  const { gateway, options, own, requests, state, tools } = session;
  const mine = Object.hasOwn(own, request.method) ? own[request.method] : undefined;
  if (mine) return mine(request.params).catch(renderFailure);
  const context: RequestContext = {
    principal: options.principal,
    view: options.view,
    era: "legacy",
    client: state.client,
    tools,
    logLevel: state.logLevel(),
    conversation: options.id,
    signal,
    notify: (method, params) => out.say(renderNotification(method, params)),
    ask: (method, params, asked) =>
      requests.request(method, params, asked, (message) => out.say(JSON.stringify(message))),
    lacks: () => undefined,
  };
  const known = gateway.core.answer(request, context);
  return known ?? Promise.resolve(failure(-32601, `Method not found: ${request.method}`));
}

function takeRequest(session: Session, id: Id, request: Request, out: Out): Promise<void> {
  const { running } = session;
  if (running.get(id) !== undefined) {
    out.answer(renderAnswer(id, failure(-32600, `A request with the id '${id}' is running.`)));
    return Promise.resolve();
  }
  const controller = new AbortController();
  const done = answer(session, request, controller.signal, out).then((given) => {
    running.delete(id);
    // A cancelled request gets no answer.
    if (!controller.signal.aborted) out.answer(renderAnswer(id, given));
  });
  running.set(id, { controller, done });
  return done;
}

/** False when it is meant for another plane. */
function takeHere({ running, requests }: Session, message: UnknownObject): boolean {
  if (typeof message.method !== "string") return requests.takeAnswer(message);
  if (message.method !== "notifications/cancelled") return true;
  const found = running.get(objectIn(message, "params").requestId);
  found?.controller.abort();
  return found !== undefined;
}

async function takeOther(session: Session, message: UnknownObject, out: Out): Promise<void> {
  const { id, method } = message;
  if (typeof method === "string" && id !== undefined)
    return out.answer(renderAnswer(null, failure(-32600, "'id' must be a text or a number.")));
  if (!takeHere(session, message)) session.options.keeper?.passOn(message);
  if (method === "notifications/initialized") beginTelling(session);
}

/** Nothing may come before the handshake is over. */
function beginTelling(session: Session): void {
  const { gateway, options, surface, state, tools } = session;
  session.stopTelling ??= gateway.changes.tell({
    surface,
    tools,
    wants: () => true,
    watches: state.watched.find,
    logLevel: state.logLevel,
    hear: (said, about) => options.announce(renderNotification(said, about)),
  });
}

/** Continues what was settled on another plane. */
function adopt(session: Session, kept: KeptSession): void {
  const { gateway, surface, state, tools } = session;
  state.adopt(kept);
  tools.watch(gateway.plane.clients.watch(describeClient(tools, surface, state.client.info)));
  beginTelling(session);
  if (kept.loaded) void tools.restore(kept.loaded).catch(() => undefined);
}

async function close({ gateway, options, ...session }: Session, goesOn: boolean): Promise<void> {
  session.stopTelling?.();
  session.tools.close();
  session.state.close();
  session.requests.close();
  const left = session.running.values();
  for (const { controller } of left) controller.abort();
  await Promise.allSettled(left.map(({ done }) => done));
  const { id, principal } = options;
  await gateway.plane.conversations.end(id, { principal, goesOn }).catch(() => undefined);
}

/** Requests of the plane to the client. */
function createClientRequests(send: (message: object) => void) {
  const waiting = new Map<string, (answer: UnknownObject | Error) => void>();
  // Another plane may ask the same client, and the answer may come to either.
  const own = uniqueId().slice(0, 8);
  let asked = 0;
  return {
    /** Rejects on an error, and on abort, which cancels the request. `via` replaces the usual channel. */
    request(
      method: string,
      params: UnknownObject,
      signal: AbortSignal,
      via: (message: object) => void = send,
    ): Promise<UnknownObject> {
      const id = `toolplane-${own}-${++asked}`;
      return new Promise((resolve, reject) => {
        const settle = (answer: UnknownObject | Error) => {
          waiting.delete(id);
          signal.removeEventListener("abort", onAbort);
          if (answer instanceof Error) reject(answer);
          else resolve(answer);
        };
        const onAbort = () => {
          const reason = "it was answered elsewhere, or its time is over";
          via({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: id, reason } });
          settle(new Error(reason));
        };
        if (signal.aborted) return reject(new Error("the request was cancelled"));
        waiting.set(id, settle);
        signal.addEventListener("abort", onAbort);
        via({ jsonrpc: "2.0", id, method, params });
      });
    },
    /** False for an answer to no open request of ours. */
    takeAnswer({ id, result, error }: UnknownObject): boolean {
      const settle = typeof id === "string" ? waiting.get(id) : undefined;
      settle?.(isObject(result) ? result : readError(error));
      return settle !== undefined;
    },
    close(): void {
      for (const settle of [...waiting.values()]) settle(new Error("the connection is closed"));
    },
  };
}

function readError(error: unknown): Error {
  const { code, message, data } = isObject(error) ? error : {};
  const text = typeof message === "string" ? message : "the client gave no result";
  return new RpcError(typeof code === "number" ? code : -32603, text, data);
}
