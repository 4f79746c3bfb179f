import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createOnce } from "../../lib/files.ts";
import { PlaneError } from "../../model/errors.ts";

export type SigningKey = {
  /** The public half, base64 of its DER form. */
  publicKey: string;
  fingerprint: string;
  /** Base64. */
  sign(text: string): string;
};

/** The plane's own key in this directory, made when there is none; without a directory it ends with us. */
export function loadSigningKey(directory: string | undefined): SigningKey {
  const key = directory === undefined ? parse(newKey()) : loadKey(join(directory, "bundle.key"));
  const publicKey = createPublicKey(key).export({ type: "spki", format: "der" }).toString("base64");
  return {
    publicKey,
    fingerprint: fingerprintOf(publicKey),
    sign: (text) => sign(null, Buffer.from(text), key).toString("base64"),
  };
}

/** What people compare and trust instead of the key itself. */
export function fingerprintOf(publicKey: string): string {
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
    const key = parse(text);
    if (key.asymmetricKeyType === "ed25519") return key;
  } catch {
    // Told below, without what the file holds.
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

function parse(text: string): KeyObject {
  return createPrivateKey(text);
}
