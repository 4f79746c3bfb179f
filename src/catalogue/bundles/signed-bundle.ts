import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  sign,
  verify,
} from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createOnce } from "../../lib/files.ts";
import { hash } from "../../lib/json/stable-json.ts";
import {
  type Bundle,
  type BundleEntry,
  bundleVersion,
  type EntryKind,
  entryKinds,
} from "../../model/catalogue/change.ts";
import { PlaneError } from "../../model/errors.ts";
import { isObject, stringOrEmpty, stringOrNull, type UnknownObject } from "../../model/json.ts";

export type SigningKey = ReturnType<typeof loadSigningKey>;

/** The plane's own key in this directory, created on first use; without a directory it lasts as long as the process. */
export function loadSigningKey(directory: string | undefined) {
  const key =
    directory === undefined ? createPrivateKey(newKey()) : loadKey(join(directory, "bundle.key"));
  const publicKey = createPublicKey(key).export({ type: "spki", format: "der" }).toString("base64");
  return {
    publicKey,
    fingerprint: fingerprintOf(publicKey),
    sign: (text: string) => sign(null, Buffer.from(text), key).toString("base64"),
  };
}

/** What people compare and trust instead of the key itself. */
function fingerprintOf(publicKey: string): string {
  return `SHA256:${createHash("sha256").update(Buffer.from(publicKey, "base64")).digest("base64url")}`;
}

function loadKey(file: string): KeyObject {
  try {
    return readKey(file) ?? createKey(file);
  } catch (thrown) {
    if (thrown instanceof PlaneError) throw thrown;
    const { message } = thrown as Error;
    throw new PlaneError(
      "STORE_FAILED",
      `The key '${file}' that signs bundles cannot be read or made (${message}). Give this user access to it.`,
      { cause: thrown },
    );
  }
}

function createKey(file: string): KeyObject {
  createOnce(file, Buffer.from(newKey()));
  return readKey(file) ?? createKey(file);
}

function readKey(file: string): KeyObject | null {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw thrown;
  }
  try {
    const key = createPrivateKey(text);
    if (key.asymmetricKeyType === "ed25519") return key;
  } catch {
    // Reported below, without the content of the file.
  }
  throw new PlaneError(
    "STORE_FAILED",
    `The key '${file}' is damaged: it must hold an Ed25519 private key. Restore a copy of it, or remove it; ` +
      "others then have to trust the new one.",
  );
}

function newKey(): string {
  const { privateKey } = generateKeyPairSync("ed25519");
  return privateKey.export({ type: "pkcs8", format: "pem" }).toString();
}

export function writeBundle(
  entries: readonly BundleEntry[],
  exportedBy: string | null,
  key: Pick<SigningKey, "publicKey" | "sign">,
): Bundle {
  const content = {
    version: bundleVersion,
    exportedAt: new Date().toISOString(),
    exportedBy,
    entries: [...entries],
  };
  const contentHash = hash(content);
  return {
    ...content,
    hash: contentHash,
    key: key.publicKey,
    signature: key.sign(signedText(contentHash)),
  };
}

/** Prefixed, so that no signature made for another purpose is valid. */
function signedText(contentHash: string): string {
  return `toolplane bundle\n${contentHash}`;
}

const maxMebibytes = 16;

export function readSignedBundle(
  text: string,
  isTrusted: (fingerprint: string) => boolean,
): Bundle & { fingerprint: string } {
  const bundle = parse(text);
  const { version } = bundle;
  if (typeof version !== "number" || !Number.isInteger(version) || version < 1)
    throw refused("It has no version");
  if (version > bundleVersion)
    throw refused(
      `It has version ${version}, and this installation knows ${bundleVersion}`,
      "Update this installation, or export it with an older one.",
    );
  const { hash: contentHash, key, signature, ...content } = bundle;
  if (typeof contentHash !== "string" || typeof key !== "string" || typeof signature !== "string")
    throw refused("It is not signed");
  if (hash(content) !== contentHash || !isSignedBy(key, contentHash, signature))
    throw refused(
      "Its signature is not valid: it was changed after it was signed, or damaged in transit",
    );
  const fingerprint = fingerprintOf(key);
  if (!isTrusted(fingerprint))
    throw refused(
      `It is signed with the key ${fingerprint}, which is not trusted here`,
      `If you know whose it is, add "${fingerprint}" to 'bundles.trustedKeys' of the configuration.`,
      { fingerprint },
    );
  return { ...readContent(content, version), hash: contentHash, key, signature, fingerprint };
}

function parse(text: string): UnknownObject {
  if (text.length > maxMebibytes * 1024 * 1024 * 1.4)
    throw refused(`It is larger than ${maxMebibytes} MiB`, "Export fewer entries at a time.");
  try {
    const bundle: unknown = JSON.parse(Buffer.from(text.trim(), "base64").toString("utf8"));
    if (isObject(bundle)) return bundle;
  } catch {
    // Reported below.
  }
  throw refused("It is not a bundle");
}

function isSignedBy(key: string, contentHash: string, signature: string): boolean {
  try {
    const publicKey = createPublicKey({
      key: Buffer.from(key, "base64"),
      type: "spki",
      format: "der",
    });
    if (publicKey.asymmetricKeyType !== "ed25519") return false;
    return verify(
      null,
      Buffer.from(signedText(contentHash)),
      publicKey,
      Buffer.from(signature, "base64"),
    );
  } catch {
    return false;
  }
}

function readContent({ exportedAt, exportedBy, entries }: UnknownObject, version: number) {
  if (!Array.isArray(entries) || !entries.every(isEntry))
    throw refused("Its entries are not a list of manifests");
  return {
    version,
    exportedAt: stringOrEmpty(exportedAt),
    exportedBy: stringOrNull(exportedBy),
    entries: entries as BundleEntry[],
  };
}

function isEntry(entry: unknown): boolean {
  return (
    isObject(entry) && entryKinds.includes(entry.kind as EntryKind) && isObject(entry.manifest)
  );
}

function refused(
  why: string,
  remedy = "Export it again with 'toolplane registry export'.",
  data: UnknownObject = {},
): PlaneError {
  return new PlaneError("BUNDLE_REFUSED", `The bundle was not imported. ${why}. ${remedy}`, {
    data,
  });
}
