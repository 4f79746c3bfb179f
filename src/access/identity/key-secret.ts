const prefix = "tp_";
const secretBytes = 32;
const shape = /^tp_[A-Za-z0-9_-]{43}$/;

/** Node's cryptography is loaded on first use: it takes as long as a small command has in all. */
const crypto = () => process.getBuiltinModule("node:crypto");

export function makeSecret(): string {
  return prefix + crypto().randomBytes(secretBytes).toString("base64url");
}

/** To speak about the key without the secret; it says nothing about it. */
export function makeKeyId(): string {
  return crypto().randomBytes(5).toString("hex");
}

/** A secret of 256 random bits cannot be guessed from its hash, so the hash needs neither salt nor slowness. */
export function hashSecret(secret: string): string {
  return crypto().createHash("sha256").update(secret).digest("hex");
}

/** Does it mean to be a key of ours, whole or not? */
export function looksLikeKey(token: string): boolean {
  return token.startsWith(prefix);
}

export function isWholeSecret(token: string): boolean {
  return shape.test(token);
}
