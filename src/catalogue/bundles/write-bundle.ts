import { hash } from "../../lib/json/stable-json.ts";
import { type Bundle, type BundleEntry, bundleVersion } from "../../model/catalogue/change.ts";
import type { SigningKey } from "./signing-key.ts";

/** The entries as one signed document. */
export function writeBundle(
  entries: readonly BundleEntry[],
  exportedBy: string | null,
  key: Pick<SigningKey, "publicKey" | "sign">,
): Bundle {
  const said = {
    version: bundleVersion,
    exportedAt: new Date().toISOString(),
    exportedBy,
    entries: [...entries],
  };
  const sum = hash(said);
  return { ...said, hash: sum, key: key.publicKey, signature: key.sign(signedText(sum)) };
}

/** So that no signature made for something else fits. */
export function signedText(sum: string): string {
  return `toolplane bundle\n${sum}`;
}
