import type { IncomingHttpHeaders } from "node:http";
import type { MiddlewareHandler } from "hono";
import { PlaneError } from "../../model/errors.ts";
import { problemResponse } from "./render.ts";

const loopback = ["127.0.0.1", "localhost", "[::1]"];

/** Where a request says it goes, and which page of which site sends it there. */
type OriginHeader = "host" | "origin" | "sec-fetch-site" | "sec-fetch-mode" | "sec-fetch-dest";
type OriginHeaders = { [name in OriginHeader]?: IncomingHttpHeaders[name] };

/** Says what is wrong with where a request says it goes and comes from, or null. */
export function createOriginCheck(
  listeningHost: string,
  /** Names that it is reached by beside that. */
  allowHosts: readonly string[] = [],
): (headers: OriginHeaders, isNavigable?: boolean) => PlaneError | null {
  const hosts = new Set([...loopback, ...[listeningHost, ...allowHosts].map(bracketed)]);
  // Programs name the same host with every request, and no page.
  let servedHost: string | undefined;
  return (headers, isNavigable = false) => {
    const { host: hostHeader, origin, "sec-fetch-site": site } = headers;
    if (
      origin === undefined &&
      site === undefined &&
      hostHeader !== undefined &&
      hostHeader === servedHost
    )
      return null;
    const host = splitPort(hostHeader ?? "");
    if (!hosts.has(host.name))
      return new PlaneError(
        "ORIGIN_REFUSED",
        "This plane is not served under this Host. Use the address that 'toolplane serve' printed, or start it with --allow-host NAME.",
      );
    servedHost = hostHeader;
    if (isForeign(site) && !(isNavigable && isNavigation(headers)))
      return new PlaneError(
        "ORIGIN_REFUSED",
        "Web pages of other sites may not call this plane. Send the request from a program instead.",
      );
    if (origin === undefined) return null;
    const page = splitPort(/^https?:\/\/([^/@]+)$/.exec(origin)?.[1] ?? "");
    // Another program on the same machine may serve pages too, and on another port it is another site.
    if (hosts.has(page.name) && page.port === host.port) return null;
    return new PlaneError(
      "ORIGIN_REFUSED",
      "Web pages of this Origin may not call this plane. Leave the header out if a program sends the request.",
    );
  };
}

/** Browsers send no Origin with many GETs, and yet say whose page asks; another port of this machine is `same-site`. */
function isForeign(site: string | string[] | undefined): boolean {
  return site !== undefined && site !== "same-origin" && site !== "none";
}

/** A person goes there; no page reads the answer. */
function isNavigation({
  "sec-fetch-mode": mode,
  "sec-fetch-dest": destination,
}: OriginHeaders): boolean {
  return mode === "navigate" && destination === "document";
}

/** A web page must not be able to drive a plane by naming it through a host of its own. */
export function checkOrigin(
  listeningHost: string,
  allowHosts: readonly string[] = [],
  /** Paths that other sites may send a person to, with what is below them. */
  navigable: readonly string[] = [],
): MiddlewareHandler {
  const refuse = createOriginCheck(listeningHost, allowHosts);
  const isNavigable = (method: string, path: string) =>
    method === "GET" && navigable.some((top) => path === top || path.startsWith(`${top}/`));
  return async (c, next) => {
    const headers = {
      host: c.req.header("host"),
      origin: c.req.header("origin"),
      "sec-fetch-site": c.req.header("sec-fetch-site"),
      "sec-fetch-mode": c.req.header("sec-fetch-mode"),
      "sec-fetch-dest": c.req.header("sec-fetch-dest"),
    };
    const refusal = refuse(headers, isNavigable(c.req.method, c.req.path));
    if (refusal) return problemResponse(refusal);
    await next();
  };
}

export type OwnAddress = (host: string) => string;

/**
 * The address that the plane itself listens at, under the name that the caller reaches it by. The port is our own:
 * one that a caller names may be another program's.
 */
export function createOwnAddress(
  listeningHost: string,
  allowHosts: readonly string[],
  port: () => number,
): OwnAddress {
  const allowed = new Set(allowHosts.map(bracketed));
  return (host) => {
    const { name, port: requestedPort } = splitPort(host);
    const ownPort = String(port());
    const isOwn = requestedPort === splitPort(`x:${ownPort}`).port;
    if (isOwn || (requestedPort === "" && allowed.has(name))) return `http://${host.toLowerCase()}`;
    throw new PlaneError(
      "ORIGIN_REFUSED",
      `This plane listens at port ${ownPort} of ${listeningHost}; a sign-in begins at that address.`,
    );
  };
}

/** The address that clients know the plane by; `host` is the one that a request names. */
export type PublicAddress = (host: string | undefined) => string;

/** The configured one, else the one that is asked. `isTls`: the plane itself speaks TLS. */
export function createPublicAddress(
  configured: () => string | undefined,
  isTls: boolean,
): PublicAddress {
  return (host) => {
    const url = configured();
    if (url !== undefined) return new URL(url).origin;
    return URL.parse(`${isTls ? "https" : "http"}://${host ?? ""}`)?.origin ?? "http://localhost";
  };
}

const bracketed = (name: string) => (name.includes(":") ? `[${name}]` : name).toLowerCase();

/** No port where it is the usual one. */
function splitPort(authority: string): { name: string; port: string } {
  const [, name = "", port = ""] = /^(.*?)(?::(\d+))?$/.exec(authority.toLowerCase()) ?? [];
  return { name, port: port === "80" || port === "443" ? "" : port };
}
