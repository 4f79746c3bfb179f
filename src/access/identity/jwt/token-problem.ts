import { errors, type JWTPayload } from "jose";
import { PlaneError } from "../../../model/errors.ts";
import type { JwtIssuer } from "../../../model/jwt-issuer.ts";
import { unauthenticated } from "../unauthenticated.ts";
import { unavailable } from "./ask-issuer.ts";

/** What a client's developer can act on. What nobody foresaw is a no. */
export function tokenProblem(thrown: unknown, settings: JwtIssuer): PlaneError {
  if (thrown instanceof PlaneError) return thrown;
  if (thrown instanceof errors.JWTExpired)
    return unauthenticated(
      "expired",
      `The token expired at ${timeOf(thrown.payload, "exp")}. Get a new one.`,
    );
  if (thrown instanceof errors.JWTClaimValidationFailed) return claimProblem(thrown, settings);
  if (thrown instanceof errors.JWSSignatureVerificationFailed)
    return unauthenticated("signature", "The signature of the token does not fit the issuer's key.");
  if (thrown instanceof errors.JWKSNoMatchingKey)
    return unauthenticated("signature", "The token is signed with a key that its issuer does not publish.");
  if (thrown instanceof errors.JWKSMultipleMatchingKeys)
    return unauthenticated("signature", "The token does not name ('kid') with which key it is signed.");
  if (thrown instanceof errors.JWKSInvalid) return unavailable("what it publishes are no keys");
  return unauthenticated("signature", "The token could not be verified. Get a new one from the issuer.");
}

function claimProblem({ claim, reason, payload }: errors.JWTClaimValidationFailed, settings: JwtIssuer) {
  if (claim === "iss")
    return unauthenticated("issuer", `The issuer of the token is not '${settings.issuer}'.`);
  if (claim === "aud")
    return unauthenticated("audience", `The audience of the token is not '${settings.audience}'.`);
  if (claim === "nbf" && reason === "check_failed")
    return unauthenticated("not_yet", `The token is not valid before ${timeOf(payload, "nbf")}.`);
  if (reason === "missing") return unauthenticated("claims", `The token has no '${claim}', which it needs.`);
  return unauthenticated("claims", `'${claim}' in the token is not what it has to be.`);
}

function timeOf(payload: JWTPayload, claim: "exp" | "nbf"): string {
  const date = new Date(Number(payload[claim]) * 1_000);
  return Number.isNaN(date.getTime()) ? `the time in '${claim}'` : date.toISOString();
}
