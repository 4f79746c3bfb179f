import { PlaneError } from "../../model/errors.ts";

/** What a client can tell apart without reading prose. */
type Refusal =
  | ("missing" | "malformed" | "unknown" | "revoked" | "expired" | "not_yet")
  | ("algorithm" | "signature" | "issuer" | "audience" | "claims");

/** Never repeats the credential: it may be the secret of another place. */
export function unauthenticated(reason: Refusal, message: string): PlaneError {
  return new PlaneError("UNAUTHENTICATED", message, { data: { reason } });
}
