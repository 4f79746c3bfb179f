import type { IncomingHttpHeaders } from "node:http";
import { withExactNumbers } from "../../lib/json/exact-numbers.ts";
import type { UnknownObject } from "../../model/json.ts";
import type { Principal } from "../../model/principal.ts";
import type { GatewayContext } from "./client-session.ts";
import { compareHeaders, compareParams, readEnvelope, refuseVersion, statusOf, supportedVersions } from "./envelope.ts";
import { instructionsFor } from "./instructions.ts";
import {
  type Answer,
  exactId,
  failure,
  type Id,
  objectIn,
  type Request,
  type RequestContext,
  type RpcFailure,
  renderFailure,
  textIn,
} from "./request.ts";
import { createWatched } from "./session-state.ts";
import { listTtlMs } from "./tool-list.ts";
import type { View } from "./view.ts";
import { capabilities, completed } from "./wire.ts";

const maxSubscriptions = 1_024;

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
): Promise<Answer> {
  const surface = surfaces.of(context.principal, context.view);
  const filter = objectIn(params, "notifications");
  const uris = Array.isArray(filter.resourceSubscriptions) ? filter.resourceSubscriptions : [];
  const watched = createWatched(plane, surface);
  const honoured = await watchAll(uris, watched.add);
  const over = AbortSignal.any([context.signal, closing]);
  const mark = { [idKey]: exactId(id) };
  const tell = (method: string, about: UnknownObject) =>
    context.notify(method, { ...about, _meta: { ...objectIn(about, "_meta"), ...mark } });
  const subscriber = {
    surface,
    tools: context.tools,
    wants: (kind: keyof typeof kinds) => filter[kinds[kind]] === true,
    watches: watched.find,
    logLevel: () => null,
    hear: tell,
  };
  tell("notifications/subscriptions/acknowledged", { notifications: acknowledged(filter, honoured) });
  const stop = changes.tell(subscriber);
  const leave = subscriber.wants("tools")
    ? shared.listening(surface, textIn(context.client.info ?? {}, "name"))
    : undefined;
  await new Promise<void>((resolve) => {
    if (over.aborted) resolve();
    over.addEventListener("abort", () => resolve(), { once: true });
  });
  stop();
  leave?.();
  watched.clear();
  return { result: completed({ _meta: mark }) };
}

/** Without what cannot be watched. */
async function watchAll(uris: readonly unknown[], add: (uri: string) => Promise<void>): Promise<string[]> {
  const asked = uris.map(async (uri) => {
    await add(String(uri));
    return String(uri);
  });
  return (await Promise.allSettled(asked)).flatMap((one) => (one.status === "fulfilled" ? one.value : []));
}

function acknowledged(filter: UnknownObject, uris: readonly string[]): UnknownObject {
  const named = Object.values(kinds).filter((kind) => filter[kind] === true);
  return {
    ...Object.fromEntries(named.map((kind) => [kind, true])),
    ...(uris.length > 0 ? { resourceSubscriptions: uris } : {}),
  };
}

export type Arrival = {
  principal: Principal;
  view: View;
  /** Undefined without HTTP. */
  headers: IncomingHttpHeaders | undefined;
  signal: AbortSignal;
  notify: RequestContext["notify"];
};

export type Reply = { status: number; answer: Answer };

export type Modern = {
  /** Never rejects. */
  answer(id: Id, request: Request, arrival: Arrival): Promise<Reply>;
  close(): void;
};

export function createModern(gateway: GatewayContext): Modern {
  const { plane, core, surfaces, lazy, shared } = gateway;
  const closing = new AbortController();
  let listening = 0;

  async function discover({ principal, view }: RequestContext): Promise<Answer> {
    const surface = surfaces.of(principal, view);
    const isLazy = await lazy.isKnownLazy(surface);
    const instructions = await instructionsFor(plane, surface, isLazy);
    const result = { supportedVersions, capabilities, instructions, ttlMs: listTtlMs, cacheScope: "private" };
    return { result: completed(result) };
  }

  async function listenFor(id: Id, params: UnknownObject, context: RequestContext): Promise<Answer> {
    if (listening >= maxSubscriptions)
      return failure(-32603, "Too many clients listen already. Ask for the lists again later.");
    listening += 1;
    return listen(gateway, id, params, context, closing.signal).finally(() => {
      listening -= 1;
    });
  }

  function answerKnown(id: Id, request: Request, context: RequestContext): Promise<Answer> {
    if (request.method === "server/discover") return discover(context);
    if (request.method === "subscriptions/listen") return listenFor(id, request.params, context);
    const known = core.answer(request, context);
    return known ?? Promise.resolve(failure(-32601, `Method not found: ${request.method}`));
  }

  async function answerFor(id: Id, request: Request, arrival: Arrival): Promise<Reply> {
    const envelope = readEnvelope(request.params);
    if ("code" in envelope) return refusal(envelope);
    const { version, client, logLevel } = envelope;
    const { headers, ...rest } = arrival;
    const wrong = (headers && compareHeaders(request, version, headers)) ?? refuseVersion(version);
    if (wrong) return refusal(wrong);
    const context: RequestContext = {
      ...rest,
      era: "modern",
      client,
      tools: shared.of(surfaces.of(arrival.principal, arrival.view)),
      logLevel,
      conversation: null,
      ask: () => Promise.reject(new Error("a client of this revision is asked with an answer")),
      lacks: () => undefined,
    };
    const differs = headers && (await checkParams(request, context, headers));
    if (differs) return refusal(differs);
    const letGo = logLevel === null ? undefined : plane.servers.wantLogs(logLevel);
    try {
      const answer = await answerKnown(id, request, context);
      return { status: "error" in answer ? statusOf(answer.error) : 200, answer };
    } finally {
      letGo?.();
    }
  }

  async function checkParams(
    { method, params }: Request,
    { principal, view }: RequestContext,
    headers: IncomingHttpHeaders,
  ): Promise<RpcFailure | null> {
    if (method !== "tools/call" || typeof params.name !== "string") return null;
    const tool = await surfaces.of(principal, view).tools.find(params.name);
    return tool ? compareParams(tool.parameters, withExactNumbers(objectIn(params, "arguments")), headers) : null;
  }

  return {
    answer: (id, request, arrival) =>
      answerFor(id, request, arrival).catch((thrown) => ({ status: 200, answer: renderFailure(thrown) })),
    close: () => closing.abort(),
  };
}

function refusal(error: RpcFailure): Reply {
  return { status: 400, answer: { error } };
}
