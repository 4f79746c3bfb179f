import type { MiddlewareHandler } from "hono";
import { getCookie } from "hono/cookie";
import { pageHeader } from "../../../model/access/page-proof.ts";
import { PlaneError } from "../../../model/errors.ts";
import type { Caller, Plane } from "../../../model/plane.ts";
import { mayDo, type Principal, type Scope } from "../../../model/principal.ts";
import type { PublicAddress } from "../origin.ts";
import type { HttpContext, HttpEnv } from "../route.ts";
import type { LocalPass } from "./local-pass.ts";
import type { BrowserSessions } from "./sessions.ts";

/** Answered without a credential. */
const openPaths: ReadonlySet<string> = new Set(["/healthz"]);

/** Is it one of these paths, or below one? */
function isBelow(path: string, tops: readonly string[]): boolean {
  return tops.some((top) => path === top || path.startsWith(`${top}/`));
}

/** What the workbench says with every request, beside the page's half of its session: that it is the workbench. */
const faceHeader = "x-toolplane-face";

/** How it is found out who asks. */
export type Identities = {
  plane: Plane;
  sessions: BrowserSessions;
  pass: LocalPass | null;
  address: PublicAddress;
};

/** Finds out who asks before any route is reached; `exempt` are paths whose routes find out in their own way. */
export function identify(
  identities: Identities,
  exempt: readonly string[],
): MiddlewareHandler<HttpEnv> {
  return async (c, next) => {
    c.set("face", "http");
    if (!openPaths.has(c.req.path) && !isBelow(c.req.path, exempt))
      c.set("principal", await authenticate(identities, c));
    await next();
  };
}

export async function authenticate(identities: Identities, c: HttpContext): Promise<Principal> {
  const { sessions } = identities;
  const shownCredential = credentialIn(c);
  const sessionCredential =
    shownCredential === null
      ? await sessions.credentialOf(sessionCookie(c), c.req.header(pageHeader))
      : null;
  // Any program can send a header; only a browser that has shown a credential has a session.
  if (sessionCredential !== null && c.req.header(faceHeader) === "workbench")
    c.set("face", "workbench");
  const credential = shownCredential ?? sessionCredential;
  // Other programs of the host may have the cookie; the page's half is in pages of this origin alone.
  if (credential === null && c.req.header(pageHeader) !== undefined) {
    const person = await personIn(identities, c);
    if (person !== null) {
      if (c.req.header(faceHeader) === "workbench") c.set("face", "workbench");
      return person;
    }
  }
  try {
    return await identifyCaller(identities, c, credential);
  } catch (thrown) {
    // The pass of a plane ends with it, and the session does not: where none is needed, its page goes on without.
    if (sessionCredential === null || (await identities.plane.identity.needsCredentials()))
      throw thrown;
    await sessions.end(sessionCookie(c));
    c.set("face", "http");
    return identifyCaller(identities, c, null);
  }
}

/** Who signed in at the plane in this page. */
async function personIn({ plane, address }: Identities, c: HttpContext): Promise<Principal | null> {
  const incoming = c.env?.incoming;
  if (incoming === undefined || plane.config().auth.server === undefined) return null;
  return plane.identity.personAt(address(c.req.header("host")), incoming);
}

/** Signs that browser out, where it is signed in. */
export async function signOut({ plane, address }: Identities, c: HttpContext): Promise<void> {
  const incoming = c.env?.incoming;
  if (incoming === undefined) return;
  await (await plane.identity.signInFront(address(c.req.header("host"))))?.end(incoming);
}

export async function identifyCaller(
  { plane, pass, address }: Identities,
  c: HttpContext,
  credential: string | null,
) {
  const requestUrl = `${address(c.req.header("host"))}${c.req.path}`;
  // The pass says which person of this machine asks, and names no user: where credentials are needed it is none.
  const provenCredential = pass?.isIt(credential) ? null : credential;
  const principal = await plane.identity.identify(provenCredential, { at: requestUrl });
  if (credential !== null) return principal;
  return withoutProof(principal);
}

const unproven = new WeakMap<Principal, Principal>();

/** Without a credential, on a plane that needs none, any program of this machine may ask, also one of another user. */
export function withoutProof(principal: Principal): Principal {
  const existing = unproven.get(principal);
  if (existing) return existing;
  const unprovenPrincipal: Principal = { ...principal, isUnproven: true };
  unproven.set(principal, unprovenPrincipal);
  return unprovenPrincipal;
}

/** Each port has its own, because browsers keep them by host alone. */
export function cookieName(c: HttpContext): string {
  return `toolplane_${new URL(c.req.url).port || "0"}`;
}

export function sessionCookie(c: HttpContext): string | undefined {
  return getCookie(c, cookieName(c));
}

/** `Authorization: Bearer …` before `X-API-Key`; null when neither is given. */
export function credentialIn(c: HttpContext): string | null {
  return credentialFrom(c.req.header("authorization"), c.req.header("x-api-key"));
}

export function credentialFrom(
  authorization: string | undefined,
  key: string | undefined,
): string | null {
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

/** A stream may outlast the key that opened it, so who listens is found out again. */
export function createCallerCheck(
  identities: Identities,
  c: HttpContext,
  firstCaller: Caller,
  scope: Scope,
): WhoAsks {
  let lastCaller = firstCaller;
  return async () => {
    try {
      const principal = await authenticate(identities, c);
      lastCaller = { ...firstCaller, principal };
      return mayDo(principal, scope) ? lastCaller : null;
    } catch (thrown) {
      if (thrown instanceof PlaneError && thrown.code === "UNAUTHENTICATED") return null;
      // Whether they may cannot be found out at the moment; that ends nothing.
      return lastCaller;
    }
  };
}
