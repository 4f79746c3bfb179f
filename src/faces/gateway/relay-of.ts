import { withExactNumbers } from "../../lib/json/exact-numbers.ts";
import type { Asked, Relay } from "../../model/calls/provider.ts";
import { isObject, type UnknownObject } from "../../model/json.ts";
import type { Plane } from "../../model/plane.ts";
import { type LogLevel, logLevels } from "../../model/servers/server.ts";
import type { RequestContext } from "./visit.ts";

const ownPrefix = "io.modelcontextprotocol/";

/** How a request speaks with the client that made it. */
export function relayOf(visit: RequestContext, params: UnknownObject, plane?: Pick<Plane, "config">): Relay {
  const { era, logLevel, notify } = visit;
  const given = withExactNumbers(isObject(params._meta) ? params._meta : {});
  const { progressToken } = given;
  const meta = metaFor(given);
  return {
    client: visit.client,
    onQuestion: (_server, asked, signal) => relayQuestion(visit, asked, signal, plane),
    ...(progressToken === undefined
      ? {}
      : {
          onProgress: ({ progress, total, message }) =>
            notify("notifications/progress", {
              progressToken,
              progress,
              ...(total === null ? {} : { total }),
              ...(message === null ? {} : { message }),
            }),
        }),
    onLog(message) {
      if (isLoudEnough(message.level, logLevel)) notify("notifications/message", message);
    },
    ...(meta ? { meta } : {}),
    ...(era === "modern" ? { continuation: continuationIn(params) } : {}),
  };
}

function continuationIn({ inputResponses, requestState }: UnknownObject) {
  return {
    ...(inputResponses === undefined ? {} : { inputResponses: withExactNumbers(inputResponses) }),
    ...(requestState === undefined ? {} : { requestState }),
  };
}

/** What the client says for the server: all but what is settled between each two of us. */
export function metaFor(given: UnknownObject): UnknownObject | undefined {
  const passed = Object.entries(given).filter(
    ([key]) =>
      key !== "progressToken" && key !== "tool_call_id" && !key.startsWith(ownPrefix) && !key.startsWith("toolplane/"),
  );
  return passed.length === 0 ? undefined : Object.fromEntries(passed);
}

export function isLoudEnough(level: unknown, wanted: LogLevel | null): boolean {
  if (wanted === null) return false;
  const known = logLevels.indexOf(level as LogLevel);
  // What has no level that we know is not worth being lost.
  return known < 0 || known >= logLevels.indexOf(wanted);
}

/** What a client must have said it can do before it is asked this; undefined when that is nothing we know. */
function requiredFor({ method, params }: Asked): UnknownObject | undefined {
  if (method === "roots/list") return { roots: {} };
  if (method === "elicitation/create") return { elicitation: params.mode === "url" ? { url: {} } : { form: {} } };
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
async function relayQuestion(
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
