import http, { type ClientRequest, type IncomingMessage, type RequestOptions } from "node:http";
import https from "node:https";
import type { Socket } from "node:net";
import { setImmediate as nextTurn } from "node:timers/promises";
import { urlToHttpOptions } from "node:url";
import { configured, type Gate, type StrictGate } from "../../lib/net/egress.ts";
import { cutWhenAborted, whenConnected } from "../../lib/net/exchange.ts";
import { ProxyFailed } from "../../lib/net/proxy.ts";
import { type ProxyWay, wayThroughProxy } from "../../lib/net/proxy-agent.ts";
import type { ServerDefinition } from "../../model/servers/server.ts";
import { type OutgoingMessage, TransportError } from "../../protocol/message.ts";
import type { FindTransport } from "./added.ts";
import { cutCodes, refused, transportFailure } from "./http-response.ts";

type HeaderMap = Readonly<Record<string, string>>;

/** What only the server itself tells of where it is and how callers sign in. */
export type CredentialTarget = Pick<ServerDefinition, "url" | "auth">;

/** Credentials that may change while a connection lasts. */
export type RequestCredentials = {
  /** Found again for every request. May reject with a PlaneError, passed on as it is. */
  authorize?(described?: CredentialTarget): Promise<HeaderMap>;
  /** True when one more try makes sense. May reject with a PlaneError, passed on as it is. */
  onRefused?(challenge: Challenge, described?: CredentialTarget): Promise<boolean>;
  /** Which addresses this configured one may name. */
  namedBy?(owner: string): Promise<StrictGate>;
  /** Rejects where its API document, or another file that its configuration names, is not what a person has trusted. */
  requireDocument?(place: string): Promise<void>;
  /** For addresses of a scheme that an extension speaks. */
  findTransport?: FindTransport;
};

type Challenge = { status: number; wwwAuthenticate: string | null };

export type HttpOptions = RequestCredentials & {
  url: string;
  headers: HeaderMap;
  maxMessageBytes: number;
};

type HttpRequest = {
  method: "POST" | "GET" | "DELETE";
  url?: URL;
  headers: HeaderMap;
  body?: string;
  signal?: AbortSignal | undefined;
  /** False for a request that nobody waits for: no person is asked to sign in. */
  startsSignIn?: boolean;
  /** It does the same however often it arrives. */
  mayRepeat?: boolean | undefined;
  onWrite?: (() => void) | undefined;
};

/** After this, the other side may have closed a kept socket. */
const idleMs = 10;

/** The requests of one connection, over its own sockets. */
export function createRequester(options: HttpOptions) {
  const url = new URL(options.url);
  const client = url.protocol === "https:" ? https : http;
  const connection = judgeConnection(url);
  const proxy = proxyWay(url, connection);
  // Parsing an address costs as much as the rest of a request over a kept socket.
  const address = addressOf(url, proxy);
  const fixedHeaders = proxy ? { ...options.headers, ...proxy.headers } : options.headers;
  const agent = proxy?.agent ?? new client.Agent({ keepAlive: true, lookup: connection.lookup });
  let isOpen = true;
  let lastIdentity: HeaderMap | undefined;
  let usedAt = performance.now();
  let backlog = 0;

  /** A DELETE uses the last credentials, also revoked ones. */
  async function identityFor(method: HttpRequest["method"]): Promise<HeaderMap | undefined> {
    if (method === "DELETE" && lastIdentity) return lastIdentity;
    lastIdentity = options.authorize && (await options.authorize());
    return lastIdentity;
  }

  async function askOnce(httpRequest: HttpRequest): Promise<IncomingMessage> {
    const { method, url: target = url, headers, body, signal, mayRepeat, onWrite } = httpRequest;
    const identity = await identityFor(method);
    // A closed socket is known only once the event loop has looked again.
    if (performance.now() - usedAt > idleMs) await nextTurn().then(() => nextTurn());
    usedAt = performance.now();
    if (!isOpen) throw new TransportError("the connection was closed", { sent: false });
    return new Promise((resolve, reject) => {
      const request: ClientRequest = client.request({
        ...(target === url ? address : addressOf(target, proxy)),
        method,
        agent,
        headers: {
          ...fixedHeaders,
          ...identity,
          ...headers,
          "accept-encoding": "identity",
          ...(body !== undefined && { "content-length": Buffer.byteLength(body) }),
        },
      });
      if (signal) cutWhenAborted(request, signal);
      const length = body?.length ?? 0;
      backlog += length;
      request.once("close", () => {
        backlog -= length;
      });
      let reached = () => false;
      request.on("socket", (socket) => {
        reached = watchWrites(socket, onWrite);
      });
      request.on("error", (error: NodeJS.ErrnoException) => {
        // The other side may have closed a kept socket in the same moment; a new one shows whether it is still there.
        if (mayRepeat && request.reusedSocket && cutCodes.includes(error.code))
          return resolve(askOnce(httpRequest));
        reject(
          new TransportError(transportFailure(error, target), { sent: reached(), cause: error }),
        );
      });
      request.on("response", (response) => {
        usedAt = performance.now();
        resolve(response);
      });
      request.end(body);
    });
  }

  return {
    url,
    async ask(httpRequest: HttpRequest): Promise<IncomingMessage> {
      const response = await askOnce(httpRequest).catch(withReason);
      if (httpRequest.startsSignIn === false || !options.onRefused || !isAboutAccess(response))
        return response;
      response.resume();
      const hasOthers = await mayAskAgain(response, options);
      if (!hasOthers || !mayRepeatRefused(response, httpRequest))
        throw refused(response, httpRequest.url ?? url);
      return askOnce(httpRequest).catch(withReason);
    },
    /** Of requests that are under way. */
    backlog: () => backlog,
    close(): void {
      isOpen = false;
      agent.destroy();
    },
  };
}

function isAboutAccess({ statusCode }: IncomingMessage): boolean {
  return statusCode === 401 || statusCode === 403;
}

/** All but a call are asked for, listed or told again without harm. */
export function mayArriveTwice(message: OutgoingMessage, mayRepeat: boolean | undefined): boolean {
  return "method" in message && (message.method !== "tools/call" || mayRepeat === true);
}

/** A challenge is what the protocol has for a request that was not let in. Another 401 or 403 may come from the tool. */
function mayRepeatRefused(
  { headers }: IncomingMessage,
  { mayRepeat = true }: HttpRequest,
): boolean {
  return mayRepeat || headers["www-authenticate"] !== undefined;
}

/** After a refusal, with other credentials. */
export async function mayAskAgain(
  response: IncomingMessage,
  { onRefused }: RequestCredentials,
): Promise<boolean> {
  if (!onRefused || !isAboutAccess(response)) return false;
  const { statusCode: status = 0, headers } = response;
  return onRefused({ status, wwwAuthenticate: headers["www-authenticate"] ?? null });
}

/** Throws where the address is one that no server has. */
export function judgeConnection(url: URL): ReturnType<Gate["connection"]> {
  return rethrowAsTransportError(() => configured.connection(url));
}

/** Null where the server is reached directly. */
export function proxyWay(url: URL, { proxied }: ReturnType<Gate["connection"]>): ProxyWay | null {
  return rethrowAsTransportError(() => wayThroughProxy(url, { proxied, keepAlive: true }));
}

function rethrowAsTransportError<T>(read: () => T): T {
  try {
    return read();
  } catch (cause) {
    if (cause instanceof ProxyFailed)
      throw new TransportError(cause.message, { sent: false, permanent: true, cause });
    throw new TransportError(`${(cause as Error).message}. Check 'url'`, {
      sent: false,
      permanent: true,
      cause,
    });
  }
}

/** No more than a request needs: Node copies all of it. */
function addressOf(
  url: URL,
  proxy: ProxyWay | null,
): Pick<RequestOptions, "protocol" | "hostname" | "port" | "path" | "auth"> {
  const { protocol, hostname, port, path, auth } = urlToHttpOptions(url);
  return {
    protocol,
    hostname,
    port,
    path: proxy?.pathOf(url) ?? path,
    ...(auth !== undefined && { auth }),
  };
}

/** Nothing is sent before the connection stands, and a kept socket may be dead. */
function watchWrites(socket: Socket, onWrite?: () => void): () => boolean {
  const bytesBefore = socket.bytesWritten;
  let connected = false;
  whenConnected(socket, () => {
    connected = true;
    onWrite?.();
  });
  return () => connected && socket.bytesWritten > bytesBefore;
}

/** Node refuses some headers by throwing; it names them and not their values. */
function withReason(thrown: unknown): never {
  const isHeader =
    thrown instanceof TypeError &&
    "code" in thrown &&
    /HEADER|CHAR|TOKEN/.test(String(thrown.code));
  if (!isHeader) throw thrown;
  const reason = `a header cannot be sent: ${thrown.message}. Check 'headers'`;
  throw new TransportError(reason, { sent: false, permanent: true, cause: thrown });
}
