import type { IncomingMessage, ServerResponse } from "node:http";
import { scopesWith } from "../../../model/access/resource.ts";
import { isSignInPath } from "../../../model/access/sign-in.ts";
import { PlaneError } from "../../../model/errors.ts";
import type { Plane } from "../../../model/plane.ts";
import type { Principal } from "../../../model/principal.ts";
import type { createOriginCheck, PublicAddress } from "../origin.ts";
import { sendProblem } from "../render.ts";
import type { AllowedOrigins } from "./allowed-origins.ts";

const wellKnown = "/.well-known/oauth-protected-resource";
/** Clients read it again after this time, in seconds. */
const maxAge = 300;
const maxPathLength = 2_000;

/** Where a client finds out how to sign in, and what it asks for by default. */
export type SignInPlace = { metadata: string; scopes: readonly string[] };

/** For what is asked at a path, with its query, or of the whole plane; null where only keys and given tokens count. */
export type SignInPlaces = (host: string | undefined, path?: string) => SignInPlace | null;

export function createSignInPlaces(plane: Plane, address: PublicAddress): SignInPlaces {
  return (host, path = "") => {
    const { issuer, server, scopes } = plane.config().auth;
    if (issuer === undefined && server === undefined) return null;
    // The parser escapes what would end the header's string.
    return { metadata: new URL(`${address(host)}${wellKnown}${path}`).href, scopes };
  };
}

type Listener = (request: IncomingMessage, response: ServerResponse) => void;

/**
 * The metadata of the plane as a protected resource (RFC 9728): of the whole plane, and of each of its addresses, which
 * stands behind the well-known path. There is nothing of users in it, so that pages of every origin may read it.
 */
export function createResourceFront(
  plane: Plane,
  refuseOrigin: ReturnType<typeof createOriginCheck>,
  address: PublicAddress,
  next: Listener,
): Listener {
  return (request, response) => {
    const { url = "", method, headers } = request;
    const isOurs =
      url === wellKnown || url.startsWith(`${wellKnown}/`) || url.startsWith(`${wellKnown}?`);
    const { issuer, server, scopes } = plane.config().auth;
    if (!isOurs || (issuer === undefined && server === undefined)) return next(request, response);
    // The answer repeats the host, and caches may keep it.
    const refusal = refuseOrigin({ host: headers.host });
    if (refusal) return sendProblem(response, refusal);
    response.setHeader("access-control-allow-origin", "*");
    if (method === "OPTIONS")
      return void response
        .writeHead(204, {
          "access-control-allow-methods": "GET",
          "access-control-allow-headers": "*",
        })
        .end();
    if (method !== "GET" && method !== "HEAD")
      return sendProblem(
        response,
        new PlaneError("NOT_FOUND", "The metadata of the plane is read with GET."),
      );
    const origin = address(headers.host);
    const path = url.slice(wellKnown.length);
    const resource = URL.parse(`${origin}${path}`);
    if (path.length > maxPathLength || resource === null || resource.origin !== origin)
      return sendProblem(response, new PlaneError("NOT_FOUND", "The plane has no such address."));
    const body = JSON.stringify({
      resource: path === "" ? origin : resource.href,
      authorization_servers: [server && origin, issuer].filter((url) => url !== undefined),
      bearer_methods_supported: ["header"],
      ...(scopes.length > 0 && { scopes_supported: scopes }),
      resource_name: "Toolplane",
    });
    response.writeHead(200, {
      "content-type": "application/json",
      "content-length": Buffer.byteLength(body),
      "cache-control": `public, max-age=${maxAge}`,
      "x-content-type-options": "nosniff",
    });
    response.end(method === "HEAD" ? undefined : body);
  };
}

/** `WWW-Authenticate` of a refusal (RFC 6750, RFC 9728); undefined where the error is no refusal of this kind. */
export function challengeOf(
  thrown: unknown,
  place: SignInPlace | null,
  caller?: Principal,
): string | undefined {
  if (place === null || !(thrown instanceof PlaneError)) return undefined;
  const { code, data } = thrown;
  if (code === "UNAUTHENTICATED") return signInChallenge(place, data.reason !== "missing");
  if (code !== "FORBIDDEN" || typeof data.scope !== "string" || caller === undefined)
    return undefined;
  return scopeChallenge(place, scopesWith(caller, data.scope));
}

/** `isInvalid`: a token was shown that does not count. */
function signInChallenge({ metadata, scopes }: SignInPlace, isInvalid: boolean): string {
  const error = isInvalid ? ', error="invalid_token"' : "";
  const scope = scopes.length > 0 ? `, scope="${scopes.join(" ")}"` : "";
  return `Bearer realm="toolplane"${error}, resource_metadata="${metadata}"${scope}`;
}

/** With these scopes the client may. */
export function scopeChallenge({ metadata }: SignInPlace, scopes: readonly string[]): string {
  return `Bearer realm="toolplane", error="insufficient_scope", scope="${scopes.join(" ")}", resource_metadata="${metadata}"`;
}

/**
 * The authorization server of the plane, where there is one. Clients of other sites ask its endpoints without cookies of
 * theirs, and people are led to its pages, so it judges by itself where a request comes from.
 */
export function createSignInFront(
  plane: Plane,
  refuseOrigin: ReturnType<typeof createOriginCheck>,
  { address, origins }: { address: PublicAddress; origins: AllowedOrigins },
  next: Listener,
): Listener {
  return (request, response) => {
    const [path = ""] = (request.url ?? "").split("?", 1);
    if (!isSignInPath(path) || plane.config().auth.server === undefined)
      return next(request, response);
    const refusal = refuseOrigin({ host: request.headers.host });
    if (refusal) return sendProblem(response, refusal);
    if (origins.admits(request, response) && origins.answersPreflight(request, response)) return;
    plane.identity.signInFront(address(request.headers.host)).then(
      (front) => (front === null ? next(request, response) : front.handle(request, response)),
      (thrown) => sendProblem(response, thrown),
    );
  };
}
