import type { MiddlewareHandler } from "hono";
import { PlaneError } from "../../model/errors.ts";
import { renderProblem } from "./render.ts";

const loopback = ["127.0.0.1", "localhost", "[::1]"];

/** Says what is wrong with where a request says it goes and comes from, or null. */
export function createOriginCheck(
  listeningHost: string,
  /** Names that it is reached by beside that. */
  allowHosts: readonly string[] = [],
): (host: string | undefined, origin: string | undefined) => PlaneError | null {
  const own = [listeningHost, ...allowHosts].map((name) => (name.includes(":") ? `[${name}]` : name).toLowerCase());
  const hosts = new Set([...loopback, ...own]);
  // Programs name the same host with every request, and no page.
  let served: string | undefined;
  return (named, origin) => {
    if (origin === undefined && named !== undefined && named === served) return null;
    const host = splitPort(named ?? "");
    if (!hosts.has(host.name)) return new PlaneError("ORIGIN_REFUSED", "This Host is not served here.");
    served = named;
    if (origin === undefined) return null;
    const page = splitPort(/^https?:\/\/([^/@]+)$/.exec(origin)?.[1] ?? "");
    // Another program on the same machine may serve pages too, and on another port it is another site.
    return hosts.has(page.name) && page.port === host.port
      ? null
      : new PlaneError("ORIGIN_REFUSED", "This Origin may not call.");
  };
}

/** A web page must not be able to drive a plane by naming it through a host of its own. */
export function checkOrigin(listeningHost: string, allowHosts: readonly string[] = []): MiddlewareHandler {
  const refuse = createOriginCheck(listeningHost, allowHosts);
  return async (c, next) => {
    const refused = refuse(c.req.header("host"), c.req.header("origin"));
    if (refused) return renderProblem(refused);
    await next();
  };
}

/** No port where it is the usual one. */
function splitPort(authority: string): { name: string; port: string } {
  const [, name = "", port = ""] = /^(.*?)(?::(\d+))?$/.exec(authority.toLowerCase()) ?? [];
  return { name, port: port === "80" || port === "443" ? "" : port };
}
