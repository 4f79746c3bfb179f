import { createShortLivedMap } from "../../lib/short-lived-map.ts";
import { isObject, type UnknownObject } from "../../model/json.ts";
import type { Plane } from "../../model/plane.ts";
import type { Principal } from "../../model/principal.ts";
import type { StoredSession } from "../../model/servers/client-sessions.ts";
import { logLevels } from "../../model/servers/server.ts";
import { isExtensionNotification } from "../../protocol/extensions.ts";
import type { Core } from "./answer.ts";
import type { Changes } from "./changes.ts";
import { askForTrust, directoryInRoots } from "./client-place.ts";
import { createClientRequests } from "./client-requests.ts";
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
  /** How it is known where the client works: by its process and its roots, or by its roots alone. */
  placedBy?: "process" | "roots";
};

/** A client that does not say what its roots are is not waited for any longer. */
const rootsMs = 5_000;

type Bound = {
  principal: Principal;
  surface: Surface;
  state: SessionState;
  tools: ClientTools;
  client: ClientIdentity;
};

/** A legacy client, on any transport. */
export class ClientSession {
  readonly id: string;
  readonly #gateway: GatewayContext;
  readonly #options: SessionOptions;
  readonly #running = createShortLivedMap<Exchange>();
  readonly #requests = createClientRequests();
  readonly #over = new AbortController();
  #bound: Bound;
  #stopTelling: (() => void) | undefined;
  #isPlaced = false;
  /** While the client is asked where it works. */
  #placing: Promise<void> | undefined;

  constructor(gateway: GatewayContext, options: SessionOptions) {
    this.id = options.id;
    this.#gateway = gateway;
    this.#options = options;
    this.#bound = this.#bind(options.principal);
    if (options.kept) this.#adopt(options.kept);
  }

  get #surface(): Surface {
    return this.#bound.surface;
  }

  get #state(): SessionState {
    return this.#bound.state;
  }

  get #tools(): ClientTools {
    return this.#bound.tools;
  }

  get #client(): ClientIdentity {
    return this.#bound.client;
  }

  /** What the client sees and asks for, as this caller. */
  #bind(principal: Principal): Bound {
    const { plane, surfaces, lazy, changes } = this.#gateway;
    const { view, id, keeper } = this.#options;
    const surface = surfaces.of(principal, view);
    const state = createSessionState(plane, surface, keeper);
    const tools: ClientTools = new ClientTools(plane, lazy, {
      surface,
      keeps: () => true,
      onChanged: async () => {
        await state.keepLoaded(tools.loaded());
        await changes.listChanged(tools);
      },
    });
    const client: ClientIdentity = {
      principal,
      view,
      conversation: id,
      tools,
      description: () => state.client,
      logLevel: state.logLevel,
      isKept: keeper !== undefined && this.#options.placedBy !== "process",
      ask: (method, params, signal, out) =>
        this.#requests.request(method, params, signal, (text) => out.say(text)),
    };
    return { principal, surface, state, tools, client };
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
    if (!isId(id) || typeof method !== "string") return this.#takeOther(message, out);
    return this.#takeRequest(id, { method, params: objectParam(message, "params") }, out);
  }

  /** For a message that another plane received. False when it is meant for another plane. */
  takeMail(message: UnknownObject): boolean {
    if (typeof message.method !== "string") return this.#requests.takeAnswer(message);
    if (message.method !== "notifications/cancelled") return true;
    const exchange = this.#running.get(objectParam(message, "params").requestId);
    exchange?.cancel();
    return exchange !== undefined;
  }

  cancel(id: Id): void {
    this.#running.get(id)?.cancel();
  }

  /** The client listens: it is notified of changes and of watched resources. */
  follow(stored: StoredSession | null): void {
    this.#beginTelling();
    if (stored === null) return;
    this.#state.adopt(stored);
    void this.#state.follow(stored);
  }

  /** `goesOn` where another plane may continue it. */
  async close(goesOn = false): Promise<void> {
    this.#over.abort();
    this.#stopTelling?.();
    this.#tools.close();
    this.#state.close();
    this.#requests.close();
    const exchanges = this.#running.values();
    for (const exchange of exchanges) exchange.cancel();
    await Promise.allSettled(exchanges.map(({ done }) => done));
    const { id } = this.#options;
    const { principal } = this.#bound;
    // The client has left, so a failure has no reader.
    await this.#gateway.plane.conversations.end(id, { principal, goesOn }).catch(() => undefined);
  }

  #takeRequest(id: Id, request: Request, out: Out): Promise<void> {
    if (this.#running.get(id) !== undefined) {
      out.answer(renderAnswer(id, failure(-32600, `A request with the id '${id}' is running.`)));
      return Promise.resolve();
    }
    // Where it works is asked first; what belongs to the session itself does not wait.
    if (this.#asksForRoots() && !Object.hasOwn(this.#ownMethods, request.method)) {
      return this.#place(out).then(() => this.#takeRequest(id, request, out));
    }
    const exchange = new Exchange(id, this.#client, out);
    this.#running.set(id, exchange);
    exchange.done = this.#answer(request, exchange).then((answer) => {
      this.#running.delete(id);
      // A cancelled request gets no answer.
      if (!exchange.isCancelled) out.answer(renderAnswer(id, answer), exchange.receipt);
      else void exchange.receipt?.().catch(() => undefined);
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
    if (method === "notifications/initialized") {
      this.#beginTelling();
      void this.#settlePlace();
    }
    if (method === "notifications/roots/list_changed") this.#isPlaced = false;
  }

  #answer(request: Request, exchange: Exchange): Promise<RpcAnswer> {
    const { method, params } = request;
    const ownMethod = Object.hasOwn(this.#ownMethods, method) && this.#ownMethods[method];
    if (ownMethod) return ownMethod(params).catch(renderFailure);
    return this.#gateway.core.answer(request, exchange);
  }

  /** Whether servers may work there is asked when it is known where that is. */
  async #settlePlace(): Promise<void> {
    if (this.#asksForRoots()) await this.#place({ say: (text) => this.#options.announce(text) });
    else await this.#askForTrust();
  }

  /** Asked once at a time. */
  #place(out: Pick<Out, "say">): Promise<void> {
    this.#placing ??= this.#findPlace(out);
    return this.#placing;
  }

  async #askForTrust(): Promise<void> {
    const { plane } = this.#gateway;
    if (this.#options.placedBy !== "process") return;
    const { principal, state } = this.#bound;
    const say = (text: string) => this.#options.announce(text);
    const { signal } = this.#over;
    await askForTrust({
      plane,
      principal,
      capabilities: state.client.capabilities,
      ask: (method, params, until) => this.#requests.request(method, params, until, say),
      signal,
      // A client that cannot be asked says so, and the command remains.
    }).catch(() => undefined);
  }

  /** Servers that work in the directory of their client are for those who say where that is. */
  #asksForRoots(): boolean {
    if (this.#isPlaced || this.#options.placedBy === undefined) return false;
    return (
      isObject(this.#state.client.capabilities.roots) &&
      this.#gateway.plane.config().inWorkspace.length > 0
    );
  }

  /** Asked on the stream of the request that needs it. */
  async #findPlace(out: Pick<Out, "say">): Promise<void> {
    const { principal, placedBy } = this.#options;
    const limit = AbortSignal.any([this.#over.signal, AbortSignal.timeout(rootsMs)]);
    const answer = await this.#requests
      .request("roots/list", {}, limit, (text) => out.say(text))
      .catch(() => ({}));
    this.#isPlaced = true;
    this.#placing = undefined;
    if (this.#over.signal.aborted) return;
    let processDirectory: string | undefined;
    if (placedBy === "process")
      processDirectory = this.#gateway.plane.trust.unanswered({ principal }).directory;
    const directory = directoryInRoots(answer, processDirectory);
    const isElsewhere = directory !== null && directory !== processDirectory;
    const placedPrincipal = isElsewhere ? { ...principal, directory } : principal;
    if (placedPrincipal.directory !== this.#bound.principal.directory)
      this.#goOnAs(placedPrincipal);
    void this.#askForTrust();
  }

  /** With the same settings, and other lists. */
  #goOnAs(principal: Principal): void {
    const { state, tools } = this.#bound;
    const watched = state.watched.all();
    const settings = {
      version: state.version(),
      client: state.client,
      view: this.#options.view,
      watched,
      owner: "",
    };
    const isTelling = this.#stopTelling !== undefined;
    this.#stopTelling?.();
    this.#stopTelling = undefined;
    tools.close();
    state.close();
    this.#bound = this.#bind(principal);
    this.#state.adopt(settings);
    void this.#state.follow(settings);
    this.#report();
    if (!isTelling) return;
    this.#beginTelling();
    for (const list of ["tools", "prompts", "resources"])
      this.#options.announce(renderNotification(`notifications/${list}/list_changed`, {}));
  }

  /** What the session itself answers. */
  readonly #ownMethods: Record<string, (params: UnknownObject) => Promise<RpcAnswer>> = {
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
      return {
        result: { protocolVersion: this.version(), capabilities, serverInfo, instructions },
      };
    },
    "logging/setLevel": async ({ level }) => {
      const logLevel = logLevels.find((candidate) => candidate === level);
      if (logLevel === undefined)
        return failure(-32602, `'level' must be one of ${logLevels.join(", ")}.`);
      await this.#state.setLevel(logLevel);
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
      watchedAddress: this.#state.watched.find,
      logLevel: this.#state.logLevel,
      client: () => this.#state.client.capabilities,
      hear: (method, params) => this.#options.announce(renderNotification(method, params)),
    });
  }

  #report(): void {
    const { id, measure } = this.#tools;
    const { name } = this.#state.client.info ?? {};
    const client = typeof name === "string" ? name.slice(0, maxName) : null;
    const { user } = this.#surface.principal;
    const source = {
      id,
      user,
      client,
      era: "legacy",
      since: new Date().toISOString(),
      measure,
    } as const;
    this.#tools.watch(this.#gateway.plane.clients.watch(source));
  }

  /** Continues what was settled on another plane. */
  #adopt(stored: StoredSession): void {
    this.#state.adopt(stored);
    this.#report();
    this.#beginTelling();
    // Tools that cannot be restored are found again by a search.
    if (stored.loaded) void this.#tools.restore(stored.loaded).catch(() => undefined);
  }
}
