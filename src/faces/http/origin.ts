import type { MiddlewareHandler } from "hono";
import { PlaneError } from "../../model/errors.ts";
import { renderProblem } from "./render.ts";

const loopback = ["127.0.0.1", "localhost", "[::1]"];

/** A web page must not be able to drive a plane by naming it through a host of its own. */
export function checkOrigin(listeningHost: string): MiddlewareHandler {
  const own = listeningHost.includes(":") ? `[${listeningHost}]` : listeningHost;
  const hosts = new Set([...loopback, own.toLowerCase()]);
  const isOurs = (authority: string) => hosts.has(authority.replace(/:\d+$/, "").toLowerCase());
  return async (c, next) => {
    const host = c.req.header("host") ?? "";
    const origin = c.req.header("origin");
    if (!isOurs(host)) return renderProblem(new PlaneError("FORBIDDEN", "This Host is not served here."));
    if (origin !== undefined && !isOurs(/^https?:\/\/([^/@]+)$/.exec(origin)?.[1] ?? "")) {
      return renderProblem(new PlaneError("FORBIDDEN", "This Origin may not call."));
    }
    await next();
  };
}
