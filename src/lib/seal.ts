import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";

const format = 1;
const nonceBytes = 12;
const tagBytes = 16;
const headBytes = 1 + nonceBytes + tagBytes;

/** The name is sealed too: what is stored under one name cannot be moved to another. */
export function seal(key: Uint8Array, name: string, plain: Uint8Array): Buffer {
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv("aes-256-gcm", key, nonce);
  cipher.setAAD(Buffer.from(name));
  const body = Buffer.concat([cipher.update(plain), cipher.final()]);
  return Buffer.concat([Buffer.of(format), nonce, cipher.getAuthTag(), body]);
}

/** Null for what was sealed with another key or under another name, and for what was changed since. */
export function openSealed(key: Uint8Array, name: string, sealed: Uint8Array): Buffer | null {
  const bytes = Buffer.from(sealed);
  if (bytes.length < headBytes || bytes[0] !== format) return null;
  const decipher = createDecipheriv("aes-256-gcm", key, bytes.subarray(1, 1 + nonceBytes));
  decipher.setAAD(Buffer.from(name));
  decipher.setAuthTag(bytes.subarray(1 + nonceBytes, headBytes));
  try {
    return Buffer.concat([decipher.update(bytes.subarray(headBytes)), decipher.final()]);
  } catch {
    return null;
  }
}
