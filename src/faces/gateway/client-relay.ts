import { withExactNumbers } from "../../lib/json/exact-numbers.ts";
import { withoutUndefined } from "../../lib/json/plain-data.ts";
import type { CallOptions } from "../../model/calls/call.ts";
import type { ApprovalAnswer, AskHere } from "../../model/calls/held-call.ts";
import type { HeldView } from "../../model/calls/held-schema.ts";
import { keyInMeta } from "../../model/calls/idempotency-key.ts";
import type { AsClient, Relay, ServerRequest } from "../../model/calls/provider.ts";
import { PlaneError } from "../../model/errors.ts";
import { isObject, type JsonObject, type UnknownObject } from "../../model/json.ts";
import type { Plane } from "../../model/plane.ts";
import { type LogLevel, logLevels } from "../../model/servers/server.ts";
import {
  extensionsIn,
  isExtensionMethod,
  isMetaOf,
  isRelayed,
  mayPass,
} from "../../protocol/extensions.ts";
import { objectParam, type RequestContext } from "./request.ts";

const ownPrefix = "io.modelcontextprotocol/";

/** What a question needs of the plane. */
type AskedPlane = Pick<Plane, "config" | "servers">;

export function relayOf(context: RequestContext, params: UnknownObject, plane?: AskedPlane): Relay {
  const relay: Relay = new ClientRelay(context, plane);
  if (isObject(params._meta)) {
    const given = withExactNumbers(params._meta);
    const { progressToken } = given;
    if (progressToken !== undefined) relay.onProgress = progressTo(context, progressToken);
    const meta = metaFor(given, extensionsIn(context.client.capabilities));
    if (meta) relay.meta = meta;
  }
  if (context.era === "modern") relay.continuation = continuationIn(params);
  return relay;
}

/** One per call, so it holds no functions of its own. Others inherit from it, so its fields are no private names. */
class ClientRelay implements Relay {
  private readonly context: RequestContext;
  private readonly plane: AskedPlane | undefined;

  constructor(context: RequestContext, plane: AskedPlane | undefined) {
    this.context = context;
    this.plane = plane;
  }

  get client(): AsClient {
    return this.context.client;
  }

  onQuestion(
    server: string,
    asked: ServerRequest,
    signal: AbortSignal,
  ): Promise<UnknownObject | null> {
    return relayQuestion(this.context, server, asked, signal, this.plane);
  }

  onLog(message: UnknownObject): void {
    const { logLevel } = this.context;
    if (isLoudEnough(message.level, logLevel))
      this.context.notify("notifications/message", message);
  }
}

function progressTo(
  context: RequestContext,
  progressToken: unknown,
): NonNullable<Relay["onProgress"]> {
  return ({ progress, total, message }) => {
    const said = { ...(total === null ? {} : { total }), ...(message === null ? {} : { message }) };
    context.notify("notifications/progress", { progressToken, progress, ...said });
  };
}

function continuationIn({ inputResponses, requestState }: UnknownObject) {
  return {
    ...(inputResponses === undefined ? {} : { inputResponses: withExactNumbers(inputResponses) }),
    ...(requestState === undefined ? {} : { requestState }),
  };
}

const onUnavailableInMeta = "toolplane/onUnavailable";

/** As it was written: what makes no sense is refused when the call is made. */
export type ClientWishes = Pick<CallOptions, "idempotencyKey" | "onUnavailable">;

/** What a client asks of this plane alone, in the metadata of its call. */
export function wishesIn({ _meta: meta }: UnknownObject): ClientWishes {
  if (!isObject(meta)) return {};
  const { [keyInMeta]: idempotencyKey, [onUnavailableInMeta]: onUnavailable } = meta;
  return withoutUndefined({ idempotencyKey, onUnavailable }) as ClientWishes;
}

/** Without what is settled between each two sides, and with what belongs to the client's extensions. */
function metaFor(given: UnknownObject, declared: UnknownObject): UnknownObject | undefined {
  const isExtended = (key: string) =>
    Object.keys(declared).some((name) => isRelayed(name) && isMetaOf(name, key));
  let passed: UnknownObject | undefined;
  for (const key of Object.keys(given)) {
    if (key === "progressToken" || key === "tool_call_id") continue;
    if (key.startsWith("toolplane/") || (key.startsWith(ownPrefix) && !isExtended(key))) continue;
    passed ??= Object.create(null) as UnknownObject;
    passed[key] = given[key];
  }
  return passed && { ...passed };
}

export function isLoudEnough(level: unknown, wanted: LogLevel | null): boolean {
  if (wanted === null) return false;
  const known = logLevels.indexOf(level as LogLevel);
  // An unknown level is not dropped.
  return known < 0 || known >= logLevels.indexOf(wanted);
}

/** Undefined when we know of no requirement. */
function requiredFor({ method, params }: ServerRequest): UnknownObject | undefined {
  if (method === "roots/list") return { roots: {} };
  if (method === "elicitation/create")
    return { elicitation: params.mode === "url" ? { url: {} } : { form: {} } };
  if (method !== "sampling/createMessage") return undefined;
  return {
    sampling: params.tools === undefined && params.toolChoice === undefined ? {} : { tools: {} },
  };
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

/** Null when the client cannot be asked. */
async function relayQuestion(
  context: RequestContext,
  server: string,
  asked: ServerRequest,
  signal: AbortSignal,
  plane?: AskedPlane,
): Promise<UnknownObject | null> {
  const required = requiredFor(asked);
  if (required === undefined && !isShared(context, server, asked, plane)) return null;
  if (required === undefined)
    return context.ask(asked.method, withoutOurMarks(asked.params), signal);
  if (!isDeclared(required, context.client.capabilities)) {
    if (!isAnsweredHere(asked, plane)) context.lacks(required);
    return null;
  }
  return context.ask(asked.method, withoutOurMarks(asked.params), signal);
}

/** A method of an extension that both have. */
function isShared(
  { client, principal }: RequestContext,
  server: string,
  { method }: ServerRequest,
  plane?: AskedPlane,
) {
  if (plane === undefined || !isExtensionMethod(method)) return false;
  const declared = plane.servers.extensions(server, { principal });
  return mayPass(method, declared, extensionsIn(client.capabilities));
}

/** Where a client has no model, the plane may have one. */
function isAnsweredHere({ method }: ServerRequest, plane: AskedPlane | undefined): boolean {
  if (method !== "sampling/createMessage" || plane === undefined) return false;
  const { sampling, models } = plane.config();
  return sampling.enabled && Object.keys(models).length > 0;
}

/** Some servers repeat our marks, which are not for the client. */
function withoutOurMarks(params: UnknownObject): UnknownObject {
  if (!isObject(params._meta)) return params;
  const { tool_call_id: _, progressToken: __, ...meta } = params._meta;
  const { _meta, ...others } = params;
  return Object.keys(meta).length === 0 ? others : { ...others, _meta: meta };
}

/** A client that names only other ways cannot show a form. */
export function canElicit(capabilities: unknown): boolean {
  const elicitation = isObject(capabilities) ? capabilities.elicitation : undefined;
  if (!isObject(elicitation)) return false;
  return elicitation.form !== undefined || elicitation.url === undefined;
}

/** Cancelling is neither yes nor no. */
export async function elicitAnswer(
  client: Pick<RequestContext, "ask">,
  ...[held, signal, problem]: Parameters<AskHere>
): Promise<ApprovalAnswer | null> {
  const asked = { message: messageFor(held, problem), requestedSchema: formFor(held) };
  const given = await client.ask("elicitation/create", asked, signal);
  if (given.action === "accept") return toAnswer(held, objectParam(given, "content"));
  return given.action === "decline" ? { decision: "reject" } : null;
}

function messageFor(
  { tool, principal, verdict, shown, before }: HeldView,
  problem: string | null,
): string {
  return [
    ...(problem === null ? [] : [problem, ""]),
    `May '${tool}' run for ${principal.user ?? "the caller"}? It is asked about because: ${verdict.reason}.`,
    "",
    JSON.stringify(shown, null, 2),
    ...(before ? ["", "The caller gave:", JSON.stringify(before, null, 2)] : []),
  ].join("\n");
}

function formFor({ arguments: args, allowEdit, adminRequired }: HeldView): JsonObject {
  const description = "JSON; change it to run the call with other arguments.";
  const edited = { type: "string", title: "Arguments", description, default: JSON.stringify(args) };
  const remember = { type: "boolean", title: "Do not ask again for this tool", default: false };
  return {
    type: "object",
    properties: {
      decision: { type: "string", title: "Decision", enum: ["approve", "reject"] },
      ...(allowEdit ? { arguments: edited } : {}),
      ...(adminRequired ? {} : { remember }),
      reason: { type: "string", title: "Reason" },
    },
    required: ["decision"],
  };
}

function toAnswer({ tool }: HeldView, content: UnknownObject): ApprovalAnswer {
  const { decision, arguments: json, reason, remember } = content;
  if (decision !== "approve" && decision !== "reject")
    throw new PlaneError("USAGE", `'decision' on '${tool}' must be approve or reject.`);
  const said = typeof reason === "string" && reason.trim() !== "" ? { reason } : {};
  if (decision === "reject") return { decision, ...said };
  return {
    decision,
    ...said,
    ...(typeof json === "string" && json.trim() !== "" ? { arguments: parseArguments(json) } : {}),
    ...(remember === true ? { remember: { for: "tool" } } : {}),
  };
}

function parseArguments(json: string): JsonObject {
  try {
    const parsed: unknown = JSON.parse(json);
    if (isObject(parsed)) return parsed as JsonObject;
  } catch {
    // Reported below, as for everything else that is not an object.
  }
  throw new PlaneError("USAGE", `The arguments are not a JSON object like {"key": "value"}.`);
}
