import { uniqueId } from "../../lib/ids-and-time.ts";
import { createShortLivedMap } from "../../lib/short-lived-map.ts";
import { isObject, type UnknownObject } from "../../model/json.ts";
import type { Plane } from "../../model/plane.ts";
import type { Principal } from "../../model/principal.ts";
import type { StoredSession } from "../../model/servers/client-sessions.ts";
import { logLevels } from "../../model/servers/server.ts";
import { isExtensionNotification } from "../../protocol/extensions.ts";
import { RpcError } from "../../protocol/message.ts";
import type { Core } from "./answer.ts";
import type { Changes } from "./changes.ts";
import { type ClientIdentity, Exchange, type Out } from "./exchange.ts";
import { instructionsFor } from "./instructions.ts";
import { ClientTools } from "./lazy/client-tools.ts";
import type { LazyMode } from "./lazy/lazy-mode.ts";
import type { SharedClients } from "./lazy/shared-clients.ts";
import {
  failure,
  type Id,
  isId,
  objectParam,
  type Request,
  type RpcAnswer,
  renderAnswer,
  renderFailure,
  renderNotification,
  textParam,
} from "./request.ts";
import { createSessionState, type SessionKeeper, type SessionState } from "./session-state.ts";
import type { Surface, Surfaces } from "./surfaces.ts";
import type { View } from "./view.ts";
import { capabilitiesFor, serverInfo } from "./wire.ts";

/** People read it. */
const maxName = 100;

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
  kept?: StoredSession;
};

/** A legacy client, on any transport. */
export class ClientSession {
  readonly id: string;
  readonly #gateway: GatewayContext;
  readonly #options: SessionOptions;
  readonly #surface: Surface;
  readonly #state: SessionState;
  readonly #tools: ClientTools;
  readonly #running = createShortLivedMap<Exchange>();
  readonly #client: ClientIdentity;
  readonly #requests = createClientRequests();
  #stopTelling: (() => void) | undefined;

  constructor(gateway: GatewayContext, options: SessionOptions) {
    const { plane, surfaces, lazy, changes } = gateway;
    this.id = options.id;
    this.#gateway = gateway;
    this.#options = options;
    this.#surface = surfaces.of(options.principal, options.view);
    this.#state = createSessionState(plane, this.#surface, options.keeper);
    this.#tools = new ClientTools(plane, lazy, {
      surface: this.#surface,
      keeps: () => true,
      onChanged: async () => {
        await this.#state.keepLoaded(this.#tools.loaded());
        await changes.listChanged(this.#tools);
      },
    });
    const { principal, view, id } = options;
    this.#client = {
      principal,
      view,
      conversation: id,
      tools: this.#tools,
      description: () => this.#state.client,
      logLevel: this.#state.logLevel,
      ask: (method, params, signal, out) => this.#requests.request(method, params, signal, (text) => out.say(text)),
    };
    if (options.kept) this.#adopt(options.kept);
  }

  version(): string {
    return this.#state.version();
  }

  isIdle(): boolean {
    return this.#running.size() === 0;
  }

  /** Resolves when it is answered, at once where it needs no answer. */
  take(message: UnknownObject, out: Out): Promise<void> {
    const { id, method } = message;
    return isId(id) && typeof method === "string"
      ? this.#takeRequest(id, { method, params: objectParam(message, "params") }, out)
      : this.#takeOther(message, out);
  }

  /** For a message that another plane received. False when it is meant for another plane. */
  takeMail(message: UnknownObject): boolean {
    if (typeof message.method !== "string") return this.#requests.takeAnswer(message);
    if (message.method !== "notifications/cancelled") return true;
    const found = this.#running.get(objectParam(message, "params").requestId);
    found?.cancel();
    return found !== undefined;
  }

  cancel(id: Id): void {
    this.#running.get(id)?.cancel();
  }

  /** The client listens: it is notified of changes and of watched resources. */
  follow(kept: StoredSession | null): void {
    this.#beginTelling();
    if (kept === null) return;
    this.#state.adopt(kept);
    void this.#state.follow(kept);
  }

  /** `goesOn` where another plane may continue it. */
  async close(goesOn = false): Promise<void> {
    this.#stopTelling?.();
    this.#tools.close();
    this.#state.close();
    this.#requests.close();
    const left = this.#running.values();
    for (const one of left) one.cancel();
    await Promise.allSettled(left.map(({ done }) => done));
    const { id, principal } = this.#options;
    // The client has left, so a failure has no reader.
    await this.#gateway.plane.conversations.end(id, { principal, goesOn }).catch(() => undefined);
  }

  #takeRequest(id: Id, request: Request, out: Out): Promise<void> {
    if (this.#running.get(id) !== undefined) {
      out.answer(renderAnswer(id, failure(-32600, `A request with the id '${id}' is running.`)));
      return Promise.resolve();
    }
    const exchange = new Exchange(id, this.#client, out);
    this.#running.set(id, exchange);
    exchange.done = this.#answer(request, exchange).then((given) => {
      this.#running.delete(id);
      // A cancelled request gets no answer.
      if (!exchange.isCancelled) out.answer(renderAnswer(id, given));
    });
    return exchange.done;
  }

  async #takeOther(message: UnknownObject, out: Out): Promise<void> {
    const { id, method } = message;
    if (typeof method === "string" && id !== undefined)
      return out.answer(renderAnswer(null, failure(-32600, "'id' must be a string or a number.")));
    if (typeof method === "string" && isExtensionNotification(method))
      return this.#gateway.core.notify(
        { method, params: objectParam(message, "params") },
        new Exchange("", this.#client, out),
      );
    if (!this.takeMail(message)) this.#options.keeper?.passOn(message);
    // Nothing may come before the handshake is over.
    if (method === "notifications/initialized") this.#beginTelling();
  }

  #answer(request: Request, exchange: Exchange): Promise<RpcAnswer> {
    const own = Object.hasOwn(this.#own, request.method) ? this.#own[request.method] : undefined;
    return own ? own(request.params).catch(renderFailure) : this.#gateway.core.answer(request, exchange);
  }

  /** What the session itself answers. */
  readonly #own: Record<string, (params: UnknownObject) => Promise<RpcAnswer>> = {
    ping: async () => ({ result: {} }),
    initialize: async (params) => {
      const { plane, lazy } = this.#gateway;
      this.#state.settle(params);
      const declared = this.#state.client.capabilities;
      plane.servers.declare(declared);
      const instructions = await instructionsFor(plane, this.#surface, lazy);
      this.#report();
      await this.#state.keep();
      const capabilities = capabilitiesFor(declared, await this.#surface.extensions());
      return { result: { protocolVersion: this.version(), capabilities, serverInfo, instructions } };
    },
    "logging/setLevel": async ({ level }) => {
      const known = logLevels.find((candidate) => candidate === level);
      if (known === undefined) return failure(-32602, `'level' must be one of ${logLevels.join(", ")}.`);
      await this.#state.setLevel(known);
      return { result: {} };
    },
    "resources/subscribe": async (params) => {
      await this.#state.watch(textParam(params, "uri") ?? "");
      return { result: {} };
    },
    "resources/unsubscribe": async (params) => {
      await this.#state.unwatch(textParam(params, "uri") ?? "");
      return { result: {} };
    },
  };

  #beginTelling(): void {
    this.#stopTelling ??= this.#gateway.changes.tell({
      surface: this.#surface,
      tools: this.#tools,
      wants: () => true,
      watches: this.#state.watched.find,
      logLevel: this.#state.logLevel,
      client: () => this.#state.client.capabilities,
      hear: (said, about) => this.#options.announce(renderNotification(said, about)),
    });
  }

  #report(): void {
    const { id, measure } = this.#tools;
    const { name } = this.#state.client.info ?? {};
    const client = typeof name === "string" ? name.slice(0, maxName) : null;
    const { user } = this.#surface.principal;
    const source = { id, user, client, era: "legacy", since: new Date().toISOString(), measure } as const;
    this.#tools.watch(this.#gateway.plane.clients.watch(source));
  }

  /** Continues what was settled on another plane. */
  #adopt(kept: StoredSession): void {
    this.#state.adopt(kept);
    this.#report();
    this.#beginTelling();
    // Tools that cannot be restored are found again by a search.
    if (kept.loaded) void this.#tools.restore(kept.loaded).catch(() => undefined);
  }
}

/** Requests of the plane to the client. */
function createClientRequests() {
  const waiting = new Map<string, (answer: UnknownObject | Error) => void>();
  // Another plane may ask the same client, and the answer may come to either.
  const own = uniqueId().slice(0, 8);
  let asked = 0;
  return {
    /** Rejects on an error, and on abort, which cancels the request. */
    request(method: string, params: UnknownObject, signal: AbortSignal, say: Out["say"]): Promise<UnknownObject> {
      const id = `toolplane-${own}-${++asked}`;
      const send = (message: object) => say(JSON.stringify({ jsonrpc: "2.0", ...message }));
      return new Promise((resolve, reject) => {
        const settle = (answer: UnknownObject | Error) => {
          waiting.delete(id);
          signal.removeEventListener("abort", onAbort);
          if (answer instanceof Error) reject(answer);
          else resolve(answer);
        };
        const onAbort = () => {
          const reason = "it was answered elsewhere, or its time is over";
          send({ method: "notifications/cancelled", params: { requestId: id, reason } });
          settle(new Error(reason));
        };
        if (signal.aborted) return reject(new Error("the request was cancelled"));
        waiting.set(id, settle);
        signal.addEventListener("abort", onAbort);
        send({ id, method, params });
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
