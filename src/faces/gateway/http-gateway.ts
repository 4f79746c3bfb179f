import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import { withExactNumbers } from "../../lib/json/exact-numbers.ts";
import { clientAddress } from "../../lib/net/client-address.ts";
import { scopesWith, serverScope, toolsetScope } from "../../model/access/resource.ts";
import { readTraceContext } from "../../model/calls/provider.ts";
import { isLoopback } from "../../model/config/settings.ts";
import { errorTable, toPlaneError } from "../../model/errors.ts";
import { isObject, type UnknownObject } from "../../model/json.ts";
import type { Plane } from "../../model/plane.ts";
import { mayDo, type Principal } from "../../model/principal.ts";
import { isExtensionNotification } from "../../protocol/extensions.ts";
import { batchVersion, legacyVersions } from "../../protocol/session.ts";
import { hasVersion } from "./envelope.ts";
import { type HttpSession, openEvents, sendJson, writeEvent } from "./http-session.ts";
import { HttpSessions } from "./http-sessions.ts";
import { createGatewayContext } from "./modern.ts";
import {
  failure,
  faultInAny,
  isId,
  objectParam,
  parseRequest,
  type Request,
  renderAnswer,
  renderFailure,
} from "./request.ts";
import { parseView, plainView, type View } from "./view.ts";
import { wireText } from "./wire.ts";

const maxBodyBytes = 4 * 1024 * 1024;
const maxDiscardedBytes = 32 * 1024 * 1024;
/** Parsed views that are kept. */
const maxViews = 100;
const hasLeft = new Error("the client has left");

export type HttpGateway = ReturnType<typeof createHttpGateway>;

type State = {
  readonly gateway: ReturnType<typeof createGatewayContext>;
  readonly sessions: HttpSessions;
  readonly views: Map<string, View>;
  readonly usual: View;
  isDraining: boolean;
};

/** One HTTP request; the caller is known by then. */
type Visit = {
  state: State;
  request: IncomingMessage;
  response: ServerResponse;
  principal: Principal;
  /** The header for a caller who needs these scopes; null where clients cannot ask for any. */
  needs: Needs | null;
};

type Needs = (scopes: readonly string[]) => string;

/** Streamable HTTP, both eras at one address. */
export function createHttpGateway(plane: Plane, options: { view?: Partial<View> } = {}) {
  const gateway = createGatewayContext(plane);
  const sessions = new HttpSessions(gateway);
  const usual = { ...plainView, ...options.view };
  const state: State = { gateway, sessions, views: new Map(), usual, isDraining: false };
  return {
    handle(
      request: IncomingMessage,
      response: ServerResponse,
      principal: Principal,
      needs: Needs | null = null,
    ): void {
      const visit = { state, request, response, principal, needs };
      if (request.method === "POST") readBody(visit);
      else if (request.method === "GET") guarded(visit, listen);
      else if (request.method === "DELETE") guarded(visit, end);
      else notAllowed(response, "GET, POST, DELETE");
    },
    /** Clients with a session. */
    sessions: () => sessions.size,
    /** Ends streams and takes no new sessions; running requests continue. */
    drain(): void {
      state.isDraining = true;
      gateway.modern.close();
      sessions.drain();
    },
    async close(): Promise<void> {
      gateway.close();
      await sessions.close();
    },
  };
}

type Headers = Readonly<Record<string, string>>;

function refuse(
  response: ServerResponse,
  status: number,
  message: string,
  code = -32600,
  headers?: Headers,
): void {
  sendJson(response, status, renderAnswer(null, failure(code, message)), headers);
}

function notAllowed(response: ServerResponse, allow: string): void {
  refuse(response, 405, "Method not allowed.", -32600, { allow });
}

/** A client that is still sending reads the answer only after its body was consumed. */
function refuseTooLarge(response: ServerResponse): void {
  const message = `The body is larger than ${maxBodyBytes / 1024 / 1024} MiB.`;
  const text = wireText(renderAnswer(null, failure(-32600, message)));
  const headers = { "content-type": "application/json", "content-length": Buffer.byteLength(text) };
  response.writeHead(413, { ...headers, connection: "close" }).write(text);
  let discarded = 0;
  const end = () => void response.end();
  response.req.on("data", (chunk: Buffer) => {
    discarded += chunk.length;
    if (discarded > maxDiscardedBytes) end();
  });
  response.req.once("end", end).once("error", end);
}

/** Renders a defect of ours or a wrong address. */
function refuseThrown(response: ServerResponse, thrown: unknown): void {
  const { http } = errorTable[toPlaneError(thrown).code];
  sendJson(response, http, renderAnswer(null, renderFailure(thrown)));
}

function guarded(
  visit: Visit,
  run: (visit: Visit, message: unknown) => void,
  message?: unknown,
): void {
  try {
    run(visit, message);
  } catch (thrown) {
    refuseThrown(visit.response, thrown);
  }
}

function readBody(visit: Visit): void {
  const { request, response } = visit;
  if (!/^application\/json\s*(;|$)/i.test(request.headers["content-type"] ?? ""))
    return refuse(response, 415, "The body must be JSON: send 'Content-Type: application/json'.");
  // An announced length is enough to refuse.
  if (Number(request.headers["content-length"]) > maxBodyBytes) return refuseTooLarge(response);
  const chunks: Buffer[] = [];
  let size = 0;
  request.on("data", (chunk: Buffer) => {
    size += chunk.length;
    if (size <= maxBodyBytes) return void chunks.push(chunk);
    request.removeAllListeners("data").removeAllListeners("end");
    refuseTooLarge(response);
  });
  request.on("end", () => {
    const body = chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks);
    const parsed = parseRequest(body.toString("utf8"));
    if ("message" in parsed) guarded(visit, takeMessages, parsed.message);
    else if (parsed.wrong !== null)
      refuse(response, 400, `The body cannot be read: ${parsed.wrong}.`);
    else refuse(response, 400, "Parse error: the body is not valid JSON.", -32700);
  });
}

function readView({ state, request }: Visit): View {
  const { url = "" } = request;
  const queryStart = url.indexOf("?");
  const search = queryStart < 0 ? "" : url.slice(queryStart);
  const view = state.views.get(search) ?? parseView(search, state.usual);
  if (state.views.size < maxViews) state.views.set(search, view);
  return view;
}

function viewOf(visit: Visit): View {
  const { state, principal } = visit;
  const view = readView(visit);
  // Reports a wrong view now, not with the first list.
  state.gateway.surfaces.of(principal, view);
  return view;
}

function takeMessages(visit: Visit, message: unknown): void {
  const { state, request, response, principal } = visit;
  const isBatch = Array.isArray(message);
  const messages: UnknownObject[] = isBatch ? message : [message];
  const fault = faultInAny(messages);
  if (fault !== null)
    return refuse(response, 400, `The body is no message of JSON-RPC 2.0: ${fault}`);
  const missing = visit.needs && missingScope(visit, messages);
  if (missing) return refuseScope(visit, missing);
  takeOverTrace(messages, request.headers);
  const [first] = messages as [UnknownObject];
  if (!isBatch && isModern(first, request)) return answerModern(visit, first);
  if (first.method === "initialize" && request.headers["mcp-session-id"] === undefined) {
    if (state.isDraining)
      return refuse(
        response,
        503,
        "This plane is stopping. Start a new session in a moment.",
        -32000,
        {
          "retry-after": "1",
        },
      );
    return state.sessions
      .open(principal, viewOf(visit), isLocal(request))
      .post(messages, isBatch, response);
  }
  withSession(visit, (session) => {
    const version = session.client.version();
    if (isBatch && version !== batchVersion)
      refuse(response, 400, `Batches are not part of ${version}.`);
    else session.post(messages, isBatch, response);
  });
}

/** From this machine, and not by a proxy that speaks for others. */
function isLocal(request: IncomingMessage): boolean {
  if (request.headers["x-forwarded-for"] !== undefined || request.headers.forwarded !== undefined)
    return false;
  return isLoopback((clientAddress(request) ?? "").replace(/^::ffff:/i, ""));
}

/** What a token lacks for this, where its bearer may have it: a client then asks the person for more. */
function missingScope(visit: Visit, messages: readonly UnknownObject[]): string | null {
  const { state, principal } = visit;
  if (messages.some(({ method }) => method === "tools/call") && !mayDo(principal, "call"))
    return "call";
  const { within } = principal;
  if (within === undefined) return null;
  const { server, toolset } = readView(visit);
  const { servers: _, within: __, ...unrestricted } = principal;
  if (toolset !== null && !within.toolsets.includes(toolset) && server === null)
    return toolsetScope(toolset);
  if (server === null || principal.servers?.includes(server)) return null;
  const mayHaveIt = state.gateway.plane.servers.sees(server, { principal: unrestricted });
  return mayHaveIt ? serverScope(server) : null;
}

function refuseScope({ response, principal, needs }: Visit, scope: string): void {
  const message = `The token is not for this: it takes the scope '${scope}'. Sign in again to allow it.`;
  const challenge = needs?.(scopesWith(principal, scope)) ?? "";
  refuse(response, 403, message, errorTable.FORBIDDEN.rpc, { "www-authenticate": challenge });
}

function withSession(
  { state, request, response, principal }: Visit,
  go: (session: HttpSession) => void,
): void {
  const { "mcp-session-id": id, "mcp-protocol-version": version } = request.headers;
  if (typeof id !== "string")
    return refuse(response, 400, "The header Mcp-Session-Id is missing. Begin with 'initialize'.");
  const continueWith = (session: HttpSession | undefined) => {
    if (!session) return refuse(response, 404, "Session not found. Start a new session.", -32001);
    if (version !== undefined && !isLegacyVersion(version))
      return refuse(response, 400, `Protocol version '${version}' is not that of a session.`);
    go(session);
  };
  const session = state.sessions.find(id, principal);
  if (session) return continueWith(session);
  void state.sessions
    .reopen(id, principal, isLocal(request))
    .then(continueWith)
    .catch((thrown) => refuseThrown(response, thrown));
}

function answerModern(visit: Visit, message: UnknownObject): void {
  const { state, request, response, principal } = visit;
  const { id, method } = message;
  const params = objectParam(message, "params");
  if (typeof method !== "string" || !isId(id)) {
    if (typeof method === "string" && isExtensionNotification(method))
      notifyModern(visit, { method, params });
    return void response.writeHead(202).end();
  }
  const arriving = { principal, view: viewOf(visit), headers: request.headers };
  const arrival = state.gateway.modern.arrive(arriving, (text) => {
    if (!response.headersSent) openEvents(response);
    writeEvent(response, text);
  });
  response.once("close", () => response.writableFinished || arrival.cancel(hasLeft));
  if (method === "subscriptions/listen") closeAfter(response);
  const answering = state.gateway.modern.answer(id, { method, params }, arrival);
  void answering.then(({ status, answer }) => {
    if (arrival.isCancelled) return void arrival.receipt?.().catch(() => undefined);
    const text = renderAnswer(id, answer);
    if (!response.headersSent) return sendJson(response, status, text);
    writeEvent(response, text);
    response.end();
  });
}

function notifyModern(visit: Visit, notification: Request): void {
  const { state, request, principal } = visit;
  const arriving = { principal, view: viewOf(visit), headers: request.headers };
  const arrival = state.gateway.modern.arrive(arriving, () => undefined);
  state.gateway.modern.notify(notification, arrival);
}

/** A connection that held a stream, or the end of a session, is not used again: idle, it would keep a descriptor for a minute. */
function closeAfter(response: ServerResponse): void {
  response.shouldKeepAlive = false;
}

function listen(visit: Visit): void {
  const { state, request, response } = visit;
  closeAfter(response);
  const { "mcp-session-id": id, "last-event-id": lastEventId } = request.headers;
  if (id === undefined) return notAllowed(response, "POST");
  withSession(visit, (session) => {
    if (
      session.listen(
        response,
        typeof lastEventId === "string" && lastEventId !== "" ? lastEventId : undefined,
      )
    )
      state.sessions.follow(session);
    else refuse(response, 400, "What came after this event is not known any more.");
  });
}

function end(visit: Visit): void {
  const { state, request, response } = visit;
  if (request.headers["mcp-session-id"] === undefined) return notAllowed(response, "POST");
  withSession(visit, ({ client }) => {
    closeAfter(response);
    // First, so that no other plane continues it.
    state.sessions.end(client.id).then(
      () => response.writeHead(204).end(),
      (thrown) => refuseThrown(response, thrown),
    );
  });
}

/** By its own words, or by a header that names no legacy revision. */
function isModern(message: UnknownObject, { headers }: IncomingMessage): boolean {
  if (hasVersion(objectParam(message, "params"))) return true;
  const { "mcp-protocol-version": version, "mcp-session-id": id } = headers;
  return typeof version === "string" && id === undefined && !isLegacyVersion(version);
}

function isLegacyVersion(version: unknown): boolean {
  return legacyVersions.some((legacyVersion) => legacyVersion === version);
}

/** `_meta` wins over the trace headers of HTTP. */
export function takeOverTrace(
  messages: readonly UnknownObject[],
  headers: IncomingHttpHeaders,
): void {
  const trace = headers.traceparent === undefined ? null : readTraceContext(headers);
  if (trace === null) return;
  for (const { method, params } of messages) {
    if (method !== "tools/call" || !isObject(params)) continue;
    const meta = objectParam(params, "_meta");
    if (meta.traceparent === undefined) params._meta = { ...withExactNumbers(meta), ...trace };
  }
}
