import http, { type ClientRequest, type IncomingMessage, type RequestOptions } from "node:http";
import https from "node:https";
import type { Socket } from "node:net";
import { setImmediate as nextTurn } from "node:timers/promises";
import { urlToHttpOptions } from "node:url";
import { TransportError } from "../../protocol/message.ts";
import { connectFailure, refused } from "./http-response.ts";

type HeaderMap = Readonly<Record<string, string>>;

/** Who asks, where that changes while a connection lasts. */
export type Access = {
  /** Headers that say who asks, found anew for every request. May reject with a PlaneError, which is passed on as it is. */
  authorize?(): Promise<HeaderMap>;
  /** The server refused who asks. True when the same request may be tried again, once. May reject with a PlaneError, passed on as it is. */
  onRefused?(challenge: { status: number; wwwAuthenticate: string | null }): Promise<boolean>;
};

export type HttpOptions = Access & {
  url: string;
  headers: HeaderMap;
  maxMessageBytes: number;
};

export type Ask = {
  method: "POST" | "GET" | "DELETE";
  /** Instead of the configured one. */
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
  /** Resolves with whatever the server answers. */
  ask(ask: Ask): Promise<IncomingMessage>;
  /** Cuts what is under way. */
  close(): void;
};

/** After this, the other side may have closed a kept socket. */
const idleMs = 10;

/** Makes the requests of one connection, over sockets of its own, and says who asks. */
export function createRequester(options: HttpOptions): Requester {
  const url = new URL(options.url);
  // Taking an address apart costs as much as the rest of a request that is made over a kept socket.
  const address = addressOf(url);
  const client = url.protocol === "https:" ? https : http;
  const agent = new client.Agent({ keepAlive: true });
  let open = true;
  let lastIdentity: HeaderMap | undefined;
  let usedAt = performance.now();

  /** A DELETE uses the last credentials, also when they were revoked. */
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

/** What a request needs of an address, and no more: Node copies all that it is given. */
function addressOf(url: URL): Pick<RequestOptions, "protocol" | "hostname" | "port" | "path" | "auth"> {
  const { protocol, hostname, port, path, auth } = urlToHttpOptions(url);
  return { protocol, hostname, port, path, ...(auth === undefined ? {} : { auth }) };
}

/** Node does the same for a signal that it is given, with a dozen listeners for what needs two. */
function cutWhenAborted(request: ClientRequest, signal: AbortSignal | undefined): void {
  if (signal === undefined) return;
  const cut = () => void request.destroy(new DOMException("The request was given up.", "AbortError"));
  if (signal.aborted) return cut();
  signal.addEventListener("abort", cut, { once: true });
  request.once("close", () => signal.removeEventListener("abort", cut));
}

/** Nothing is sent before the connection stands, and a socket that was kept may be dead already. */
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

/** A socket that was closed while we were busy is only known to be once the event loop has looked again. */
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
