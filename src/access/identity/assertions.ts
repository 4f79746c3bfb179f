import { decodeProtectedHeader, type JWTPayload } from "jose";
import type { Egress } from "../../lib/net/egress.ts";
import type { ClaimPaths } from "../../model/access/jwt-issuer.ts";
import type { Assertion } from "../../model/access/sign-in.ts";
import { unauthenticated } from "./unauthenticated.ts";
import { rightsOf } from "./upstream.ts";
import {
  clockTolerance,
  createVerifyToken,
  hasClaim,
  issuerOf,
  type VerifyToken,
} from "./verify-token.ts";

/** The type of an Identity Assertion Authorization Grant. */
const assertionType = "oauth-id-jag+jwt";
/** An assertion is for now: in seconds. */
const maxLifetime = 600;

/** Assertions often say only who the person is; the rest is known from a sign-in. */
function unsaidIn(
  tokenClaims: JWTPayload,
  { scopes, groups, persona, workspace, compliance, tool_groups: toolGroups }: ClaimPaths,
) {
  const paths = { scopes, groups, persona, workspace, compliance, toolGroups };
  const names = Object.keys(paths) as (keyof typeof paths)[];
  return names.filter((name) => paths[name] === undefined || !hasClaim(tokenClaims, paths[name]));
}

/** Assertions of providers that the configuration trusts, for the authorization server at this address. */
export function createReadAssertion(
  issuers: readonly string[],
  origin: string,
  claims: ClaimPaths,
  egress: Egress,
) {
  const verifiers = new Map<string, VerifyToken>(
    issuers.map((issuer) => [
      issuer,
      createVerifyToken({ issuer, audience: origin, claims }, egress),
    ]),
  );
  return async (assertion: string): Promise<Assertion> => {
    const verify = verifiers.get(String(issuerOf(assertion)));
    if (verify === undefined)
      throw unauthenticated("issuer", "The issuer of the assertion is not trusted here.");
    const { typ } = decodeProtectedHeader(assertion);
    if (typ !== assertionType)
      throw unauthenticated("claims", `The assertion is not of the type ${assertionType}.`);
    let tokenClaims: JWTPayload = {};
    const principal = await verify(assertion, undefined, (payload) => {
      tokenClaims = payload;
    });
    const { jti, client_id: clientId, resource = null, scope = "", exp = 0, iat } = tokenClaims;
    if (typeof jti !== "string" || typeof clientId !== "string" || typeof iat !== "number")
      throw unauthenticated("claims", "The assertion lacks 'jti', 'client_id' or 'iat'.");
    if (exp - iat > maxLifetime || iat > Date.now() / 1_000 + clockTolerance)
      throw unauthenticated(
        "claims",
        "The assertion counts for too long, or was made in the future.",
      );
    return {
      person: rightsOf(principal, claims),
      unsaid: unsaidIn(tokenClaims, claims),
      // Each provider has numbers of its own.
      id: `${String(tokenClaims.iss)} ${jti}`,
      clientId,
      resource: typeof resource === "string" ? resource : null,
      scopes: String(scope)
        .split(" ")
        .filter((scopeName) => scopeName !== ""),
      // As long as it could be shown again: both clocks may be off.
      lifetime: maxLifetime + 2 * clockTolerance,
    };
  };
}
