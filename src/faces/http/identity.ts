import type { MiddlewareHandler } from "hono";
import { getCookie } from "hono/cookie";
import { PlaneError } from "../../model/errors.ts";
import type { Caller, Plane } from "../../model/plane.ts";
import { type Face, mayDo, type Scope } from "../../model/principal.ts";
import type { LocalPass } from "./local-pass.ts";
import type { HttpContext, HttpEnv } from "./route.ts";
import type { Sessions } from "./sessions.ts";

/** Answered without a credential. */
const open: ReadonlySet<string> = new Set(["/healthz"]);

/** What the workbench says with every request: that it is the workbench, and the page's half of its session. */
const faceHeader = "x-toolplane-face";
const pageHeader = "x-toolplane-session";

/** How it is found out who asks. */
export type Identities = { plane: Plane; sessions: Sessions; pass: LocalPass | null };

/** Finds out who asks before any route is reached; `exempt` are paths whose routes find out in their own way. */
export function identify(identities: Identities, exempt: readonly string[]): MiddlewareHandler<HttpEnv> {
  return async (c, next) => {
    c.set("face", faceOf(c));
    if (!open.has(c.req.path) && !exempt.includes(c.req.path)) c.set("principal", await principalOf(identities, c));
    await next();
  };
}

export function principalOf({ plane, sessions, pass }: Identities, c: HttpContext) {
  const credential = credentialIn(c) ?? sessions.credentialOf(sessionCookie(c), c.req.header(pageHeader));
  // It says which person of this machine asks, and names no user: where credentials are needed it is none.
  const isStarter = pass?.isIt(credential) ?? false;
  c.set("isStarter", isStarter);
  return plane.identity.identify(isStarter ? null : credential);
}

/** Each port has its own, because browsers keep them by host alone. */
export function cookieName(c: HttpContext): string {
  return `toolplane_${new URL(c.req.url).port || "0"}`;
}

export function sessionCookie(c: HttpContext): string | undefined {
  return getCookie(c, cookieName(c));
}

/** A person at the workbench; only a browser says by itself that a page of ours asks. */
function faceOf(c: HttpContext): Face {
  const isPage = c.req.header(faceHeader) === "workbench" && c.req.header("sec-fetch-site") === "same-origin";
  return isPage ? "workbench" : "http";
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

/** Null when the listener may no longer. */
export type WhoAsks = () => Promise<Caller | null>;

/** A stream may outlast the key that opened it, so who listens is found out anew. */
export function askAgain(identities: Identities, c: HttpContext, first: Caller, scope: Scope): WhoAsks {
  let known = first;
  return async () => {
    try {
      const principal = await principalOf(identities, c);
      known = { ...first, principal };
      return mayDo(principal, scope) ? known : null;
    } catch (thrown) {
      if (thrown instanceof PlaneError && thrown.code === "UNAUTHENTICATED") return null;
      // Whether they may cannot be found out at the moment; that ends nothing.
      return known;
    }
  };
}
