import type { ApiKey } from "../../model/access/credentials.ts";

export function keyState({ revokedAt, expiresAt }: ApiKey): "live" | "revoked" | "expired" {
  if (revokedAt !== null) return "revoked";
  return expiresAt !== null && Date.parse(expiresAt) <= Date.now() ? "expired" : "live";
}
