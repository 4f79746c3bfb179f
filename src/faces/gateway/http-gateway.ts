import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import { withExactNumbers } from "../../lib/json/exact-numbers.ts";
import { readTraceContext } from "../../model/calls/provider.ts";
import { errorTable, toPlaneError } from "../../model/errors.ts";
import { isObject, type UnknownObject } from "../../model/json.ts";
import type { Plane } from "../../model/plane.ts";
import type { Principal } from "../../model/principal.ts";
import { batchVersion, legacyVersions } from "../../protocol/session.ts";
import { saysItsVersion } from "./envelope.ts";
import { createGatewayContext } from "./gateway-context.ts";
import { type HttpSession, openEvents, sendJson, writeEvent } from "./http-session.ts";
import { createHttpSessions, type HttpSessions } from "./http-sessions.ts";
import {
  failure,
  faultInAny,
  isId,
  objectIn,
  type Parsed,
  parseMessage,
  renderAnswer,
  renderFailure,
  renderNotification,
} from "./request.ts";
import { parseView, plainView, type View } from "./view.ts";
import { wireText } from "./wire.ts";

const maxBodyBytes = 4 * 1024 * 1024;

type Refusal = { status: number; code: number; message: string };

function badRequest(message: string): Refusal {
  return { status: 400, code: -32600, message };
}

function refuse(
  response: ServerResponse,
  { status, code, message }: Refusal,
  headers: Record<string, string> = {},
): void {
  sendJson(response, status, renderAnswer(null, failure(code, message)), headers);
}

const maxDiscardedBytes = 32 * 1024 * 1024;

/** A client that is still sending reads the answer only after its body was consumed. */
function refuseUnread(response: ServerResponse, refusal: Refusal): void {
  const text = wireText(renderAnswer(null, failure(refusal.code, refusal.message)));
  const headers = { "content-type": "application/json", "content-length": Buffer.byteLength(text) };
  response.writeHead(refusal.status, { ...headers, connection: "close" }).write(text);
  let discarded = 0;
  const end = () => void response.end();
  response.req.on("data", (chunk: Buffer) => {
    discarded += chunk.length;
    if (discarded > maxDiscardedBytes) end();
  });
  response.req.once("end", end).once("error", end);
}

function notAllowed(response: ServerResponse, allow: string): void {
  refuse(response, { status: 405, code: -32600, message: "Method not allowed." }, { allow });
}

/** Renders a defect of ours or a wrong address. */
function guarded(response: ServerResponse, run: () => void): void {
  try {
    run();
  } catch (thrown) {
    refuseThrown(response, thrown);
  }
}

/** For a promise. */
async function settled<T>(response: ServerResponse, waited: Promise<T>, run: (value: T) => void): Promise<void> {
  try {
    run(await waited);
  } catch (thrown) {
    refuseThrown(response, thrown);
  }
}

function refuseThrown(response: ServerResponse, thrown: unknown): void {
  const { http } = errorTable[toPlaneError(thrown).code];
  sendJson(response, http, renderAnswer(null, renderFailure(thrown)));
}

type Refused = { status: 400 | 413 | 415; code: number; message: string };

const tooLarge: Refused = {
  status: 413,
  code: -32600,
  message: `The body is larger than ${maxBodyBytes / 1024 / 1024} MiB.`,
};

type Wrong = Extract<Parsed, { wrong: string }>["wrong"];

const refusals: Record<Wrong, Refused> = {
  "no JSON": { status: 400, code: -32700, message: "Parse error: the body is not valid JSON." },
  "too deep": { status: 400, code: -32600, message: "The body is nested too deeply." },
};

function readMessage(request: IncomingMessage, done: (message: unknown, refused: Refused | null) => void): void {
  const type = request.headers["content-type"] ?? "";
  if (!/^application\/json\s*(;|$)/i.test(type)) {
    const message = "The body must be JSON: send 'Content-Type: application/json'.";
    return done(null, { status: 415, code: -32600, message });
  }
  // An announced length is enough to refuse.
  if (Number(request.headers["content-length"]) > maxBodyBytes) return done(null, tooLarge);
  const chunks: Buffer[] = [];
  let size = 0;
  request.on("data", (chunk: Buffer) => {
    size += chunk.length;
    if (size <= maxBodyBytes) return void chunks.push(chunk);
    request.removeAllListeners("data").removeAllListeners("end");
    done(null, tooLarge);
  });
  request.on("end", () => parse(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks), done));
}

function parse(body: Buffer, done: (message: unknown, refused: Refused | null) => void): void {
  const parsed = parseMessage(body.toString("utf8"));
  if ("message" in parsed) return done(parsed.message, null);
  done(null, refusals[parsed.wrong]);
}

export type HttpGatewayOptions = { view?: Partial<View> };

export type HttpGateway = {
  /** The caller is known by then. */
  handle(request: IncomingMessage, response: ServerResponse, principal: Principal): void;
  /** Clients with a session. */
  sessions(): number;
  /** Ends streams and takes no new sessions; running requests continue. */
  drain(): void;
  close(): Promise<void>;
};

type State = {
  readonly gateway: ReturnType<typeof createGatewayContext>;
  readonly sessions: HttpSessions;
  readonly views: Map<string, View>;
  readonly usual: View;
  isDraining: boolean;
};

type Handle = (state: State, request: IncomingMessage, response: ServerResponse, principal: Principal) => void;

const methods: Readonly<Record<string, Handle>> = { POST: post, GET: listen, DELETE: end };

/** Streamable HTTP, both eras at one address. */
export function createHttpGateway(plane: Plane, options: HttpGatewayOptions = {}): HttpGateway {
  const gateway = createGatewayContext(plane);
  const sessions = createHttpSessions(gateway);
  const usual = { ...plainView, ...options.view };
  const state: State = { gateway, sessions, views: new Map(), usual, isDraining: false };
  return {
    handle(request, response, principal) {
      const answer = methods[request.method ?? ""];
      if (!answer) return notAllowed(response, "GET, POST, DELETE");
      guarded(response, () => answer(state, request, response, principal));
    },
    sessions: sessions.size,
    drain() {
      state.isDraining = true;
      gateway.modern.close();
      sessions.drain();
    },
    async close() {
      gateway.close();
      await sessions.close();
    },
  };
}

function viewIn(state: State, search: string): View {
  const view = state.views.get(search) ?? parseView(search, state.usual);
  if (state.views.size < maxViews) state.views.set(search, view);
  return view;
}

function viewOf(state: State, request: IncomingMessage, principal: Principal): View {
  const { url = "" } = request;
  const at = url.indexOf("?");
  const view = at < 0 ? state.usual : viewIn(state, url.slice(at));
  // Reports a wrong view now, not with the first list.
  state.gateway.surfaces.of(principal, view);
  return view;
}

function post(state: State, request: IncomingMessage, response: ServerResponse, principal: Principal): void {
  readMessage(request, (message, refused) => {
    if (refused) return refused.status === 413 ? refuseUnread(response, refused) : refuse(response, refused);
    guarded(response, () => take(state, message, request, response, principal));
  });
}

function take(
  state: State,
  message: unknown,
  request: IncomingMessage,
  response: ServerResponse,
  principal: Principal,
): void {
  const isBatch = Array.isArray(message);
  const messages: UnknownObject[] = isBatch ? message : [message];
  const fault = faultInAny(messages);
  if (fault !== null) return refuse(response, badRequest(`The body is no message of JSON-RPC 2.0: ${fault}`));
  takeOverTrace(messages, request.headers);
  const [first] = messages as [UnknownObject];
  if (!isBatch && isModern(first, request)) return answerModern(state, first, request, response, principal);
  const given = request.headers["mcp-session-id"];
  if (first.method === "initialize" && given === undefined) {
    if (state.isDraining) return refuse(response, stopping, { "retry-after": "1" });
    const session = state.sessions.open(principal, viewOf(state, request, principal));
    return session.post(messages, isBatch, response);
  }
  withSession(state, request, response, principal, (session) => {
    if (isBatch && session.version() !== batchVersion)
      return refuse(response, badRequest(`Batches are not part of ${session.version()}.`));
    session.post(messages, isBatch, response);
  });
}

function withSession(
  state: State,
  request: IncomingMessage,
  response: ServerResponse,
  principal: Principal,
  go: (session: HttpSession) => void,
): void {
  const { "mcp-session-id": id, "mcp-protocol-version": version } = request.headers;
  if (typeof id !== "string")
    return refuse(response, badRequest("The header Mcp-Session-Id is missing. Begin with 'initialize'."));
  const goOn = (session: HttpSession | undefined) => {
    if (!session) return refuse(response, notFound);
    if (version !== undefined && !legacyVersions.some((known) => known === version))
      return refuse(response, badRequest(`Protocol version '${version}' is not that of a session.`));
    go(session);
  };
  const here = state.sessions.find(id, principal);
  if (here) return goOn(here);
  void settled(response, state.sessions.reopen(id, principal), goOn);
}

function answerModern(
  state: State,
  { id, method, params }: UnknownObject,
  request: IncomingMessage,
  response: ServerResponse,
  principal: Principal,
): void {
  if (typeof method !== "string" || !isId(id)) return void response.writeHead(202).end();
  const view = viewOf(state, request, principal);
  const left = new AbortController();
  response.once("close", () => response.writableFinished || left.abort(hasLeft));
  const asked = { method, params: isObject(params) ? params : {} };
  const arrival = {
    principal,
    view,
    headers: request.headers,
    signal: left.signal,
    notify(said: string, about: UnknownObject) {
      if (left.signal.aborted) return;
      if (!response.headersSent) openEvents(response);
      writeEvent(response, renderNotification(said, about));
    },
  };
  void state.gateway.modern.answer(id, asked, arrival).then(({ status, answer }) => {
    if (left.signal.aborted) return;
    const text = renderAnswer(id, answer);
    if (!response.headersSent) return sendJson(response, status, text);
    writeEvent(response, text);
    response.end();
  });
}

function listen(state: State, request: IncomingMessage, response: ServerResponse, principal: Principal): void {
  const { "mcp-session-id": id, "last-event-id": last } = request.headers;
  if (id === undefined) return notAllowed(response, "POST");
  const from = typeof last === "string" && last !== "" ? last : undefined;
  withSession(state, request, response, principal, (session) => {
    if (session.listen(response, from)) state.sessions.follow(session);
    else refuse(response, badRequest("What came after this event is not known any more."));
  });
}

function end(state: State, request: IncomingMessage, response: ServerResponse, principal: Principal): void {
  if (request.headers["mcp-session-id"] === undefined) return notAllowed(response, "POST");
  withSession(state, request, response, principal, ({ id }) => {
    // First, so that no other plane continues it.
    void settled(response, state.sessions.end(id), () => response.writeHead(204).end());
  });
}

/** Parsed views that are kept. */
const maxViews = 100;

const stopping = { status: 503, code: -32000, message: "This plane is stopping. Begin anew in a moment." };

const notFound = { status: 404, code: -32001, message: "Session not found. Begin anew." };

const hasLeft = new Error("the client has left");

/** By its own words, or by a header that names no legacy revision. */
function isModern(message: UnknownObject, { headers }: IncomingMessage): boolean {
  if (saysItsVersion(objectIn(message, "params"))) return true;
  const version = headers["mcp-protocol-version"];
  return (
    typeof version === "string" &&
    headers["mcp-session-id"] === undefined &&
    !legacyVersions.some((known) => known === version)
  );
}

/** `_meta` wins over the trace headers of HTTP. */
export function takeOverTrace(messages: readonly UnknownObject[], headers: IncomingHttpHeaders): void {
  const said = headers.traceparent === undefined ? null : readTraceContext(headers);
  if (said === null) return;
  for (const { method, params } of messages) {
    if (method !== "tools/call" || !isObject(params)) continue;
    const meta = isObject(params._meta) ? params._meta : {};
    if (meta.traceparent === undefined) params._meta = { ...withExactNumbers(meta), ...said };
  }
}
