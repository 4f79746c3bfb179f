import { EgressRefused, type StrictGate } from "@toolplane/core/lib/net/egress";
import { exchange } from "@toolplane/core/lib/net/exchange";
import { ProxyFailed } from "@toolplane/core/lib/net/proxy";
import { PlaneError } from "@toolplane/core/model/errors";
import { type Address, asAddress, foreign, urlOf } from "@toolplane/core/model/foreign";

type FetchOptions = {
  /** For another origin that the first one sends us to. */
  redirects: StrictGate;
  maxBytes: number;
  headers?: Readonly<Record<string, string>>;
  /** For the first origin alone. */
  ownHeaders?: Readonly<Record<string, string>>;
  limitMs?: number;
};

export type Fetched = { url: URL; status: number; body: Buffer };

const maxRedirects = 5;
const defaultLimitMs = 15_000;

/** With its redirects, each of which passes a gate. Rejects with a `PlaneError` that names the host alone. */
export async function fetchFile(first: Address, options: FetchOptions): Promise<Fetched> {
  const { limitMs = defaultLimitMs, redirects, maxBytes, headers = {}, ownHeaders = {} } = options;
  const signal = AbortSignal.timeout(limitMs);
  let address = first;
  let sentHeaders = { ...headers, ...ownHeaders };
  try {
    for (let count = 0; count <= maxRedirects; count++) {
      const { url, gate } = address;
      const answer = await exchange(url, {
        gate,
        method: "GET",
        headers: sentHeaders,
        signal,
        maxBytes,
      });
      const { location } = answer.headers;
      if (answer.status < 300 || answer.status > 399 || location === undefined)
        return { url, status: answer.status, body: answer.body };
      const redirectUrl = urlOf(foreign(location), url);
      const next = redirectUrl && asAddress(redirectUrl, redirects);
      if (next === null || (url.protocol === "https:" && next.url.protocol === "http:"))
        throw new Error("it redirects to an address without TLS, or to none");
      // Another origin has its own gate, and gets nothing that was meant for this one, also if it sends us back.
      const isSame = next.url.origin === url.origin;
      address = isSame ? { url: next.url, gate } : next;
      if (!isSame) sentHeaders = { ...headers };
    }
    throw new Error(`it redirects more than ${maxRedirects} times`);
  } catch (thrown) {
    throw unreachable(address.url, thrown, limitMs);
  }
}

function unreachable(url: URL, thrown: unknown, limitMs: number): PlaneError {
  const reason = failureOf(thrown as NodeJS.ErrnoException, limitMs);
  return new PlaneError("SERVER_UNAVAILABLE", `Cannot fetch from ${url.host}: ${reason}.`, {
    cause: thrown,
  });
}

function failureOf(thrown: NodeJS.ErrnoException, limitMs: number): string {
  const { name, message, code } = thrown;
  if (thrown instanceof EgressRefused || thrown instanceof ProxyFailed) return message;
  if (name === "TimeoutError" || name === "AbortError")
    return `it did not answer within ${limitMs / 1000} s`;
  return code ?? message;
}
