import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { createHeardValues } from "../../lib/async/heard-values.ts";
import { once } from "../../lib/async/once.ts";
import { openSealed, seal } from "../../lib/seal.ts";
import { vaultKeyBytes } from "../../model/config/settings.ts";
import { PlaneError } from "../../model/errors.ts";
import type { Store, StoreHearing } from "../../model/store.ts";
import { loadVaultKey, readVaultKey } from "../../store/store.ts";

export type Vault = {
  /** Null when there is none; rejects when it was sealed with another key. */
  read<T>(name: string): Promise<T | null>;
  /** The same, without the store where other planes would have told of a change. */
  readCached<T>(name: string): Promise<T | null>;
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
    const configuredKey = await options.vaultKey();
    if (configuredKey !== undefined)
      return { bytes: readVaultKey(configuredKey), name: "'vaultKey' of the configuration" };
    if (directory === undefined)
      return { bytes: randomBytes(vaultKeyBytes), name: "the key of this process" };
    return { bytes: loadVaultKey(directory), name: `'${join(directory, "vault.key")}'` };
  });

  const sealValue = async (name: string, value: unknown) =>
    seal((await key()).bytes, name, Buffer.from(JSON.stringify(value)));
  const openValue = async (name: string, bytes: Uint8Array) => {
    const plain = openSealed((await key()).bytes, name, bytes);
    return plain && { value: JSON.parse(plain.toString("utf8")) as unknown };
  };

  const cachedSecrets = createHeardValues({
    read: async (name) => (await options.store()).secret(name),
    isInformed: options.news?.isInformed ?? (() => false),
  });
  options.news?.onNews(({ what }) => {
    if (what === "secrets") cachedSecrets.changed();
  });

  async function unseal<T>(
    name: string,
    sealedBytes: Uint8Array | null | Promise<Uint8Array | null>,
  ): Promise<T | null> {
    const bytes = await sealedBytes;
    if (bytes === null) return null;
    const secret = await openValue(name, bytes);
    if (secret === null) throw unreadable(name, (await key()).name);
    return secret.value as T;
  }

  const read = <T>(name: string) => unseal<T>(name, cachedSecrets.read(name));
  return {
    read,
    readCached: <T>(name: string) => unseal<T>(name, cachedSecrets.get(name)),
    readIfPossible: <T>(name: string) => read<T>(name).catch(nullWhenUnreadable),
    write: async (name, value) => {
      const bytes = await sealValue(name, value);
      await (await options.store()).putSecret(name, bytes).finally(cachedSecrets.changed);
    },
    remove: async (name) =>
      (await options.store()).deleteSecret(name).finally(cachedSecrets.changed),
    names: async (prefix) => (await options.store()).secrets(prefix),
    seal: sealValue,
    open: openValue,
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
