import { randomBytes } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createOnce } from "../lib/files.ts";
import { openSealed, seal } from "../lib/seal.ts";
import {
  parseVaultKey,
  type RecordSealer,
  type StoreAddress,
  vaultKeyBytes,
} from "../model/config/settings.ts";
import { PlaneError } from "../model/errors.ts";

/**
 * Seals records with the key that seals tokens. On Postgres only with `vaultKey` of the configuration: the key of one plane
 * alone would hide from the others what they answer and run.
 */
export function createRecordSealer(
  address: StoreAddress,
  directory: string | undefined,
  vaultKey: string | undefined,
): RecordSealer | null {
  if (vaultKey === undefined && address.kind === "postgres") return null;
  let key: Uint8Array | undefined;
  const keyOf = () => {
    key ??= vaultKey === undefined ? ownKey(directory) : readVaultKey(vaultKey);
    return key;
  };
  return {
    seal: (name, text) => seal(keyOf(), name, Buffer.from(text)).toString("base64"),
    open: (name, sealed) =>
      openSealed(keyOf(), name, Buffer.from(sealed, "base64"))?.toString("utf8") ?? null,
  };
}

/** A store in memory ends with the process, and so does its key. */
function ownKey(directory: string | undefined): Uint8Array {
  return directory === undefined ? randomBytes(vaultKeyBytes) : loadVaultKey(directory);
}

/** The key in the configuration. */
export function readVaultKey(text: string): Buffer {
  const key = parseVaultKey(text);
  if (key !== null) return Buffer.from(key);
  throw new PlaneError(
    "STORE_FAILED",
    `'vaultKey' in the configuration is not a valid key: it must be ${vaultKeyBytes} bytes as hex or base64. Make one with 'openssl rand -hex ${vaultKeyBytes}'.`,
  );
}

/** Made when there is none. Processes that start together get the same one. */
export function loadVaultKey(directory: string): Buffer {
  const file = join(directory, "vault.key");
  try {
    return existsSync(file) ? readKey(file) : createKey(file);
  } catch (thrown) {
    if (thrown instanceof PlaneError) throw thrown;
    const text = `The key '${file}' that protects stored tokens cannot be read or made (${(thrown as Error).message}). Give this user access to it.`;
    throw new PlaneError("STORE_FAILED", text, { cause: thrown });
  }
}

function readKey(file: string): Buffer {
  const key = readFileSync(file);
  if (key.length === vaultKeyBytes) return key;
  throw new PlaneError(
    "STORE_FAILED",
    `The key '${file}' is damaged: it must have ${vaultKeyBytes} bytes and has ${key.length}. ` +
      "Restore a copy of it, or remove it and sign in to your servers again.",
  );
}

function createKey(file: string): Buffer {
  createOnce(file, randomBytes(vaultKeyBytes));
  return readKey(file);
}
