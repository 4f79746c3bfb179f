import { decodeJwt, decodeProtectedHeader, type JWTPayload, jwtVerify } from "jose";
import type { JwtIssuer } from "../../../model/jwt-issuer.ts";
import type { Principal } from "../../../model/principal.ts";
import { unauthenticated } from "../unauthenticated.ts";
import { createIssuerKeys } from "./issuer-keys.ts";
import { readClaims } from "./read-claims.ts";
import { tokenProblem } from "./token-problem.ts";

/** Clocks differ. */
const toleranceSeconds = 30;
const maxToken = 16 * 1024;
/** Only those whose key the issuer can publish: with a shared secret everybody who checks could also sign. */
const algorithms: string[] = [
  ...["RS256", "RS384", "RS512", "PS256", "PS384", "PS512"],
  ...["ES256", "ES384", "ES512", "EdDSA", "Ed25519"],
];

export type VerifyToken = (token: string) => Promise<Principal>;

/** Tells who shows a token of this issuer, or why it is not believed. */
export function createVerifyToken(settings: JwtIssuer): VerifyToken {
  const { issuer, audience, claims } = settings;
  const keys = createIssuerKeys(settings);
  return async (token) => {
    requireOurs(token, settings);
    const { payload } = await jwtVerify(token, keys, {
      issuer,
      audience,
      algorithms,
      clockTolerance: toleranceSeconds,
      requiredClaims: ["exp"],
    }).catch((thrown) => {
      throw tokenProblem(thrown, settings);
    });
    return readClaims(payload, claims);
  };
}

/** Before anybody is asked for keys: most of what is wrong can be seen without them. */
function requireOurs(token: string, { issuer, audience }: JwtIssuer): void {
  if (token.length > maxToken)
    throw unauthenticated("malformed", `The token is longer than ${maxToken / 1024} KiB.`);
  const { alg, iss, aud } = readUnchecked(token);
  if (typeof alg !== "string" || !algorithms.includes(alg))
    throw unauthenticated("algorithm", `The token must be signed with one of ${algorithms.join(", ")}.`);
  if (iss !== issuer) throw unauthenticated("issuer", `The issuer of the token is not '${issuer}'.`);
  if (!(Array.isArray(aud) ? aud : [aud]).includes(audience))
    throw unauthenticated("audience", `The audience of the token is not '${audience}'.`);
}

function readUnchecked(token: string): { alg?: unknown } & Pick<JWTPayload, "iss" | "aud"> {
  try {
    const { iss, aud } = decodeJwt(token);
    const { alg } = decodeProtectedHeader(token);
    return { alg, ...(iss === undefined ? {} : { iss }), ...(aud === undefined ? {} : { aud }) };
  } catch {
    throw unauthenticated(
      "malformed",
      "The token is neither an API key nor a signed JWT. Check that it was copied whole.",
    );
  }
}
