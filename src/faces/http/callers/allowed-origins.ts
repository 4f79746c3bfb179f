import type { IncomingMessage, ServerResponse } from "node:http";
import { PlaneError } from "../../../model/errors.ts";
import type { Plane } from "../../../model/plane.ts";

/** How long browsers keep the answer to a preflight, in seconds. */
const preflightAge = "600";
const methods = "GET, POST, DELETE, OPTIONS";
/** Beside those that pages may always read. */
const readable = "Mcp-Session-Id, WWW-Authenticate, Retry-After";

export type AllowedOrigins = ReturnType<typeof createAllowedOrigins>;

/** Pages of other sites that `security.allowOrigins` names. None of them counts as the person who runs the plane. */
export function createAllowedOrigins(plane: Plane) {
  return {
    /** Does such a page ask? Then its browser may read the answer. */
    admits({ headers }: IncomingMessage, response: ServerResponse): boolean {
      const { origin } = headers;
      const { allowOrigins } = plane.config().security;
      if (allowOrigins.length > 0) response.setHeader("vary", "Origin");
      if (origin === undefined || !allowOrigins.includes(origin)) return false;
      response.setHeader("access-control-allow-origin", origin);
      response.setHeader("access-control-expose-headers", readable);
      return true;
    },
    /** A browser asks before it sends a header of its own. Nothing is run for it. */
    answersPreflight({ method, headers }: IncomingMessage, response: ServerResponse): boolean {
      const requestedMethod = headers["access-control-request-method"];
      if (method !== "OPTIONS" || requestedMethod === undefined) return false;
      response.writeHead(204, {
        "access-control-allow-methods": methods,
        "access-control-allow-headers": headers["access-control-request-headers"] ?? "*",
        "access-control-max-age": preflightAge,
      });
      response.end();
      return true;
    },
  };
}

/** Without one, any page that a person opens could ask in their name. */
export function requireCredential(credential: string | null): string {
  if (credential !== null) return credential;
  throw new PlaneError(
    "UNAUTHENTICATED",
    "Web pages of other sites need a credential. Send 'Authorization: Bearer KEY' with a key of this plane.",
    { data: { reason: "missing" } },
  );
}
