import { createPublicKey, verify } from "node:crypto";
import { hash } from "../../lib/json/stable-json.ts";
import {
  type Bundle,
  type BundleEntry,
  bundleVersion,
  type EntryKind,
  entryKinds,
} from "../../model/catalogue/change.ts";
import { PlaneError } from "../../model/errors.ts";
import { isObject, type UnknownObject } from "../../model/json.ts";
import { fingerprintOf } from "./signing-key.ts";
import { signedText } from "./write-bundle.ts";

const limitMebibytes = 16;

/** What a bundle says, once it is known who says it. */
export function readBundle(
  text: string,
  isTrusted: (fingerprint: string) => boolean,
): Bundle & { fingerprint: string } {
  const bundle = parse(text);
  const { version } = bundle;
  if (typeof version !== "number" || !Number.isInteger(version) || version < 1) throw refused("It has no version");
  if (version > bundleVersion)
    throw refused(
      `It has version ${version}, and this installation knows ${bundleVersion}`,
      "Update this installation, or export it with an older one.",
    );
  const { hash: sum, key, signature, ...said } = bundle;
  if (typeof sum !== "string" || typeof key !== "string" || typeof signature !== "string")
    throw refused("It is not signed");
  if (hash(said) !== sum || !isSignedBy(key, sum, signature))
    throw refused("Its signature does not fit: it was changed after it was signed, or damaged on its way");
  const fingerprint = fingerprintOf(key);
  if (!isTrusted(fingerprint))
    throw refused(
      `It is signed with the key ${fingerprint}, which is not trusted here`,
      `If you know whose it is, add "${fingerprint}" to 'bundles.trustedKeys' of the configuration.`,
      { fingerprint },
    );
  return { ...readSaid(said, version), hash: sum, key, signature, fingerprint };
}

function parse(text: string): UnknownObject {
  if (text.length > limitMebibytes * 1024 * 1024 * 1.4)
    throw refused(`It is larger than ${limitMebibytes} MiB`, "Export fewer entries at a time.");
  try {
    const bundle: unknown = JSON.parse(Buffer.from(text.trim(), "base64").toString("utf8"));
    if (isObject(bundle)) return bundle;
  } catch {
    // Told below: what it is instead does not matter.
  }
  throw refused("It is no bundle");
}

function isSignedBy(key: string, sum: string, signature: string): boolean {
  try {
    const publicKey = createPublicKey({ key: Buffer.from(key, "base64"), type: "spki", format: "der" });
    if (publicKey.asymmetricKeyType !== "ed25519") return false;
    return verify(null, Buffer.from(signedText(sum)), publicKey, Buffer.from(signature, "base64"));
  } catch {
    return false;
  }
}

function readSaid({ exportedAt, exportedBy, entries }: UnknownObject, version: number) {
  if (!Array.isArray(entries) || !entries.every(isEntry)) throw refused("Its entries are no list of manifests");
  return {
    version,
    exportedAt: typeof exportedAt === "string" ? exportedAt : "",
    exportedBy: typeof exportedBy === "string" ? exportedBy : null,
    entries: entries as BundleEntry[],
  };
}

function isEntry(entry: unknown): boolean {
  return isObject(entry) && entryKinds.includes(entry.kind as EntryKind) && isObject(entry.manifest);
}

function refused(
  why: string,
  remedy = "Export it again with 'toolplane registry export'.",
  data: UnknownObject = {},
): PlaneError {
  return new PlaneError("BUNDLE_REFUSED", `The bundle is not taken over. ${why}. ${remedy}`, { data });
}
