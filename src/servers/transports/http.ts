import type { IncomingMessage } from "node:http";
import { abortable } from "../../lib/async/signals.ts";
import { isObject } from "../../model/json.ts";
import { encodeHeaderValue } from "../../protocol/http-headers.ts";
import { longBytes } from "../../protocol/line-splitter.ts";
import {
  type Channel,
  type ChannelHandlers,
  type OutgoingMessage,
  type RequestId,
  renderMessage,
  type SendOptions,
  TransportError,
} from "../../protocol/message.ts";
import { modernVersion } from "../../protocol/session.ts";
import { createRequester, type HttpOptions, mayArriveTwice } from "./http-request.ts";
import { isEventStream, isPassing, readResponseBody, refused } from "./http-response.ts";
import {
  answerIn,
  deliver,
  followStream,
  keepListening,
  resumeStream,
  type StreamPosition,
} from "./http-streams.ts";
import { parseMessage } from "./parse-message.ts";

const goodbyeMs = 1_000;

type Exchange = {
  id: RequestId | undefined;
  modern: boolean;
  session: string | undefined;
  signal: AbortSignal | undefined;
  mayRepeat: boolean;
};

/** Not every server answers 404 for a session it does not know. */
const forgottenInWords =
  /session (terminated|not found|expired)|(invalid|no valid|unknown) session/i;

type State = ReturnType<typeof createState>;

function createState(options: HttpOptions, handlers: ChannelHandlers) {
  return {
    options,
    handlers,
    requester: createRequester(options),
    ended: new AbortController(),
    /** The server no longer knows the session. */
    isSessionForgotten: false,
    sessionId: undefined as string | undefined,
    protocolVersion: undefined as string | undefined,
    isListening: false,
    /** `ended` alone may be the server's doing. */
    isClosedByUs: false,
  };
}

/** Streamable HTTP: every message is one POST; the answer is JSON or an event stream. */
export function openHttp(options: HttpOptions, handlers: ChannelHandlers): Channel {
  const state = createState(options, handlers);
  return {
    pid: null,
    tellsOfWrites: true,
    send: (message, sending) => send(state, message, sending),
    listen: () => listen(state),
    close: () => close(state),
    get backlog() {
      return state.requester.backlog();
    },
    get cancelsByClosing() {
      return state.protocolVersion === modernVersion;
    },
    useProtocolVersion(version) {
      state.protocolVersion = version;
      if (version === modernVersion) state.sessionId = undefined;
    },
  };
}

function sessionHeaders({
  sessionId,
  protocolVersion,
}: Pick<State, "sessionId" | "protocolVersion">): Record<string, string> {
  return {
    ...(sessionId !== undefined && { "mcp-session-id": sessionId }),
    ...(protocolVersion !== undefined && { "mcp-protocol-version": protocolVersion }),
  };
}

function endSession(state: State, reason: TransportError): void {
  if (state.ended.signal.aborted) return;
  state.ended.abort();
  state.sessionId = undefined;
  // After the request that noticed has failed for itself: the others may have been seen, that one was not.
  setImmediate(() => {
    if (!state.isClosedByUs) state.handlers.onClose(reason);
  });
}

/** Nothing can begin in it any more; what the server has begun, it may still answer. */
function retireSession(state: State, reason: TransportError): void {
  if (state.ended.signal.aborted || state.isSessionForgotten) return;
  state.isSessionForgotten = true;
  const { onRetired, onClose } = state.handlers;
  const notify = onRetired ?? onClose;
  setImmediate(() => {
    if (!state.isClosedByUs) notify(reason);
  });
}

async function send(
  state: State,
  message: OutgoingMessage,
  { signal, headers, mayRepeat, onWrite }: SendOptions = {},
): Promise<void> {
  const isRequest = "id" in message && "method" in message;
  if (state.ended.signal.aborted || (state.isSessionForgotten && isRequest))
    throw new TransportError("the session has ended", { sent: false });
  const modern = modernHeaders(message, state.protocolVersion);
  const exchange: Exchange = {
    id: isRequest ? message.id : undefined,
    modern: modern !== undefined,
    session: modern ? undefined : state.sessionId,
    signal,
    mayRepeat: mayArriveTwice(message, mayRepeat),
  };
  const response = await state.requester.ask({
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      ...(modern ?? sessionHeaders(state)),
      ...headers,
    },
    body: renderMessage(message),
    signal,
    onWrite,
    mayRepeat: exchange.mayRepeat,
  });
  await takeResponse(state, response, exchange);
}

async function takeResponse(
  state: State,
  response: IncomingMessage,
  exchange: Exchange,
): Promise<void> {
  const { statusCode: status = 0, headers } = response;
  if (status === 404 && exchange.session !== undefined)
    throw await forgottenSession(state, response, exchange);
  if (status >= 300) return takeRefusal(state, response, status, exchange);
  const session = headers["mcp-session-id"];
  // The first one stays: a server that rotates it could move a caller into another session.
  if (typeof session === "string" && !exchange.modern && !state.ended.signal.aborted)
    state.sessionId ??= session;
  if (isEventStream(response)) return takeStream(state, response, exchange);
  if (exchange.id === undefined) return void response.resume();
  const body = await readResponseBody(response, state.options.maxMessageBytes);
  const text = body.toString("utf8");
  if (text.trim() === "")
    throw new TransportError(`it answered ${status} without a body`, {
      sent: true,
      answered: true,
    });
  const message = parseMessage(text, body.length < longBytes ? undefined : body);
  if (message === undefined)
    throw new TransportError("its answer is not JSON", { sent: true, answered: true });
  const answer = answerIn(message, exchange.id, true);
  deliver(state.handlers, answer ?? message, exchange.id);
  if (answer === undefined)
    throw new TransportError("it answered another request", { sent: true, answered: true });
}

const forgottenMessage = "the server has forgotten the session";

/** What may change something is sent again only where the server confirms that it does not know the session. */
async function forgottenSession(
  state: State,
  response: IncomingMessage,
  exchange: Exchange,
): Promise<TransportError> {
  response.resume();
  const isConfirmed = exchange.mayRepeat || (await isUnknownSession(state, exchange));
  if (!isConfirmed) return refused(response, state.requester.url);
  retireSession(state, new TransportError(forgottenMessage, { sent: true, status: 404 }));
  return new TransportError(forgottenMessage, {
    sent: exchange.mayRepeat,
    sessionEnded: true,
    status: 404,
  });
}

/** Asked in that very session: a tool that answers 404 leaves the session alone. */
async function isUnknownSession(
  { requester, options, protocolVersion }: State,
  { session, signal }: Exchange,
): Promise<boolean> {
  const response = await requester.ask({
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      ...sessionHeaders({ sessionId: session, protocolVersion }),
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: "toolplane:session", method: "ping" }),
    signal,
    startsSignIn: false,
  });
  const { statusCode: status = 0 } = response;
  if (status !== 400) response.resume();
  if (status !== 400) return status === 404;
  const body = await readResponseBody(response, options.maxMessageBytes);
  return forgottenInWords.test(body.toString());
}

/** Some refusals are answers: the body says what is wrong, also where it names no request. */
async function takeRefusal(
  state: State,
  response: IncomingMessage,
  status: number,
  exchange: Exchange,
): Promise<void> {
  const { id, session } = exchange;
  const text = (
    await readResponseBody(response, state.options.maxMessageBytes).catch(() => "")
  ).toString();
  const isAboutUs = status !== 403 && !isPassing(status);
  const mayAnswer = status >= 400 && status !== 401;
  const answer = mayAnswer ? answerIn(parseMessage(text), id, isAboutUs) : undefined;
  if (status === 400 && session !== undefined && forgottenInWords.test(text))
    throw await forgottenSession(state, response, exchange);
  if (answer === undefined) throw refused(response, state.requester.url);
  state.handlers.onMessage(answer, id);
}

async function takeStream(
  state: State,
  response: IncomingMessage,
  { id, modern, signal }: Exchange,
): Promise<void> {
  const position: StreamPosition = { lastId: undefined, retryMs: undefined };
  const answered = follow(state, response, position, id);
  if (id === undefined || (await answered)) return;
  const resumption = {
    signal,
    isOver: () => state.ended.signal.aborted,
    open: (position: StreamPosition) => openStream(state, position, signal),
    follow: (resumed: IncomingMessage) => follow(state, resumed, position, id),
  };
  if (modern || !(await resumeStream(position, resumption)))
    throw new TransportError("the stream ended without a response", {
      sent: true,
      answered: true,
    });
}

function follow(
  { options, handlers }: State,
  response: IncomingMessage,
  position: StreamPosition,
  id?: RequestId,
) {
  return followStream(response, position, { id, limitBytes: options.maxMessageBytes, handlers });
}

function openStream(
  state: State,
  { lastId }: StreamPosition,
  signal: AbortSignal | undefined,
): Promise<IncomingMessage> {
  const resumeHeaders = lastId !== undefined && { "last-event-id": lastId };
  const headers = { accept: "text/event-stream", ...sessionHeaders(state), ...resumeHeaders };
  return state.requester.ask({ method: "GET", headers, signal, startsSignIn: false });
}

function listen(state: State): void {
  if (state.isListening || state.protocolVersion === modernVersion) return;
  state.isListening = true;
  const { signal } = state.ended;
  void keepListening({
    url: state.requester.url,
    signal,
    open: (position) => openStream(state, position, signal),
    follow: (response, position) => follow(state, response, position),
    // What is under way may have been seen, whatever happened to this stream.
    onLost({ message, status }) {
      const reason = new TransportError(message, { sent: true, status });
      if (status === 404) retireSession(state, reason);
      else endSession(state, reason);
    },
  });
}

async function close(state: State): Promise<void> {
  const { requester, sessionId } = state;
  const headers = sessionHeaders(state);
  state.isClosedByUs = true;
  state.ended.abort();
  if (sessionId !== undefined && !state.isSessionForgotten) {
    const signal = AbortSignal.timeout(goodbyeMs);
    const goodbye = requester.ask({ method: "DELETE", headers, signal, startsSignIn: false });
    await abortable(goodbye, signal).catch(() => undefined);
  }
  requester.close();
}

const versionKey = "io.modelcontextprotocol/protocolVersion";

/** What a message of the revision without sessions repeats in its headers; undefined for any other message. */
export function modernHeaders(
  message: OutgoingMessage,
  settledVersion: string | undefined,
): Record<string, string> | undefined {
  const params = "method" in message ? (message.params ?? {}) : {};
  const namedVersion = isObject(params._meta) ? params._meta[versionKey] : undefined;
  const version = typeof namedVersion === "string" ? namedVersion : settledVersion;
  if (version === undefined || (version !== namedVersion && version !== modernVersion))
    return undefined;
  const name = [params.name, params.uri, params.taskId].find((text) => typeof text === "string");
  return {
    "mcp-protocol-version": version,
    ...("method" in message && { "mcp-method": message.method }),
    ...(name !== undefined && { "mcp-name": encodeHeaderValue(name) }),
  };
}
