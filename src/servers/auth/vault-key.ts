import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createOnce } from "../../lib/create-once.ts";
import { PlaneError } from "../../model/errors.ts";
import { vaultKeyBytes as keyBytes, parseVaultKey } from "../../model/vault-key.ts";

/** The key that the configuration leads to. */
export function readVaultKey(text: string): Buffer {
  const key = parseVaultKey(text);
  if (key !== null) return key;
  throw new PlaneError(
    "STORE_FAILED",
    `What 'vaultKey' of the configuration refers to is no key: it must be ${keyBytes} bytes as hex or base64. Make one with 'openssl rand -hex ${keyBytes}'.`,
  );
}

/** The key in this directory, made when there is none. Processes that start at once end with the same. */
export function loadVaultKey(directory: string): Buffer {
  const file = join(directory, "vault.key");
  try {
    return readKey(file) ?? createKey(file);
  } catch (thrown) {
    if (thrown instanceof PlaneError) throw thrown;
    const { message } = thrown as Error;
    throw new PlaneError(
      "STORE_FAILED",
      `The key '${file}' that protects stored tokens cannot be read or made (${message}). Give this user access to it.`,
      { cause: thrown },
    );
  }
}

function readKey(file: string): Buffer | null {
  let key: Buffer;
  try {
    key = readFileSync(file);
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw thrown;
  }
  if (key.length === keyBytes) return key;
  throw new PlaneError(
    "STORE_FAILED",
    `The key '${file}' is damaged: it must have ${keyBytes} bytes and has ${key.length}. ` +
      "Restore a copy of it, or remove it and sign in to your servers again.",
  );
}

function createKey(file: string): Buffer {
  createOnce(file, randomBytes(keyBytes));
  return readKey(file) ?? createKey(file);
}
