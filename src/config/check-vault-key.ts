import type { Path } from "../model/path.ts";
import { parseVaultKey } from "../model/vault-key.ts";
import { splitSecrets } from "./secrets/references.ts";

/** A plane that fell back to a key of its own would seal tokens that no other can open. */
export function checkVaultKey(
  key: string | undefined,
  report: (path: Path, message: string, hint: string) => void,
): void {
  if (key === undefined || splitSecrets(key).some((part) => typeof part !== "string")) return;
  if (parseVaultKey(key) === null)
    report(["vaultKey"], "is no key of 32 bytes as hex or base64", "Make one with 'openssl rand -hex 32'.");
}
