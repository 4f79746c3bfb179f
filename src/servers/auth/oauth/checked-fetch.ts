import { EgressRefused, type Gate, type StrictGate } from "../../../lib/net/egress.ts";
import { AnswerTooLarge, type Exchanged, exchange } from "../../../lib/net/exchange.ts";
import { ProxyFailed } from "../../../lib/net/proxy.ts";
import { retryAfterMs } from "../../../lib/net/send-request.ts";
import { isObject, type UnknownObject } from "../../../model/json.ts";
import { TransportError } from "../../../protocol/message.ts";
import { OAuthProblem } from "../problems.ts";

const timeoutMs = 10_000;
const maxBodyBytes = 512 * 1024;
const maxRedirects = 3;

/** Throws when a document's address must not be fetched or opened. */
export function allowedUrl(text: unknown, what: string, gate: StrictGate): URL {
  if (typeof text !== "string" || !URL.canParse(text))
    throw new OAuthProblem(`${what} is not an address`);
  const url = new URL(text);
  const shown = url.origin === "null" ? url.protocol : url.origin;
  const isSafe = url.protocol === "https:" || (url.protocol === "http:" && gate.allowsPlain(url));
  if (!isSafe) throw new OAuthProblem(`${what} (${shown}) must be https, or http on this machine`);
  if (url.username !== "" || url.password !== "")
    throw new OAuthProblem(`${what} (${shown}) must not hold a user name or password`);
  try {
    gate.connection(url);
  } catch (thrown) {
    throw fetchFailure(thrown as Error, url);
  }
  return url;
}

/** Before a person is sent there, or a secret is made for it. */
export async function judgeName(url: URL, gate: Gate): Promise<void> {
  await gate.check(url).catch((thrown) => {
    throw fetchFailure(thrown, url);
  });
}

/** With a body it is a POST. */
type FetchOptions = {
  headers?: Readonly<Record<string, string>>;
  body?: URLSearchParams | string | undefined;
};

export type CheckedFetch = (url: string, options?: FetchOptions) => Promise<Response>;

/** Limits time, size and network. Follows redirects only of GET and within one origin. */
export function checkedFetch(gate: Gate): CheckedFetch {
  return async (address, { headers, body } = {}) => {
    const signal = AbortSignal.timeout(timeoutMs);
    const method = body === undefined ? "GET" : "POST";
    const requestOptions = { gate, method, body: body?.toString(), signal, maxBytes: maxBodyBytes };
    let url = new URL(address);
    for (let redirects = 0; ; redirects += 1) {
      const answer = await exchange(url, {
        ...requestOptions,
        headers: { accept: "application/json", ...headers },
      }).catch((thrown) => {
        throw fetchFailure(thrown, url, signal, gate.stopping);
      });
      const { location } = answer.headers;
      if (answer.status < 300 || answer.status >= 400 || location === undefined)
        return toResponse(answer);
      const target = URL.parse(location, url.href);
      const isSameOrigin =
        target?.origin === url.origin && target.username === "" && target.password === "";
      if (!isSameOrigin || body !== undefined || redirects === maxRedirects)
        throw new OAuthProblem(`${url.origin} redirects, which is not followed`);
      url = target;
    }
  };
}

function toResponse({ status, headers, body }: Exchanged): Response {
  const { location, "www-authenticate": challenge, "retry-after": retryAfter } = headers;
  return new Response(body.length === 0 ? null : body.toString("utf8"), {
    // Response refuses a status that HTTP does not define.
    status: Math.min(status, 599),
    headers: {
      ...(location && { location }),
      ...(challenge && { "www-authenticate": challenge }),
      ...(retryAfter && { "retry-after": retryAfter }),
    },
  });
}

/** Only the origin: a path or query may hold secrets. The MCP server itself got nothing. */
function fetchFailure(
  error: NodeJS.ErrnoException,
  url: URL,
  limit?: AbortSignal,
  stopping?: AbortSignal,
): Error {
  if (error instanceof EgressRefused) return new OAuthProblem(error.message);
  if (error instanceof AnswerTooLarge) return new OAuthProblem(`${url.origin} answers too much`);
  const hangs = limit?.aborted ?? false;
  const reason = reasonOf(error, hangs, stopping?.aborted ?? false);
  return new TransportError(`${url.origin} could not be asked: ${reason}`, {
    sent: false,
    endpoint: { origin: url.origin, restMs: 0, hangs },
    cause: error,
  });
}

function reasonOf(error: NodeJS.ErrnoException, hangs: boolean, isStopping: boolean): string {
  if (isStopping) return "the plane is stopping";
  if (hangs) return `no answer within ${timeoutMs / 1_000} s`;
  return error instanceof ProxyFailed ? error.message : (error.code ?? "it broke off");
}

/** For an answer that says "later". */
export function retryLaterError(origin: string, text: string, response: Response): TransportError {
  return new TransportError(`${origin} ${text}`, {
    sent: false,
    endpoint: { origin, restMs: 0, hangs: false },
    retryAfterMs: retryAfterMs(response.headers.get("retry-after")),
  });
}

export async function readJsonObject(response: Response): Promise<UnknownObject | null> {
  const body: unknown = await response.json().catch(() => null);
  return isObject(body) ? body : null;
}
