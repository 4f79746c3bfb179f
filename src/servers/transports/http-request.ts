import http, { type ClientRequest, type IncomingMessage, type RequestOptions } from "node:http";
import https from "node:https";
import type { Socket } from "node:net";
import { setImmediate as nextTurn } from "node:timers/promises";
import { urlToHttpOptions } from "node:url";
import { TransportError } from "../../protocol/message.ts";
import { connectFailure, refused } from "./http-response.ts";

type HeaderMap = Readonly<Record<string, string>>;

/** Credentials that may change while a connection lasts. */
export type Access = {
  /** Found anew for every request. May reject with a PlaneError, passed on as it is. */
  authorize?(): Promise<HeaderMap>;
  /** True when one more try makes sense. May reject with a PlaneError, passed on as it is. */
  onRefused?(challenge: { status: number; wwwAuthenticate: string | null }): Promise<boolean>;
};

export type HttpOptions = Access & {
  url: string;
  headers: HeaderMap;
  maxMessageBytes: number;
};

export type Ask = {
  method: "POST" | "GET" | "DELETE";
  /** Default: the configured one. */
  url?: URL;
  headers: HeaderMap;
  body?: string;
  signal?: AbortSignal | undefined;
  /** A background request starts no sign-in. */
  background?: boolean;
  /** It does the same however often it arrives. */
  isHarmless?: boolean;
};

export type Requester = {
  url: URL;
  /** Resolves with any answer. */
  ask(ask: Ask): Promise<IncomingMessage>;
  /** Cuts running requests. */
  close(): void;
};

/** After this, the other side may have closed a kept socket. */
const idleMs = 10;

/** The requests of one connection, over its own sockets. */
export function createRequester(options: HttpOptions): Requester {
  const url = new URL(options.url);
  // Parsing an address costs as much as the rest of a request over a kept socket.
  const address = addressOf(url);
  const client = url.protocol === "https:" ? https : http;
  const agent = new client.Agent({ keepAlive: true });
  let open = true;
  let lastIdentity: HeaderMap | undefined;
  let usedAt = performance.now();

  /** A DELETE uses the last credentials, also revoked ones. */
  async function identityFor(method: Ask["method"]): Promise<HeaderMap | undefined> {
    if (method === "DELETE" && lastIdentity) return lastIdentity;
    lastIdentity = options.authorize && (await options.authorize());
    return lastIdentity;
  }

  async function askOnce(ask: Ask): Promise<IncomingMessage> {
    const { method, url: target = url, headers, body, signal, isHarmless } = ask;
    const identity = await identityFor(method);
    if (performance.now() - usedAt > idleMs) await hearWhatCame();
    usedAt = performance.now();
    if (!open) throw new TransportError("the connection was closed", { sent: false });
    return new Promise((resolve, reject) => {
      const request: ClientRequest = client.request({
        ...(target === url ? address : addressOf(target)),
        method,
        agent,
        headers: {
          ...options.headers,
          ...identity,
          ...headers,
          "accept-encoding": "identity",
          ...(body === undefined ? {} : { "content-length": Buffer.byteLength(body) }),
        },
      });
      cutWhenAborted(request, signal);
      let reached = () => false;
      request.on("socket", (socket) => {
        reached = watchWrites(socket);
      });
      request.on("error", (error) => {
        // The other side may have closed a kept socket in the same moment; a new one shows whether it is still there.
        if (isHarmless && request.reusedSocket && isCut(error)) return resolve(askOnce(ask));
        reject(new TransportError(connectFailure(error, target), { sent: reached(), cause: error }));
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
    async ask(ask) {
      const response = await askOnce(ask).catch(withReason);
      const { statusCode: status = 0, headers } = response;
      if (ask.background || !options.onRefused || (status !== 401 && status !== 403)) return response;
      response.resume();
      const wwwAuthenticate = headers["www-authenticate"] ?? null;
      if (!(await options.onRefused({ status, wwwAuthenticate }))) throw refused(response, ask.url ?? url);
      return askOnce(ask).catch(withReason);
    },
    close() {
      open = false;
      agent.destroy();
    },
  };
}

/** No more than a request needs: Node copies all of it. */
function addressOf(url: URL): Pick<RequestOptions, "protocol" | "hostname" | "port" | "path" | "auth"> {
  const { protocol, hostname, port, path, auth } = urlToHttpOptions(url);
  return { protocol, hostname, port, path, ...(auth === undefined ? {} : { auth }) };
}

/** Node needs a dozen listeners for this where two suffice. */
function cutWhenAborted(request: ClientRequest, signal: AbortSignal | undefined): void {
  if (signal === undefined) return;
  const cut = () => void request.destroy(new DOMException("The request was given up.", "AbortError"));
  if (signal.aborted) return cut();
  signal.addEventListener("abort", cut, { once: true });
  request.once("close", () => signal.removeEventListener("abort", cut));
}

/** Nothing is sent before the connection stands, and a kept socket may be dead. */
function watchWrites(socket: Socket): () => boolean {
  const before = socket.bytesWritten;
  let connected = !socket.connecting;
  const ready = "encrypted" in socket ? "secureConnect" : "connect";
  if (!connected) {
    socket.once(ready, () => {
      connected = true;
    });
  }
  return () => connected && socket.bytesWritten > before;
}

/** A closed socket is known only once the event loop has looked again. */
async function hearWhatCame(): Promise<void> {
  await nextTurn();
  await nextTurn();
}

function isCut({ code }: NodeJS.ErrnoException): boolean {
  return code === "ECONNRESET" || code === "EPIPE";
}

/** Node refuses some headers by throwing; it names them and not their values. */
function withReason(thrown: unknown): never {
  const code = thrown instanceof TypeError && "code" in thrown ? String(thrown.code) : "";
  if (!(thrown instanceof TypeError) || !/HEADER|CHAR|TOKEN/.test(code)) throw thrown;
  const options = { sent: false, permanent: true, cause: thrown };
  throw new TransportError(`a header cannot be sent: ${thrown.message}. Check 'headers'`, options);
}
