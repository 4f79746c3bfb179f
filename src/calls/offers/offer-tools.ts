import { translateTools } from "../../catalogue/catalogue.ts";
import { withoutUndefined } from "../../lib/json/plain-data.ts";
import type { Grants } from "../../model/access/grants.ts";
import type { ToolResult } from "../../model/calls/result.ts";
import { isOfferDenied } from "../../model/catalogue/offer-name.ts";
import type { OfferCallKind, ProviderSpec, Tool, ToolId } from "../../model/catalogue/tool.ts";
import type { Config } from "../../model/config/config.ts";
import { PlaneError } from "../../model/errors.ts";
import {
  isObject,
  type Json,
  type JsonObject,
  listOrEmpty,
  objectOrEmpty,
  type UnknownObject,
} from "../../model/json.ts";
import type { Principal } from "../../model/principal.ts";
import { RpcError } from "../../protocol/message.ts";
import { type Servers, unknownServer } from "../../servers/servers.ts";

type OfferParts = {
  config(): Config;
  grants: Pick<Grants, "maySeeServer">;
  servers: Pick<Servers, "trouble">;
};

/** What a server is asked. Null where the call ends at the plane, and nothing is sent. */
type OfferRequest = { method: string; params: UnknownObject } | null;

/** Not in the `config` of a provider: a manifest could write that. */
const requests = new WeakMap<ProviderSpec, (args: JsonObject) => OfferRequest>();

/** What the server is asked; undefined where the provider belongs to a tool and not to an offer. */
export function offerRequest(spec: ProviderSpec, args: JsonObject): OfferRequest | undefined {
  return requests.get(spec)?.(args);
}

/** A prompt, a resource or a completion, as a tool of its server: the grants, the policy and the limits hold for it. */
export function offerTool(
  { config, grants, servers }: OfferParts,
  id: ToolId,
  principal: Principal,
): Tool {
  const { server, tool: what, kind } = id;
  if (server === null || kind === undefined || !grants.maySeeServer(principal, server))
    throw unknownServer(server ?? what);
  const definition = config().servers[server];
  if (definition === undefined) throw unavailable(server, servers);
  if (isOfferDenied(what, definition.deny_tools)) throw noOffer(server, what);
  const inputSchema = parametersOf(kind, nameIn(what));
  // What a method of an extension does is not known.
  const isReading = kind !== "extension" || readingMethods.has(nameIn(what));
  const annotations = isReading ? { readOnlyHint: true } : {};
  const entry = { name: what, inputSchema, annotations };
  const [translated] = translateTools(
    server,
    { ...definition, allow_tools: null, deny_tools: null },
    [entry],
  ).tools;
  if (translated === undefined) throw noOffer(server, what);
  const spec = {
    name: "mcp",
    priority: 0,
    health_check_interval: 300,
    config: { server, tool: what },
  };
  requests.set(spec, requestFor(kind, what));
  const name = `${server}.${what}`;
  return {
    ...translated,
    id,
    name,
    modelName: name,
    description: `${kind} '${nameIn(what)}' of server '${server}'`,
    providers: [spec],
  };
}

/** Methods of extensions that are known to read. */
const readingMethods: ReadonlySet<string> = new Set([
  "skills/list",
  "skills/get",
  "resources/directory/read",
]);

function unavailable(server: string, { trouble }: OfferParts["servers"]): PlaneError {
  try {
    const text = trouble(server) ?? `Server '${server}' is not available.`;
    return new PlaneError("SERVER_UNAVAILABLE", text, { data: { server, sent: false } });
  } catch {
    return unknownServer(server);
  }
}

function noOffer(server: string, what: string): PlaneError {
  const text = `No '${what}' of server '${server}' is there for you.`;
  return new PlaneError("NOT_FOUND", text, { data: { server } });
}

export function nameIn(what: string) {
  return what.slice(what.indexOf("/") + 1);
}

/** Rules on arguments see the address of a resource; an approver cannot make it another one. */
function parametersOf(kind: OfferCallKind, name: string): JsonObject {
  if (kind === "prompt" || kind === "completion" || kind === "extension" || kind === "page")
    return { type: "object", additionalProperties: true };
  const properties = { uri: { type: "string", const: name } };
  return { type: "object", properties, required: ["uri"], additionalProperties: false };
}

function requestFor(kind: OfferCallKind, what: string): (args: JsonObject) => OfferRequest {
  const name = nameIn(what);
  if (kind === "prompt")
    return (args) => ({ method: "prompts/get", params: { name, arguments: args } });
  if (kind === "resource") return () => ({ method: "resources/read", params: { uri: name } });
  // What a page asks its host is for no server; the path decides whether it may, and keeps the record.
  if (kind === "subscription" || kind === "page") return () => null;
  if (kind === "extension") return (args) => ({ method: name, params: args });
  const ref = what.startsWith("prompts/")
    ? { type: "ref/prompt", name }
    : { type: "ref/resource", uri: name };
  return (args) => ({ method: "completion/complete", params: { ...args, ref } });
}

/** The server's answer stays one value inside the result; its error is an answer too. */
export async function askForOffer(
  offer: OfferRequest,
  send: (method: string, params: UnknownObject) => Promise<unknown>,
): Promise<ToolResult> {
  if (offer === null) return { content: [], structuredContent: {} };
  try {
    return {
      content: [],
      structuredContent: ((await send(offer.method, offer.params)) ?? {}) as Json,
    };
  } catch (thrown) {
    if (!(thrown instanceof RpcError)) throw thrown;
    const { code, message, data, saidBy } = thrown;
    const error = withoutUndefined({ code, message, data, saidBy });
    return {
      content: [{ type: "text", text: message }],
      isError: true,
      structuredContent: { error: error as Json },
    };
  }
}

/** What the server answered. Throws what it said, or why the plane did not ask. */
export function readOfferAnswer(kind: OfferCallKind, result: ToolResult): unknown {
  const { structuredContent: answer, isError, content } = result;
  if (isError && isObject(answer) && isObject(answer.error)) {
    const { code, message, data, saidBy } = answer.error;
    throw new RpcError(Number(code), String(message), data, saidBy as RpcError["saidBy"]);
  }
  if (answer !== undefined && content.length === 0) return answer;
  return withAddedTexts(kind, objectOrEmpty(answer), content);
}

/** The answer with the texts that a hook or a person added. Only prompts and resources have a place for them. */
function withAddedTexts(
  kind: OfferCallKind,
  answer: UnknownObject,
  content: ToolResult["content"],
): UnknownObject {
  const texts = content.filter(({ type }) => type === "text");
  if (kind === "prompt") {
    const messages = texts.map((block) => ({ role: "user", content: block }));
    return { ...answer, messages: [...messages, ...listOrEmpty(answer.messages)] };
  }
  if (kind !== "resource") return answer;
  const notes = texts.map(({ text }) => ({ uri: "toolplane:note", mimeType: "text/plain", text }));
  return { ...answer, contents: [...notes, ...listOrEmpty(answer.contents)] };
}
