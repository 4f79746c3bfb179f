import { withExactNumbers } from "../../lib/json/exact-numbers.ts";
import { isObject, type UnknownObject } from "../../model/json.ts";
import type { Plane } from "../../model/plane.ts";
import type { ForwardOptions } from "../../model/plane-tools.ts";
import { RpcError } from "../../protocol/message.ts";
import { answerCall, createConsents } from "./answer-call.ts";
import { metaFor, relayOf } from "./client-relay.ts";
import type { Offer } from "./offer-list.ts";
import type { ParkedRequests } from "./parked-requests.ts";
import {
  type Answer,
  failure,
  objectIn,
  type Request,
  type RequestContext,
  type Responder,
  refuseCursor,
  renderFailure,
  textIn,
} from "./request.ts";
import type { Surfaces } from "./surfaces.ts";
import { listTtlMs } from "./tool-list.ts";
import { changeResult, renderResult } from "./wire.ts";

export type Core = {
  /** Never rejects. Null for an unknown method. */
  answer(request: Request, context: RequestContext): Promise<Answer> | null;
};

/** Methods that are the same in every revision and transport. */
export function createCore(plane: Plane, surfaces: Surfaces, parked: ParkedRequests): Core {
  const offers = createOfferAnswers(plane, surfaces);
  const consents = createConsents();
  const responders: Record<string, Responder> = {
    "tools/list": async ({ params }, { tools, era }) => {
      const refused = refuseCursor(params);
      return refused ?? { text: await tools.text(era) };
    },
    "tools/call": (request, context) =>
      mayPark(request, context, (inside) =>
        answerCall(plane, surfaces.of(context.principal, context.view), request.params, inside, consents),
      ),
    "prompts/list": offers.listPrompts,
    "prompts/get": (request, context) => mayPark(request, context, (inside) => offers.getPrompt(request, inside)),
    "resources/list": offers.listResources,
    "resources/templates/list": offers.listTemplates,
    "resources/read": (request, context) => mayPark(request, context, (inside) => offers.readResource(request, inside)),
    "completion/complete": offers.complete,
  };

  /** Modern servers send no requests, so the call waits while its client answers. */
  function mayPark(
    request: Request,
    context: RequestContext,
    run: (inside: RequestContext) => Promise<Answer>,
  ): Promise<Answer> {
    return context.era === "legacy" ? run(context) : park(request, context, run);
  }

  async function park(
    { method, params }: Request,
    context: RequestContext,
    run: (inside: RequestContext) => Promise<Answer>,
  ) {
    const request = JSON.stringify([method, params.name ?? params.uri, params.arguments ?? {}]);
    return (await parked.resume(context, request, params)) ?? parked.begin(context, request, run);
  }

  return {
    answer(request, context) {
      const respond = Object.hasOwn(responders, request.method) ? responders[request.method] : undefined;
      return respond ? respond(request, context).catch(renderFailure) : null;
    },
  };
}

type OfferAnswers = Record<
  "listPrompts" | "getPrompt" | "listResources" | "listTemplates" | "readResource" | "complete",
  Responder
>;

/** Passed on to the server that has the prompt or resource. */
function createOfferAnswers(plane: Plane, surfaces: Surfaces): OfferAnswers {
  const offersFor = ({ principal, view }: RequestContext) => surfaces.of(principal, view).offers;

  async function forward(server: string, request: Request, context: RequestContext): Promise<Answer> {
    const { principal } = surfaces.of(context.principal, context.view);
    const { signal } = context;
    const options: ForwardOptions = { principal, signal, relay: relayOf(context, request.params) };
    const { inputResponses: _, requestState: __, _meta, ...others } = request.params;
    const meta = isObject(_meta) ? metaFor(withExactNumbers(_meta)) : undefined;
    const params = Object.fromEntries(Object.entries(others).map(([key, value]) => [key, withExactNumbers(value)]));
    const passed = meta ? { ...params, _meta: meta } : params;
    const given = await plane.servers.forward(server, request.method, passed, options);
    const result = isObject(given) ? given : {};
    return renderResult(request.method === "resources/read" ? withHints(result, context) : result, context.era);
  }

  return {
    listPrompts: async ({ params }, context) =>
      refuseCursor(params) ?? renderList("prompts", "name", await offersFor(context).prompts(), context),
    listResources: async ({ params }, context) =>
      refuseCursor(params) ?? renderList("resources", "uri", await offersFor(context).resources(), context),
    listTemplates: async ({ params }, context) =>
      refuseCursor(params) ??
      renderList("resourceTemplates", "uriTemplate", await offersFor(context).templates(), context),
    async getPrompt({ method, params }, context) {
      const name = textIn(params, "name");
      if (name === null) return failure(-32602, "'name' must be a text: the name of a prompt.");
      const found = await offersFor(context).findPrompt(name);
      if (!found) return failure(-32602, `No prompt '${name}'. 'prompts/list' tells which there are.`);
      return forward(found.server, { method, params: { ...params, name: found.name } }, context);
    },
    async readResource({ method, params }, context) {
      const shown = textIn(params, "uri");
      if (shown === null) return failure(-32602, "'uri' must be a text: the address of a resource.");
      const found = await offersFor(context).findResource(shown);
      let last: unknown;
      for (const { server, uri } of found) {
        try {
          return await forward(server, { method, params: { ...params, uri } }, context);
        } catch (thrown) {
          // Try the next server.
          if (!(thrown instanceof RpcError) || !isNotFound(thrown)) throw thrown;
          last ??= thrown;
        }
      }
      throw last === undefined ? notFound(shown, context) : inOwnWords(last as RpcError, shown, context);
    },
    async complete({ method, params }, context) {
      const ref = objectIn(params, "ref");
      const offers = offersFor(context);
      if (ref.type === "ref/prompt") {
        const named = textIn(ref, "name");
        if (named === null) return failure(-32602, "'ref.name' must be a text: the name of a prompt.");
        const found = await offers.findPrompt(named);
        if (!found) return failure(-32602, `No prompt '${named}'. 'prompts/list' tells which there are.`);
        return forward(found.server, { method, params: { ...params, ref: { ...ref, name: found.name } } }, context);
      }
      const uri = textIn(ref, "uri");
      if (uri === null)
        return failure(-32602, "'ref' must be of type ref/prompt with 'name', or ref/resource with 'uri'.");
      const found = await offers.findTemplate(uri);
      if (!found)
        return failure(-32602, `No resource template '${uri}'. 'resources/templates/list' tells which there are.`);
      return forward(found.server, { method, params: { ...params, ref: { ...ref, uri: found.uri } } }, context);
    },
  };
}

function renderList(key: string, named: string, offers: readonly Offer[], context: RequestContext): Answer {
  const items = offers.map(({ shown, item: { server: _, ...item } }) => ({ ...item, [named]: shown }));
  const hints = context.era === "legacy" ? {} : { ttlMs: listTtlMs, cacheScope: "private" };
  return renderResult({ [key]: items, ...hints }, context.era);
}

/** Legacy servers do not say how long an answer is valid. */
function withHints(result: UnknownObject, { era }: RequestContext): UnknownObject {
  if (era === "legacy" || (result.resultType ?? "complete") !== "complete") return result;
  const hinted = { ttlMs: 0, cacheScope: "private", ...result };
  return changeResult(result, hinted, {
    ttlMs: (before = "0") => before,
    cacheScope: (before = '"private"') => before,
  });
}

function isNotFound({ code }: RpcError): boolean {
  return code === -32002 || code === -32602 || code === -32601;
}

function notFound(uri: string, { era }: RequestContext): RpcError {
  return new RpcError(era === "legacy" ? -32002 : -32602, `Resource not found: ${uri}`, { uri });
}

/** The two eras have different codes for it. */
function inOwnWords(error: RpcError, uri: string, context: RequestContext): RpcError {
  return error.code === -32002 && context.era === "modern" ? notFound(uri, context) : error;
}
