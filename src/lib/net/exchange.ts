import http, { type ClientRequest, type IncomingHttpHeaders } from "node:http";
import https from "node:https";
import type { Socket } from "node:net";
import { urlToHttpOptions } from "node:url";
import { decodeBody } from "./decode-body.ts";
import type { Gate } from "./egress.ts";
import { wayThroughProxy } from "./proxy-agent.ts";

export type ExchangeOptions = {
  /** Decides on the address, and on every address of its name. */
  gate: Gate;
  method: string;
  headers?: Readonly<Record<string, string>>;
  body?: string | Uint8Array | undefined;
  signal: AbortSignal;
  /** Of the answer, once it is decoded. */
  maxBytes: number;
  /** Keeps sockets; without it each exchange has its own. */
  agents?: Agents | undefined;
  /** The connection stands: from now on the other side may see the request. */
  onWrite?: (() => void) | undefined;
};

export type Exchanged = {
  status: number;
  statusText: string;
  headers: IncomingHttpHeaders;
  body: Buffer;
};

/** Sockets that one gate has let through; never shared between gates. */
export type Agents = { "http:": http.Agent; "https:": https.Agent };

export function createAgents(): Agents {
  return {
    "http:": new http.Agent({ keepAlive: true }),
    "https:": new https.Agent({ keepAlive: true }),
  };
}

export class AnswerTooLarge extends Error {
  override readonly name = "AnswerTooLarge";
}

/** Its beginning came, its end did not, or it cannot be decoded. */
export class AnswerBroken extends Error {
  override readonly name = "AnswerBroken";
}

/** One request and its whole answer; redirects are the caller's. Rejects with an error of this module, `EgressRefused`, or what Node says. */
export async function exchange(url: URL, options: ExchangeOptions): Promise<Exchanged> {
  const { gate, method, headers, body, signal, maxBytes, agents, onWrite } = options;
  signal.throwIfAborted();
  gate.stopping?.throwIfAborted();
  const { promise, resolve, reject } = Promise.withResolvers<Exchanged>();
  const isTls = url.protocol === "https:";
  const judged = gate.connection(url);
  const proxyWay = wayThroughProxy(url, judged);
  const { protocol, hostname, port, path, auth } = urlToHttpOptions(url);
  const requestHeaders: Record<string, string> = { ...headers, ...proxyWay?.headers };
  if (body !== undefined) requestHeaders["content-length"] = String(Buffer.byteLength(body));
  const request = (isTls ? https : http).request({
    protocol,
    hostname,
    port,
    path: proxyWay?.pathOf(url) ?? path,
    auth,
    lookup: judged.lookup,
    method,
    headers: requestHeaders,
    agent: proxyWay?.agent ?? agents?.[isTls ? "https:" : "http:"] ?? false,
  });
  cutWhenAborted(request, signal);
  if (gate.stopping) cutWhenAborted(request, gate.stopping);
  if (onWrite) request.on("socket", (socket) => whenConnected(socket, onWrite));
  request.on("error", reject);
  request.on("response", (response) => {
    const chunks: Buffer[] = [];
    let size = 0;
    try {
      const decoded = decodeBody(response);
      decoded.on("data", (chunk: Buffer) => {
        size += chunk.length;
        if (size > maxBytes) decoded.destroy(new AnswerTooLarge(`more than ${maxBytes} bytes`));
        else chunks.push(chunk);
      });
      decoded.on("end", () => {
        resolve({
          status: response.statusCode ?? 0,
          statusText: response.statusMessage ?? "",
          headers: response.headers,
          body: Buffer.concat(chunks),
        });
      });
      decoded.on("error", (cause) =>
        reject(cause instanceof AnswerTooLarge ? cause : brokenAnswer(cause)),
      );
      // An error is dear to make, and each answer closes.
      decoded.on("close", () => void (decoded.readableEnded || reject(brokenAnswer())));
    } catch (cause) {
      reject(brokenAnswer(cause));
    }
  });
  request.end(body);
  return promise;
}

/** Nothing is written before; over TLS not before its handshake. */
export function whenConnected(socket: Socket, onConnected: () => void): void {
  if (!socket.connecting) onConnected();
  else socket.once("encrypted" in socket ? "secureConnect" : "connect", onConnected);
}

/** Node needs a dozen listeners for this where two suffice. */
export function cutWhenAborted(request: ClientRequest, signal: AbortSignal): void {
  const cut = () =>
    void request.destroy(
      Object.assign(new Error("The request was given up."), {
        name: "AbortError",
        code: "ABORT_ERR",
      }),
    );
  if (signal.aborted) return cut();
  signal.addEventListener("abort", cut, { once: true });
  request.once("close", () => signal.removeEventListener("abort", cut));
}

function brokenAnswer(cause?: unknown): AnswerBroken {
  return new AnswerBroken("the answer broke off", { cause });
}
