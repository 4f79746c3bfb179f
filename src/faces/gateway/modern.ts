import type { IncomingHttpHeaders } from "node:http";
import { createQuota } from "../../lib/quota.ts";
import { PlaneError } from "../../model/errors.ts";
import type { UnknownObject } from "../../model/json.ts";
import type { Plane } from "../../model/plane.ts";
import type { Principal } from "../../model/principal.ts";
import { createCore } from "./answer.ts";
import { createChanges } from "./changes.ts";
import type { GatewayContext } from "./client-session.ts";
import { httpStatusOf, readEnvelope, supportedVersions } from "./envelope.ts";
import { Arrival } from "./exchange.ts";
import { compareParams } from "./headers/param-headers.ts";
import { instructionsFor } from "./instructions.ts";
import { createLazyMode } from "./lazy/lazy-mode.ts";
import { createSharedClients } from "./lazy/shared-clients.ts";
import { createParkedRequests } from "./parked-requests.ts";
import {
  exactId,
  failure,
  type Id,
  listParam,
  objectParam,
  type Request,
  type RequestContext,
  type RpcAnswer,
  type RpcFailure,
  renderFailure,
  textParam,
} from "./request.ts";
import { createWatched } from "./session-state.ts";
import { createSurfaces } from "./surfaces.ts";
import { listTtlMs } from "./tool-list.ts";
import type { View } from "./view.ts";
import { capabilitiesFor, completed } from "./wire.ts";

const maxSubscriptions = 4_096;

const kinds = {
  tools: "toolsListChanged",
  prompts: "promptsListChanged",
  resources: "resourcesListChanged",
} as const;
const idKey = "io.modelcontextprotocol/subscriptionId";

/** A long request on which the client is notified, until it or we end it. */
async function listen(
  { plane, surfaces, changes, shared }: GatewayContext,
  id: Id,
  params: UnknownObject,
  context: RequestContext,
  closing: AbortSignal,
): Promise<RpcAnswer> {
  const surface = surfaces.of(context.principal, context.view);
  const filter = objectParam(params, "notifications");
  const watched = createWatched(plane, surface);
  const honoured = await watchAll(listParam(filter, "resourceSubscriptions"), watched.add);
  const ended = AbortSignal.any([context.signal, closing]);
  const mark = { [idKey]: exactId(id) };
  const notifyMarked: RequestContext["notify"] = (method, about) =>
    context.notify(method, { ...about, _meta: { ...objectParam(about, "_meta"), ...mark } });
  const wants = (kind: keyof typeof kinds) => filter[kinds[kind]] === true;
  notifyMarked("notifications/subscriptions/acknowledged", {
    notifications: acknowledged(filter, honoured),
  });
  const { tools, client } = context;
  const stop = changes.tell({
    surface,
    tools,
    wants,
    watchedAddress: watched.find,
    logLevel: () => null,
    client: () => client.capabilities,
    hear: notifyMarked,
  });
  const clientName = textParam(client.info ?? {}, "name");
  const leave = wants("tools") ? shared.listening(surface, clientName) : undefined;
  await new Promise<void>((resolve) => {
    if (ended.aborted) resolve();
    ended.addEventListener("abort", () => resolve(), { once: true });
  });
  stop();
  leave?.();
  watched.clear();
  return { result: completed({ _meta: mark }) };
}

/** Without what cannot be watched. */
async function watchAll(
  uris: readonly unknown[],
  add: (uri: string) => Promise<void>,
): Promise<string[]> {
  const watching = uris.map(async (uri) => {
    await add(String(uri));
    return String(uri);
  });
  return (await Promise.allSettled(watching)).flatMap((settled) =>
    settled.status === "fulfilled" ? settled.value : [],
  );
}

function acknowledged(filter: UnknownObject, uris: readonly string[]): UnknownObject {
  const wantedKinds = Object.values(kinds).filter((kind) => filter[kind] === true);
  const acknowledgedKinds = Object.fromEntries(wantedKinds.map((kind) => [kind, true]));
  if (uris.length === 0) return acknowledgedKinds;
  return { ...acknowledgedKinds, resourceSubscriptions: uris };
}

type Reply = { status: number; answer: RpcAnswer };

function toReply(answer: RpcAnswer): Reply {
  return { status: "error" in answer ? httpStatusOf(answer.error) : 200, answer };
}

function toFailure(thrown: unknown): Reply {
  return { status: 200, answer: renderFailure(thrown) };
}

function refused(error: RpcFailure): Reply {
  return { status: 400, answer: { error } };
}

class Modern {
  readonly #gateway: GatewayContext;
  readonly #closing = new AbortController();
  #listening = 0;
  readonly #quota = createQuota(() => this.#limit);

  constructor(gateway: GatewayContext) {
    this.#gateway = gateway;
  }

  /** `say` is for messages because of the request. */
  arrive(
    arriving: { principal: Principal; view: View } & (
      | { headers: IncomingHttpHeaders }
      | { connection: string }
    ),
    say: (text: string) => void,
  ) {
    const { surfaces, shared } = this.#gateway;
    const tools = shared.of(surfaces.of(arriving.principal, arriving.view));
    return new Arrival({ headers: undefined, connection: null, ...arriving, tools }, say);
  }

  /** Never rejects. */
  answer(id: Id, request: Request, arrival: Arrival): Promise<Reply> {
    try {
      const { headers, principal, view } = arrival;
      const envelope = readEnvelope(request, headers);
      if ("code" in envelope) return Promise.resolve(refused(envelope));
      arrival.client = envelope.client;
      if (envelope.client.capabilities.extensions !== undefined)
        this.#gateway.plane.servers.declare(envelope.client.capabilities);
      arrival.logLevel = envelope.logLevel;
      const { tools } = this.#gateway.surfaces.of(principal, view);
      const { plane } = this.#gateway;
      const differs = headers
        ? compareParams(request, headers, { plane, tools, context: arrival })
        : null;
      if (differs === null) return this.#answer(id, request, arrival).then(toReply, toFailure);
      if (!(differs instanceof Promise)) return Promise.resolve(refused(differs));
      return differs
        .then((fault) =>
          fault ? refused(fault) : this.#answer(id, request, arrival).then(toReply),
        )
        .catch(toFailure);
    } catch (thrown) {
      return Promise.resolve(toFailure(thrown));
    }
  }

  /** Nothing answers it, so what is wrong with it is not said. */
  notify(request: Request, arrival: Arrival): void {
    const envelope = readEnvelope(request, arrival.headers);
    if ("code" in envelope) return;
    arrival.client = envelope.client;
    void this.#gateway.core.notify(request, arrival);
  }

  close(): void {
    this.#closing.abort();
  }

  /** A listener is to this revision what a session is to the others. */
  get #limit(): number {
    return this.#gateway.plane.config().quotas.maxSessionsPerCaller;
  }

  #answer(id: Id, request: Request, context: RequestContext): Promise<RpcAnswer> {
    const { plane } = this.#gateway;
    if (context.logLevel === null) return this.#respond(id, request, context);
    const letGo = plane.servers.wantLogs(context.logLevel);
    return this.#respond(id, request, context).finally(letGo);
  }

  #respond(id: Id, request: Request, context: RequestContext): Promise<RpcAnswer> {
    if (request.method === "server/discover") return this.#discover(context);
    if (request.method === "subscriptions/listen") return this.#listen(id, request.params, context);
    return this.#gateway.core.answer(request, context);
  }

  async #discover({ principal, view, client }: RequestContext): Promise<RpcAnswer> {
    const { plane, surfaces, lazy } = this.#gateway;
    const surface = surfaces.of(principal, view);
    const instructions = await instructionsFor(plane, surface, lazy);
    const capabilities = capabilitiesFor(client.capabilities, await surface.extensions());
    const result = {
      supportedVersions,
      capabilities,
      instructions,
      ttlMs: listTtlMs,
      cacheScope: "private",
    };
    return { result: completed(result) };
  }

  async #listen(id: Id, params: UnknownObject, context: RequestContext): Promise<RpcAnswer> {
    if (this.#listening >= maxSubscriptions)
      return failure(-32603, "Too many clients listen already. Ask for the lists again later.");
    const { user, key } = context.principal;
    const release = this.#quota.take(JSON.stringify([user, key]));
    if (release === null) {
      const limit = this.#limit;
      const text = `This caller listens ${limit} times already, which is the limit (quotas.maxSessionsPerCaller). Close some first.`;
      throw new PlaneError("BUSY", text, {
        data: { limit, setting: "quotas.maxSessionsPerCaller" },
      });
    }
    this.#listening += 1;
    try {
      return await listen(this.#gateway, id, params, context, this.#closing.signal);
    } finally {
      release();
      this.#listening -= 1;
    }
  }
}

/** What all clients of one plane share. */
export function createGatewayContext(plane: Plane) {
  const surfaces = createSurfaces(plane);
  const parked = createParkedRequests();
  const changes = createChanges(plane, surfaces);
  const core = createCore(plane, surfaces, parked);
  const lazy = createLazyMode(plane);
  const shared = createSharedClients(plane, lazy, changes);
  const gateway: GatewayContext = { plane, core, surfaces, changes, lazy, shared };
  const modern = new Modern(gateway);
  return {
    ...gateway,
    modern,
    close(): void {
      modern.close();
      parked.close();
      changes.close();
    },
  };
}
