import { isObject, type UnknownObject } from "../../model/json.ts";
import type { Plane } from "../../model/plane.ts";
import type { Asked } from "../../model/relay.ts";
import type { RequestContext } from "./visit.ts";

/** What a client must have said it can do before it is asked this; undefined when that is nothing we know. */
function requiredFor({ method, params }: Asked): UnknownObject | undefined {
  if (method === "roots/list") return { roots: {} };
  if (method === "elicitation/create")
    return { elicitation: params.mode === "url" ? { url: {} } : { form: {} } };
  if (method !== "sampling/createMessage") return undefined;
  return { sampling: params.tools === undefined && params.toolChoice === undefined ? {} : { tools: {} } };
}

/** A client that names no kind of elicitation means forms. */
function isDeclared(required: UnknownObject, capabilities: UnknownObject): boolean {
  return Object.entries(required).every(([name, kinds]) => {
    const declared = capabilities[name];
    if (!isObject(declared)) return false;
    if (name === "elicitation" && declared.form === undefined && declared.url === undefined)
      return isObject(kinds) && kinds.form !== undefined;
    return Object.keys(kinds as object).every((kind) => declared[kind] !== undefined);
  });
}

/** Puts what a server asks to the client that made it ask; null when that client cannot be asked. */
export async function relayQuestion(
  visit: RequestContext,
  asked: Asked,
  signal: AbortSignal,
  plane?: Pick<Plane, "config">,
): Promise<UnknownObject | null> {
  const required = requiredFor(asked);
  if (required === undefined) return null;
  if (!isDeclared(required, visit.client.capabilities)) {
    if (!isAnsweredHere(asked, plane)) visit.lacks(required);
    return null;
  }
  return visit.ask(asked.method, withoutOurMarks(asked.params), signal);
}

/** Where a client has no model, the plane may have one. */
function isAnsweredHere({ method }: Asked, plane: Pick<Plane, "config"> | undefined): boolean {
  if (method !== "sampling/createMessage" || plane === undefined) return false;
  const { sampling, models } = plane.config();
  return sampling.enabled && Object.keys(models).length > 0;
}

/** Some servers repeat what we sent them to know which call they mean; that is between them and us. */
function withoutOurMarks(params: UnknownObject): UnknownObject {
  if (!isObject(params._meta)) return params;
  const { tool_call_id: _, progressToken: __, ...meta } = params._meta;
  const { _meta, ...others } = params;
  return Object.keys(meta).length === 0 ? others : { ...others, _meta: meta };
}
