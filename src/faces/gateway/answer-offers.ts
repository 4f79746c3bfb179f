import { isObject, type UnknownObject } from "../../model/json.ts";
import type { ForwardOptions, Plane } from "../../model/plane.ts";
import { RpcError } from "../../protocol/message.ts";
import { completed, forOlder } from "./describe.ts";
import type { Offer } from "./offer-list.ts";
import { metaFor, relayOf } from "./relay-of.ts";
import { objectIn, type Request, type Responder, refuseCursor, textIn } from "./request.ts";
import type { Surfaces } from "./surfaces.ts";
import { listTtlMs } from "./tool-list.ts";
import { type Answer, failure, type Visit } from "./visit.ts";

type OfferAnswers = Record<
  "listPrompts" | "getPrompt" | "listResources" | "listTemplates" | "readResource" | "complete",
  Responder
>;

/** What is asked about prompts and resources, passed on to the server whose they are. */
export function createOfferAnswers(plane: Plane, surfaces: Surfaces): OfferAnswers {
  const offersFor = ({ principal, view }: Visit) => surfaces.of(principal, view).offers;

  async function forward(server: string, request: Request, visit: Visit): Promise<Answer> {
    const { principal } = surfaces.of(visit.principal, visit.view);
    const { signal } = visit;
    const options: ForwardOptions = { principal, signal, relay: relayOf(visit, request.params) };
    const { inputResponses: _, requestState: __, _meta, ...params } = request.params;
    const meta = isObject(_meta) ? metaFor(_meta) : undefined;
    const passed = meta ? { ...params, _meta: meta } : params;
    const result = await plane.forward(server, request.method, passed, options);
    return render(isObject(result) ? result : {}, visit);
  }

  return {
    listPrompts: async ({ params }, visit) =>
      refuseCursor(params) ?? renderList("prompts", "name", await offersFor(visit).prompts(), visit),
    listResources: async ({ params }, visit) =>
      refuseCursor(params) ?? renderList("resources", "uri", await offersFor(visit).resources(), visit),
    listTemplates: async ({ params }, visit) =>
      refuseCursor(params) ??
      renderList("resourceTemplates", "uriTemplate", await offersFor(visit).templates(), visit),
    async getPrompt({ method, params }, visit) {
      const name = textIn(params, "name");
      const found = name === null ? undefined : await offersFor(visit).findPrompt(name);
      if (!found) return failure(-32602, `No prompt '${name}'. 'prompts/list' tells which there are.`);
      return forward(found.server, { method, params: { ...params, name: found.name } }, visit);
    },
    async readResource({ method, params }, visit) {
      const shown = textIn(params, "uri");
      const found = shown === null ? [] : await offersFor(visit).findResource(shown);
      let last: unknown;
      for (const { server, uri } of found) {
        try {
          const answer = await forward(server, { method, params: { ...params, uri } }, visit);
          return withHints(answer, visit);
        } catch (thrown) {
          // Whoever does not have it says so; the next may.
          if (!(thrown instanceof RpcError) || !isNotFound(thrown)) throw thrown;
          last ??= thrown;
        }
      }
      throw last === undefined ? notFound(shown, visit) : inOwnWords(last as RpcError, shown, visit);
    },
    async complete({ method, params }, visit) {
      const ref = objectIn(params, "ref");
      const offers = offersFor(visit);
      if (ref.type === "ref/prompt") {
        const found = await offers.findPrompt(String(ref.name));
        if (!found) return failure(-32602, `No prompt '${ref.name}'.`);
        return forward(
          found.server,
          { method, params: { ...params, ref: { ...ref, name: found.name } } },
          visit,
        );
      }
      const found = await offers.findTemplate(String(ref.uri));
      if (!found) return failure(-32602, `No resource template '${ref.uri}'.`);
      return forward(found.server, { method, params: { ...params, ref: { ...ref, uri: found.uri } } }, visit);
    },
  };
}

function render(result: UnknownObject, { era }: Visit): Answer {
  return { result: era === "legacy" ? forOlder(result) : completed(result) };
}

function renderList(key: string, named: string, offers: readonly Offer[], visit: Visit): Answer {
  const items = offers.map(({ shown, item: { server: _, ...item } }) => ({ ...item, [named]: shown }));
  return render(
    visit.era === "legacy" ? { [key]: items } : { [key]: items, ttlMs: listTtlMs, cacheScope: "private" },
    visit,
  );
}

/** A server of the older revisions says nothing of how long its answer is good. */
function withHints(answer: Answer, { era }: Visit): Answer {
  if (era === "legacy" || !("result" in answer) || answer.result.resultType !== "complete") return answer;
  return { result: { ttlMs: 0, cacheScope: "private", ...answer.result } };
}

function isNotFound({ code }: RpcError): boolean {
  return code === -32002 || code === -32602 || code === -32601;
}

function notFound(uri: string | null, { era }: Visit): RpcError {
  return new RpcError(era === "legacy" ? -32002 : -32602, `Resource not found: ${uri}`, { uri });
}

/** The two eras have different numbers for it. */
function inOwnWords(error: RpcError, uri: string | null, visit: Visit): RpcError {
  return error.code === -32002 && visit.era === "modern" ? notFound(uri, visit) : error;
}
