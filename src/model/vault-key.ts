export const vaultKeyBytes = 32;

/** The bytes of a key that is written as hex or base64; null when it is neither, or of another length. */
export function parseVaultKey(text: string): Buffer | null {
  const written = text.trim();
  const isHex = /^[0-9a-f]+$/i.test(written) && written.length === 2 * vaultKeyBytes;
  if (!isHex && !/^[A-Za-z0-9+/_-]+={0,2}$/.test(written)) return null;
  const key = Buffer.from(written, isHex ? "hex" : "base64");
  return key.length === vaultKeyBytes ? key : null;
}
