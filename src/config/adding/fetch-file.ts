import { EgressRefused, type Gate } from "../../lib/net/egress.ts";
import { exchange } from "../../lib/net/exchange.ts";
import { ProxyFailed } from "../../lib/net/proxy.ts";
import { PlaneError } from "../../model/errors.ts";

type FetchOptions = { gate: Gate; maxBytes: number; headers?: Readonly<Record<string, string>>; limitMs?: number };

export type Fetched = { url: URL; status: number; body: Buffer };

const maxRedirects = 5;
const defaultLimitMs = 15_000;

/** With its redirects, each of which passes the gate. Rejects with a `PlaneError` that names the host alone. */
export async function fetchFile(url: URL, options: FetchOptions): Promise<Fetched> {
  const { limitMs = defaultLimitMs, gate, maxBytes, headers = {} } = options;
  const signal = AbortSignal.timeout(limitMs);
  let from = url;
  try {
    for (let count = 0; count <= maxRedirects; count++) {
      const answer = await exchange(from, { gate, method: "GET", headers, signal, maxBytes });
      const { location } = answer.headers;
      if (answer.status < 300 || answer.status > 399 || location === undefined)
        return { url: from, status: answer.status, body: answer.body };
      const next = new URL(location, from);
      if (!/^https?:$/.test(next.protocol) || (from.protocol === "https:" && next.protocol === "http:"))
        throw new Error("it redirects to where no TLS is spoken");
      from = next;
    }
    throw new Error(`it redirects more than ${maxRedirects} times`);
  } catch (thrown) {
    throw unreachable(from, thrown, limitMs);
  }
}

function unreachable(url: URL, thrown: unknown, limitMs: number): PlaneError {
  const { name, message, code } = thrown as NodeJS.ErrnoException;
  const why = name === "TimeoutError" ? `it did not answer within ${limitMs / 1000} s` : (code ?? message);
  const said = thrown instanceof EgressRefused || thrown instanceof ProxyFailed ? message : why;
  return new PlaneError("SERVER_UNAVAILABLE", `${url.host} cannot be asked: ${said}.`, { cause: thrown });
}
