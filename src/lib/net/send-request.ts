import type { Gate } from "./egress.ts";
import type { Agents, Exchanged } from "./exchange.ts";
import { ProxyFailed } from "./proxy.ts";

export type OutgoingRequest = {
  url: URL;
  method: string;
  headers: Record<string, string>;
  body: string | Uint8Array | undefined;
};

export type HttpSendOptions = {
  gate: Gate;
  agents?: Agents | undefined;
  signal: AbortSignal;
  maxBytes: number;
  /** The setting that a person corrects when the address has moved. */
  addressKey: string;
  /** The request may arrive twice without harm. */
  mayRepeat?: boolean | undefined;
  /** From now on the other side may see the request. */
  onWrite?: (() => void) | undefined;
};

/** Why there is no answer. The message goes on from the name of the other side. */
export class RequestFailed extends Error {
  override readonly name = "RequestFailed";
  readonly kind: "connection" | "tooLarge" | "broken";
  /** May the other side have seen it? */
  readonly sent: boolean;
  /** Whether the same request would fail again. */
  readonly permanent: boolean;

  constructor(message: string, { kind = "connection", sent, permanent = false, cause }: Failure) {
    super(message, { cause });
    this.kind = kind;
    this.sent = sent;
    this.permanent = permanent;
  }
}

type Failure = {
  kind?: RequestFailed["kind"];
  sent: boolean;
  permanent?: boolean;
  cause?: unknown;
};

const maxRedirects = 5;

const safeMethods: readonly string[] = ["GET", "HEAD"];

/** Follows redirects within the origin; headers and arguments go to no other. Rejects with `RequestFailed`. */
export async function sendRequest(
  first: OutgoingRequest,
  options: HttpSendOptions,
): Promise<Exchanged> {
  let request = first;
  for (let hops = 0; ; hops++) {
    const response = await ask(request, options).catch((thrown) => {
      throw hops > 0 ? asSent(thrown) : thrown;
    });
    const { location } = response.headers;
    if (response.status < 300 || response.status >= 400 || location === undefined) return response;
    const target = URL.parse(location, request.url.href);
    const failure = { sent: true, permanent: true };
    if (target?.origin !== first.url.origin)
      throw new RequestFailed(
        `it redirects to ${target?.origin ?? "nowhere"}; set '${options.addressKey}' to that`,
        failure,
      );
    if (hops === maxRedirects) throw new RequestFailed("it redirects again and again", failure);
    const next = redirected(request, target, response.status);
    // It has arrived once, and a redirect is no proof that nothing was done.
    if (!options.mayRepeat && !safeMethods.includes(next.method))
      throw new RequestFailed(
        `it redirects to ${target.pathname}, and a request that may change something is not sent twice; set '${options.addressKey}' to that`,
        failure,
      );
    request = next;
  }
}

/** Its first hop had arrived, whatever became of this one. */
function asSent(thrown: unknown): unknown {
  if (!(thrown instanceof RequestFailed) || thrown.sent) return thrown;
  const { message, kind, permanent, cause } = thrown;
  return new RequestFailed(message, { kind, permanent, cause, sent: true });
}

function redirected(
  { method, headers, body }: OutgoingRequest,
  url: URL,
  status: number,
): OutgoingRequest {
  if (status === 307 || status === 308 || method === "GET" || method === "HEAD")
    return { url, method, headers, body };
  const { "content-type": _, ...otherHeaders } = headers;
  return { url, method: "GET", headers: otherHeaders, body: undefined };
}

async function ask(
  { url, ...request }: OutgoingRequest,
  { addressKey: _, mayRepeat: __, ...options }: HttpSendOptions,
): Promise<Exchanged> {
  // Node's HTTP stack is loaded with the first request.
  const { exchange } = await import("./exchange.ts");
  let isConnected = false;
  const onWrite = () => {
    isConnected = true;
    options.onWrite?.();
  };
  try {
    return await exchange(url, { ...request, ...options, onWrite });
  } catch (cause) {
    const { name, message } = cause as Error;
    if (name === "EgressRefused")
      throw new RequestFailed(message, { sent: false, permanent: true, cause });
    if (name === "AnswerTooLarge")
      throw new RequestFailed("its answer is too large", { kind: "tooLarge", sent: true, cause });
    if (name === "AnswerBroken")
      throw new RequestFailed("its answer broke off", { kind: "broken", sent: true, cause });
    const permanent = isUnwritable(codeOf(cause));
    throw new RequestFailed(connectFailure(cause, url.host), {
      sent: isConnected,
      permanent,
      cause,
    });
  }
}

/** Failures before anything was sent. */
const unsent = [
  "ERR_PROXY",
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "UND_ERR_CONNECT_TIMEOUT",
];

export function wasSent(thrown: unknown): boolean {
  const code = codeOf(thrown);
  return !(unsent.includes(code) || isCertificate(code) || isUnwritable(code));
}

/** Node refused to write the request: a header, the method or the address cannot be sent. */
function isUnwritable(code: string): boolean {
  return /^ERR_(?:HTTP_)?(?:INVALID|UNESCAPED)/.test(code);
}

export function connectFailure(thrown: unknown, host: string): string {
  const code = codeOf(thrown);
  if (thrown instanceof Error && thrown.name === "AbortError") return "the request was given up";
  if (thrown instanceof ProxyFailed) return thrown.message;
  if (code === "ECONNREFUSED")
    return `nothing listens at ${host}; start it, or correct its address`;
  if (code === "ENOTFOUND" || code === "EAI_AGAIN") return `${host} was not found`;
  if (isUnwritable(code))
    return `its request cannot be made (${code}); correct its 'url', 'method' or 'headers'`;
  if (isCertificate(code)) return `its certificate is not trusted (${code})`;
  if (code === "ECONNRESET" || code === "UND_ERR_SOCKET") return "the connection was cut";
  if (code === "") return "the request could not be made";
  return `the connection failed (${code})`;
}

function isCertificate(code: string): boolean {
  return /CERT|SELF_SIGNED|UNABLE_TO/.test(code);
}

/** `fetch`, model clients and retries each wrap the cause. */
function codeOf(thrown: unknown, depth = 0): string {
  if (!(thrown instanceof Error) || depth > 4) return "";
  if ("code" in thrown && typeof thrown.code === "string") return thrown.code;
  return codeOf(thrown instanceof AggregateError ? thrown.errors[0] : thrown.cause, depth + 1);
}

/** Busy or too early: the same request may be answered later. */
export const busyStatuses: readonly number[] = [408, 425, 429];

/** Of a header. Undefined where it says no time. */
export function retryAfterMs(
  header: string | null | undefined,
  now = Date.now(),
): number | undefined {
  if (header === null || header === undefined || header.trim() === "") return undefined;
  if (/^\s*\d+\s*$/.test(header)) return Number(header) * 1_000;
  const retryAt = Date.parse(header);
  if (Number.isNaN(retryAt)) return undefined;
  return Math.max(0, retryAt - now);
}
