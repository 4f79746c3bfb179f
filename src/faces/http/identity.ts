import type { MiddlewareHandler } from "hono";
import { PlaneError } from "../../model/errors.ts";
import type { Plane } from "../../model/plane.ts";
import type { HttpContext, HttpEnv } from "./route.ts";

/** What has to be answered before anybody can say who they are. */
const open: ReadonlySet<string> = new Set(["/healthz"]);

/** Finds out who asks before any route is reached; `exempt` are paths whose routes find out in their own way. */
export function identify(plane: Plane, exempt: readonly string[]): MiddlewareHandler<HttpEnv> {
  return async (c, next) => {
    if (!open.has(c.req.path) && !exempt.includes(c.req.path))
      c.set("principal", await principalOf(plane, c));
    await next();
  };
}

export function principalOf(plane: Plane, c: HttpContext) {
  return plane.identify(credentialIn(c));
}

/** `Authorization: Bearer …` before `X-API-Key`; null when neither is given. */
function credentialIn(c: HttpContext): string | null {
  return credentialFrom(c.req.header("authorization"), c.req.header("x-api-key"));
}

export function credentialFrom(authorization: string | undefined, key: string | undefined): string | null {
  if (authorization === undefined) return key ?? null;
  const [, token] = /^bearer +(\S+) *$/i.exec(authorization) ?? [];
  if (token !== undefined) return token;
  throw new PlaneError(
    "UNAUTHENTICATED",
    "The Authorization header is not of the form 'Bearer TOKEN'. Give a key or a JWT that way, or a key as X-API-Key.",
  );
}
