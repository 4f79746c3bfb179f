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
type QuestionPlane = Pick<Plane, "config" | "servers">;

export function relayOf(
  context: RequestContext,
  params: UnknownObject,
  plane?: QuestionPlane,
): Relay {
  const relay: Relay = new ClientRelay(context, plane);
  if (isObject(params._meta)) {
    const clientMeta = withExactNumbers(params._meta);
    const { progressToken } = clientMeta;
    if (progressToken !== undefined) relay.onProgress = progressTo(context, progressToken);
    const meta = metaFor(clientMeta, extensionsIn(context.client.capabilities));
    if (meta) relay.meta = meta;
  }
  if (context.era === "modern") relay.continuation = continuationIn(params);
  return relay;
}

/** One per call, so it holds no functions of its own. Others inherit from it, so its fields are no private names. */
class ClientRelay implements Relay {
  private readonly context: RequestContext;
  private readonly plane: QuestionPlane | undefined;

  constructor(context: RequestContext, plane: QuestionPlane | undefined) {
    this.context = context;
    this.plane = plane;
  }

  get client(): AsClient {
    return this.context.client;
  }

  onQuestion(
    server: string,
    question: ServerRequest,
    signal: AbortSignal,
  ): Promise<UnknownObject | null> {
    return relayQuestion(this.context, server, question, signal, this.plane);
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
    const params: UnknownObject = { progressToken, progress };
    if (total !== null) params.total = total;
    if (message !== null) params.message = message;
    context.notify("notifications/progress", params);
  };
}

function continuationIn({ inputResponses, requestState }: UnknownObject) {
  const continuation: NonNullable<Relay["continuation"]> = {};
  if (inputResponses !== undefined) continuation.inputResponses = withExactNumbers(inputResponses);
  if (requestState !== undefined) continuation.requestState = requestState;
  return continuation;
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
function metaFor(clientMeta: UnknownObject, declared: UnknownObject): UnknownObject | undefined {
  const isExtended = (key: string) =>
    Object.keys(declared).some((name) => isRelayed(name) && isMetaOf(name, key));
  let passed: UnknownObject | undefined;
  for (const key of Object.keys(clientMeta)) {
    if (key === "progressToken" || key === "tool_call_id") continue;
    if (key.startsWith("toolplane/") || (key.startsWith(ownPrefix) && !isExtended(key))) continue;
    passed ??= Object.create(null) as UnknownObject;
    passed[key] = clientMeta[key];
  }
  return passed && { ...passed };
}

export function isLoudEnough(level: unknown, leastLevel: LogLevel | null): boolean {
  if (leastLevel === null) return false;
  const severity = logLevels.indexOf(level as LogLevel);
  // An unknown level is not dropped.
  return severity < 0 || severity >= logLevels.indexOf(leastLevel);
}

/** Undefined when we know of no requirement. */
function requiredFor({ method, params }: ServerRequest): UnknownObject | undefined {
  if (method === "roots/list") return { roots: {} };
  if (method === "elicitation/create")
    return { elicitation: params.mode === "url" ? { url: {} } : { form: {} } };
  if (method !== "sampling/createMessage") return undefined;
  const usesTools = params.tools !== undefined || params.toolChoice !== undefined;
  return { sampling: usesTools ? { tools: {} } : {} };
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
  question: ServerRequest,
  signal: AbortSignal,
  plane?: QuestionPlane,
): Promise<UnknownObject | null> {
  const required = requiredFor(question);
  if (required === undefined && !isShared(context, server, question, plane)) return null;
  if (required === undefined)
    return context.ask(question.method, withoutOurMarks(question.params), signal);
  if (!isDeclared(required, context.client.capabilities)) {
    if (!isAnsweredHere(question, plane)) context.lacks(required);
    return null;
  }
  return context.ask(question.method, withoutOurMarks(question.params), signal);
}

/** A method of an extension that both have. */
function isShared(
  { client, principal }: RequestContext,
  server: string,
  { method }: ServerRequest,
  plane?: QuestionPlane,
) {
  if (plane === undefined || !isExtensionMethod(method)) return false;
  const declared = plane.servers.extensions(server, { principal });
  return mayPass(method, declared, extensionsIn(client.capabilities));
}

/** Where a client has no model, the plane may have one. */
function isAnsweredHere({ method }: ServerRequest, plane: QuestionPlane | undefined): boolean {
  if (method !== "sampling/createMessage" || plane === undefined) return false;
  const { sampling, models } = plane.config();
  return sampling.enabled && Object.keys(models).length > 0;
}

/** Some servers repeat our marks, which are not for the client. */
function withoutOurMarks(params: UnknownObject): UnknownObject {
  if (!isObject(params._meta)) return params;
  const { tool_call_id: _, progressToken: __, ...meta } = params._meta;
  const { _meta, ...paramsWithoutMeta } = params;
  if (Object.keys(meta).length === 0) return paramsWithoutMeta;
  return { ...paramsWithoutMeta, _meta: meta };
}

/** A client that names only other ways cannot show a form. */
export function canElicit(capabilities: unknown): boolean {
  if (!isObject(capabilities) || !isObject(capabilities.elicitation)) return false;
  const { form, url } = capabilities.elicitation;
  return form !== undefined || url === undefined;
}

/** Cancelling is neither yes nor no. */
export async function elicitAnswer(
  client: Pick<RequestContext, "ask">,
  ...[held, signal, problem]: Parameters<AskHere>
): Promise<ApprovalAnswer | null> {
  const question = { message: messageFor(held, problem), requestedSchema: formFor(held) };
  const reply = await client.ask("elicitation/create", question, signal);
  if (reply.action === "accept") return toAnswer(held, objectParam(reply, "content"));
  if (reply.action !== "decline") return null;
  return { decision: "reject" };
}

function messageFor(
  { tool, principal, verdict, shown, before }: HeldView,
  problem: string | null,
): string {
  const lines = [
    `May '${tool}' run for ${principal.user ?? "the caller"}? It is asked about because: ${verdict.reason}.`,
    "",
    JSON.stringify(shown, null, 2),
  ];
  if (problem !== null) lines.unshift(problem, "");
  if (before) lines.push("", "The caller gave:", JSON.stringify(before, null, 2));
  return lines.join("\n");
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
  const answer: ApprovalAnswer = { decision };
  if (isFilledIn(reason)) answer.reason = reason;
  if (decision === "reject") return answer;
  if (isFilledIn(json)) answer.arguments = parseArguments(json);
  if (remember === true) answer.remember = { for: "tool" };
  return answer;
}

function isFilledIn(field: unknown): field is string {
  return typeof field === "string" && field.trim() !== "";
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
