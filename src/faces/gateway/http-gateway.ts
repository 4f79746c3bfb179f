import type { IncomingMessage, ServerResponse } from "node:http";
import { isObject, type UnknownObject } from "../../model/json.ts";
import type { Plane } from "../../model/plane.ts";
import type { Principal } from "../../model/principal.ts";
import { batchVersion, legacyVersions } from "../../protocol/session.ts";
import { openEvents, sendJson, writeEvent } from "./event-stream.ts";
import { createHouse } from "./house.ts";
import { badRequest, guarded, notAllowed, refuse, refuseUnread, settled } from "./http-refusals.ts";
import type { HttpSession } from "./http-session.ts";
import { createHttpSessions } from "./http-sessions.ts";
import { saysItsVersion } from "./modern-checks.ts";
import { readMessage } from "./read-message.ts";
import { faultInAny, isId, objectIn } from "./request.ts";
import { takeOverTrace } from "./take-over-trace.ts";
import { parseView, plainView, type View } from "./view.ts";
import { renderAnswer, renderNotification } from "./visit.ts";

export type HttpGatewayOptions = { view?: Partial<View> };

export type HttpGateway = {
  /** Answers one request at the MCP endpoint. Who asks is known by then. */
  handle(request: IncomingMessage, response: ServerResponse, principal: Principal): void;
  /** The clients that keep a session. */
  sessions(): number;
  /** Ends what only listens, and begins no more sessions; what runs goes on. */
  drain(): void;
  close(): Promise<void>;
};

/** Streamable HTTP, both eras at one address. */
export function createHttpGateway(plane: Plane, options: HttpGatewayOptions = {}): HttpGateway {
  const house = createHouse(plane);
  const sessions = createHttpSessions(house);
  const views = new Map<string, View>();
  let isDraining = false;
  const usual = { ...plainView, ...options.view };

  function viewIn(search: string): View {
    const view = views.get(search) ?? parseView(search, usual);
    if (views.size < keptViews) views.set(search, view);
    return view;
  }

  function viewOf(request: IncomingMessage, principal: Principal): View {
    const { url = "" } = request;
    const at = url.indexOf("?");
    const view = at < 0 ? usual : viewIn(url.slice(at));
    // Whatever is wrong with it is said now and not with the first list.
    house.surfaces.of(principal, view);
    return view;
  }

  function post(request: IncomingMessage, response: ServerResponse, principal: Principal): void {
    readMessage(request, (message, refused) => {
      if (refused)
        return refused.status === 413 ? refuseUnread(response, refused) : refuse(response, refused);
      guarded(response, () => take(message, request, response, principal));
    });
  }

  function take(
    message: unknown,
    request: IncomingMessage,
    response: ServerResponse,
    principal: Principal,
  ): void {
    const isBatch = Array.isArray(message);
    const messages: UnknownObject[] = isBatch ? message : [message];
    const fault = faultInAny(messages);
    if (fault !== null)
      return refuse(response, badRequest(`The body is no message of JSON-RPC 2.0: ${fault}`));
    takeOverTrace(messages, request.headers);
    const [first] = messages as [UnknownObject];
    if (!isBatch && isModern(first, request)) return answerModern(first, request, response, principal);
    const given = request.headers["mcp-session-id"];
    if (first.method === "initialize" && given === undefined) {
      if (isDraining) return refuse(response, stopping, { "retry-after": "1" });
      const session = sessions.open(principal, viewOf(request, principal));
      return session.post(messages, isBatch, response);
    }
    withSession(request, response, principal, (session) => {
      if (isBatch && session.version() !== batchVersion)
        return refuse(response, badRequest(`Batches are not part of ${session.version()}.`));
      session.post(messages, isBatch, response);
    });
  }

  function withSession(
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
    const here = sessions.find(id, principal);
    if (here) return goOn(here);
    void settled(response, sessions.reopen(id, principal), goOn);
  }

  function answerModern(
    { id, method, params }: UnknownObject,
    request: IncomingMessage,
    response: ServerResponse,
    principal: Principal,
  ): void {
    if (typeof method !== "string" || !isId(id)) return void response.writeHead(202).end();
    const view = viewOf(request, principal);
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
    void house.modern.answer(id, asked, arrival).then(({ status, answer }) => {
      if (left.signal.aborted) return;
      const text = renderAnswer(id, answer);
      if (!response.headersSent) return sendJson(response, status, text);
      writeEvent(response, text);
      response.end();
    });
  }

  function listen(request: IncomingMessage, response: ServerResponse, principal: Principal): void {
    const { "mcp-session-id": id, "last-event-id": last } = request.headers;
    if (id === undefined) return notAllowed(response, "POST");
    const from = typeof last === "string" && last !== "" ? last : undefined;
    withSession(request, response, principal, (session) => {
      if (session.listen(response, from)) sessions.follow(session);
      else refuse(response, badRequest("What came after this event is not known any more."));
    });
  }

  const methods: Record<string, typeof post> = {
    POST: post,
    GET: listen,
    DELETE(request, response, principal) {
      if (request.headers["mcp-session-id"] === undefined) return notAllowed(response, "POST");
      withSession(request, response, principal, ({ id }) => {
        // Only then no other plane goes on with it.
        void settled(response, sessions.end(id), () => response.writeHead(204).end());
      });
    },
  };

  return {
    handle(request, response, principal) {
      const answer = methods[request.method ?? ""];
      if (!answer) return notAllowed(response, "GET, POST, DELETE");
      guarded(response, () => answer(request, response, principal));
    },
    sessions: sessions.size,
    drain() {
      isDraining = true;
      house.modern.close();
      sessions.drain();
    },
    async close() {
      house.close();
      await sessions.close();
    },
  };
}

/** So many ways to see the plane are read once. */
const keptViews = 100;

const stopping = { status: 503, code: -32000, message: "This plane is stopping. Begin anew in a moment." };

const notFound = { status: 404, code: -32001, message: "Session not found. Begin anew." };

const hasLeft = new Error("the client has left");

/** A request says for itself that it is of the later revision, or its header names none that has sessions. */
function isModern(message: UnknownObject, { headers }: IncomingMessage): boolean {
  if (saysItsVersion(objectIn(message, "params"))) return true;
  const version = headers["mcp-protocol-version"];
  return (
    typeof version === "string" &&
    headers["mcp-session-id"] === undefined &&
    !legacyVersions.some((known) => known === version)
  );
}
