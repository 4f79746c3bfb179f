import { PlaneError } from "../../model/errors.ts";

/** What a client can tell apart without reading prose. */
export type Refusal =
  | "missing"
  | "malformed"
  | "unknown"
  | "revoked"
  | "expired"
  | "not_yet"
  | "algorithm"
  | "signature"
  | "issuer"
  | "audience"
  | "claims";

/** Never repeats what was shown: it may be the secret of another place. */
export function unauthenticated(reason: Refusal, message: string): PlaneError {
  return new PlaneError("UNAUTHENTICATED", message, { data: { reason } });
}
