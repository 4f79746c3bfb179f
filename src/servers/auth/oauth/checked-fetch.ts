import { lookup } from "node:dns/promises";
import http from "node:http";
import https from "node:https";
import net, { isIP, type LookupFunction } from "node:net";
import { isObject, type UnknownObject } from "../../../model/json.ts";
import { TransportError } from "../../../protocol/message.ts";
import { OAuthProblem } from "../problems.ts";

const timeoutMs = 10_000;
const maxBodyBytes = 512 * 1024;
const maxRedirects = 3;

/** Where an address that another party names may lead. */
export type Reach = { privateToo: boolean };

const privateNetworks = new net.BlockList();
for (const network of [
  ...["0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12"],
  ...["192.0.0.0/24", "192.168.0.0/16", "198.18.0.0/15", "224.0.0.0/3"],
  ...["::/127", "64:ff9b:1::/48", "2001::/32", "2002::/16", "fc00::/7", "fe80::/9", "ff00::/8"],
]) {
  const [address = "", bits] = network.split("/");
  privateNetworks.addSubnet(address, Number(bits), familyOf(address));
}

function familyOf(address: string): "ipv4" | "ipv6" {
  return isIP(address) === 6 ? "ipv6" : "ipv4";
}

/** An IPv4 address written as IPv6 counts as IPv4. */
export function isPrivateAddress(address: string): boolean {
  return privateNetworks.check(address, familyOf(address));
}

/** A server on a private network may name its neighbours; a public one may not. */
export async function reachOf(serverUrl: string): Promise<Reach> {
  const host = hostOf(new URL(serverUrl));
  const found = await lookup(host, { all: true }).catch(() => []);
  return { privateToo: found.some(({ address }) => isPrivateAddress(address)) };
}

/** Throws when a document's address must not be fetched or opened. */
export function allowedUrl(text: unknown, what: string, reach: Reach): URL {
  const url = typeof text === "string" && URL.canParse(text) ? new URL(text) : null;
  if (url === null) throw new OAuthProblem(`${what} is not an address`);
  const shown = url.origin === "null" ? url.protocol : url.origin;
  const isSafe = url.protocol === "https:" || (url.protocol === "http:" && isLoopback(url));
  if (!isSafe) throw new OAuthProblem(`${what} (${shown}) must be https, or http on this machine`);
  if (url.username !== "" || url.password !== "")
    throw new OAuthProblem(`${what} (${shown}) must not hold a user name or password`);
  checkLiteral(url, reach);
  return url;
}

export function isLoopback(url: URL): boolean {
  return /^(localhost|::1|127\.\d+\.\d+\.\d+)$/.test(hostOf(url));
}

function hostOf(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, "");
}

/** Node looks up no literal address, so the lookup below never sees it. */
function checkLiteral(url: URL, reach: Reach): void {
  const host = hostOf(url);
  if (!reach.privateToo && isIP(host) !== 0 && isPrivateAddress(host)) throw privateProblem(host);
}

/** Checks the address that is connected to: a name cannot change its meaning in between. */
function checkedLookup(reach: Reach): LookupFunction {
  return (host, options, callback) => {
    lookup(host, { ...options, all: true }).then(
      (found) => {
        const isRefused = !reach.privateToo && found.some(({ address }) => isPrivateAddress(address));
        const [first] = found;
        if (isRefused || !first) callback(privateProblem(host), "", 0);
        else if (options.all) callback(null, found);
        else callback(null, first.address, first.family);
      },
      (thrown: NodeJS.ErrnoException) => callback(thrown, "", 0),
    );
  };
}

function privateProblem(host: string): OAuthProblem {
  return new OAuthProblem(`'${host}' is on a private network, and the server that names it is not`);
}

/** With a body it is a POST. */
type FetchOptions = {
  headers?: Readonly<Record<string, string>>;
  body?: URLSearchParams | string | undefined;
};

export type CheckedFetch = (url: string, options?: FetchOptions) => Promise<Response>;

/** Limits time, size and network. Follows redirects only of GET and within one origin. */
export function checkedFetch(reach: Reach): CheckedFetch {
  return async (address, options = {}) => {
    const signal = AbortSignal.timeout(timeoutMs);
    let url = new URL(address);
    for (let redirects = 0; ; redirects += 1) {
      const response = await exchange(url, options, reach, signal);
      const location = response.headers.get("location");
      if (response.status < 300 || response.status >= 400 || location === null) return response;
      const next = URL.canParse(location, url.href) ? new URL(location, url) : null;
      if (next?.origin !== url.origin || options.body !== undefined || redirects === maxRedirects)
        throw new OAuthProblem(`${url.origin} redirects, which is not followed`);
      url = next;
    }
  };
}

async function exchange(
  url: URL,
  { headers, body }: FetchOptions,
  reach: Reach,
  signal: AbortSignal,
): Promise<Response> {
  checkLiteral(url, reach);
  const { promise, resolve, reject } = Promise.withResolvers<Response>();
  const fail = (error: NodeJS.ErrnoException) => reject(failure(error, url, signal));
  const request = (url.protocol === "https:" ? https : http).request(url, {
    method: body === undefined ? "GET" : "POST",
    headers: { accept: "application/json", ...headers },
    lookup: checkedLookup(reach),
    agent: false,
    signal,
  });
  request.on("error", fail);
  request.on("response", (response) => {
    const chunks: Buffer[] = [];
    let size = 0;
    response.on("data", (chunk: Buffer) => {
      size += chunk.length;
      if (size > maxBodyBytes) response.destroy(new OAuthProblem(`${url.origin} answers too much`));
      else chunks.push(chunk);
    });
    response.on("end", () => resolve(toResponse(response, Buffer.concat(chunks).toString("utf8"))));
    response.on("error", fail);
  });
  request.end(body?.toString());
  return promise;
}

function toResponse({ statusCode = 0, headers }: http.IncomingMessage, text: string): Response {
  const { location, "www-authenticate": challenge } = headers;
  return new Response(text === "" ? null : text, {
    // Response refuses a status that HTTP does not define.
    status: Math.min(statusCode, 599),
    headers: { ...(location && { location }), ...(challenge && { "www-authenticate": challenge }) },
  });
}

/** Only the origin: a path or query may hold secrets. The MCP server itself got nothing. */
function failure(error: NodeJS.ErrnoException, url: URL, signal: AbortSignal): Error {
  if (error instanceof OAuthProblem) return error;
  const why = signal.aborted ? `no answer within ${timeoutMs / 1_000} s` : (error.code ?? "it broke off");
  return new TransportError(`${url.origin} could not be asked: ${why}`, { sent: false, cause: error });
}

export async function readObject(response: Response): Promise<UnknownObject | null> {
  const value: unknown = await response.json().catch(() => null);
  return isObject(value) ? value : null;
}
