import { randomBytes } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createHeardValues } from "../../lib/async/heard-values.ts";
import { once } from "../../lib/async/once.ts";
import { createOnce } from "../../lib/files.ts";
import { openSealed, seal } from "../../lib/seal.ts";
import { parseVaultKey, vaultKeyBytes } from "../../model/config/settings.ts";
import { PlaneError } from "../../model/errors.ts";
import type { Store, StoreHearing } from "../../model/store.ts";

export type Vault = {
  /** Null when there is none; rejects when it was sealed with another key. */
  read<T>(name: string): Promise<T | null>;
  /** The same, without the store where other planes would have told of a change. */
  readKept<T>(name: string): Promise<T | null>;
  /** Null also when it cannot be opened. */
  readIfPossible<T>(name: string): Promise<T | null>;
  write(name: string, value: unknown): Promise<void>;
  /** True for the caller that removed it. */
  remove(name: string): Promise<boolean>;
  names(prefix: string): Promise<string[]>;
  /** For what is kept elsewhere in the store. */
  seal(name: string, value: unknown): Promise<Uint8Array>;
  /** Null when it was sealed with another key or under another name. */
  open(name: string, sealed: Uint8Array): Promise<{ value: unknown } | null>;
};

type VaultOptions = {
  store(): Promise<Store>;
  directory: string | undefined;
  /** The configured key, for all planes on one store. */
  vaultKey(): Promise<string | undefined>;
  news?: StoreHearing | undefined;
};

/** Sealed JSON in the store. Without a key and a directory it ends with the process. */
export function createVault(options: VaultOptions): Vault {
  const { directory } = options;
  const key = once(async () => {
    const given = await options.vaultKey();
    if (given !== undefined)
      return { bytes: readVaultKey(given), name: "'vaultKey' of the configuration" };
    if (directory === undefined)
      return { bytes: randomBytes(vaultKeyBytes), name: "the key of this process" };
    return { bytes: loadVaultKey(directory), name: `'${join(directory, "vault.key")}'` };
  });

  const sealed = async (name: string, value: unknown) =>
    seal((await key()).bytes, name, Buffer.from(JSON.stringify(value)));
  const opened = async (name: string, bytes: Uint8Array) => {
    const plain = openSealed((await key()).bytes, name, bytes);
    return plain && { value: JSON.parse(plain.toString("utf8")) as unknown };
  };

  const kept = createHeardValues({
    read: async (name) => (await options.store()).secret(name),
    isInformed: options.news?.isInformed ?? (() => false),
  });
  options.news?.onNews(({ what }) => what === "secrets" && kept.changed());

  async function readable<T>(
    name: string,
    reading: Uint8Array | null | Promise<Uint8Array | null>,
  ): Promise<T | null> {
    const bytes = await reading;
    if (bytes === null) return null;
    const found = await opened(name, bytes);
    if (found === null) throw unreadable(name, (await key()).name);
    return found.value as T;
  }

  const read = <T>(name: string) => readable<T>(name, kept.read(name));
  return {
    read,
    readKept: <T>(name: string) => readable<T>(name, kept.get(name)),
    readIfPossible: <T>(name: string) => read<T>(name).catch(nullWhenUnreadable),
    write: async (name, value) => {
      const bytes = await sealed(name, value);
      await (await options.store()).putSecret(name, bytes).finally(kept.changed);
    },
    remove: async (name) => (await options.store()).deleteSecret(name).finally(kept.changed),
    names: async (prefix) => (await options.store()).secrets(prefix),
    seal: sealed,
    open: opened,
  };
}

const wrongKey = "wrongKey";

function unreadable(name: string, keyName: string): PlaneError {
  const message =
    `What is stored under '${name}' cannot be opened with ${keyName}: it was sealed with another key. ` +
    "Put the key back that was there before, or give the token or sign in again.";
  return new PlaneError("STORE_FAILED", message, { data: { reason: wrongKey } });
}

function nullWhenUnreadable(thrown: unknown): null {
  if (thrown instanceof PlaneError && thrown.data.reason === wrongKey) return null;
  throw thrown;
}

function readVaultKey(text: string): Buffer {
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
