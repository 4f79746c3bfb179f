import { once } from "../../lib/async/once.ts";
import { openSealed, seal } from "../../lib/seal.ts";
import { errorText } from "../../lib/text/error-text.ts";
import { parseBucketAddress, parseVaultKey } from "../../model/config/settings.ts";
import { PlaneError } from "../../model/errors.ts";
import type { ResultBucket, ResultPackages } from "../../model/packages.ts";

type BucketParts = {
  packages: ResultPackages;
  address: string;
  vaultKey(): Promise<string | undefined>;
};

const unkept = "Large results are in the store for now";
const unremoved = "Old results stay in the bucket for now";

export type Bucket = ReturnType<typeof createBucket>;

/** The content of large results outside of the store, sealed where the configuration has a `vaultKey`. Opened with the first one. */
export function createBucket({ packages, address, vaultKey }: BucketParts) {
  let opened: ResultBucket | null = null;
  /** Said once, until it works again. */
  const warned = new Set<string>();
  const warn = (what: string, thrown: unknown) => {
    if (!warned.has(what)) process.emitWarning(`${what}: ${describe(thrown)}`);
    warned.add(what);
  };
  const open = once(async () => {
    const parsed = parseBucketAddress(address);
    if ("problem" in parsed)
      throw new PlaneError("CONFIG_INVALID", `'results.store': ${parsed.problem}. ${parsed.hint}`);
    const key = await vaultKey();
    opened = (await packages.s3()).openBucket(parsed);
    return { bucket: opened, key: key === undefined ? null : parseVaultKey(key) };
  });
  return {
    /** False where it cannot be reached; the store keeps the content then. */
    async put(name: string, body: Uint8Array): Promise<boolean> {
      try {
        const { bucket, key } = await open();
        await bucket.put(name, key === null ? body : seal(key, name, body));
        warned.delete(unkept);
        return true;
      } catch (thrown) {
        warn(unkept, thrown);
        return false;
      }
    },
    /** Null where it is gone. */
    async get(name: string): Promise<Uint8Array | null> {
      const { bucket, key } = await open();
      const found = await bucket.get(name).catch((thrown) => {
        throw new PlaneError("STORE_FAILED", `${describe(thrown)} Try again.`, { cause: thrown });
      });
      if (found === null || key === null) return found;
      const plain = openSealed(key, name, found);
      if (plain !== null) return plain;
      const message = `The result '${name}' in the bucket cannot be opened with 'vaultKey' of the configuration: it was sealed with another key, or changed. Call the tool again.`;
      throw new PlaneError("STORE_FAILED", message);
    },
    async removeBefore(time: Date): Promise<void> {
      try {
        await (await open()).bucket.removeBefore(time);
        warned.delete(unremoved);
      } catch (thrown) {
        warn(unremoved, thrown);
      }
    },
    close: (): void => opened?.close(),
  };
}

function describe(thrown: unknown): string {
  return `The bucket 'results.store' cannot be used: ${errorText(thrown)}.`;
}
