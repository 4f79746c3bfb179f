import { once } from "../../lib/async/once.ts";
import { abortable } from "../../lib/async/signals.ts";
import { createEndpoints, type EndpointFailure } from "../../lib/net/endpoints.ts";
import { retryAfterMs } from "../../lib/net/send-request.ts";
import { openSealed, seal } from "../../lib/seal.ts";
import { errorText } from "../../lib/text/error-text.ts";
import { parseBucketAddress, parseVaultKey } from "../../model/config/settings.ts";
import { PlaneError } from "../../model/errors.ts";
import { isObject } from "../../model/json.ts";
import type { ResultBucket, ResultPackages } from "../../model/packages.ts";

type BucketParts = {
  packages: ResultPackages;
  address: string;
  vaultKey(): Promise<string | undefined>;
};

/** A caller waits for a result, so a bucket that hangs is given up. */
const requestMs = 10_000;
const removalMs = 300_000;

/** Sealing adds less. */
const maxSealBytes = 1_024;
const unkept = "Large results are in the store for now";
const unremoved = "Old results stay in the bucket for now";

export type Bucket = ReturnType<typeof createBucket>;

/** The content of large results outside of the store, sealed where the configuration has a `vaultKey`. Opened with the first one. */
export function createBucket({ packages, address, vaultKey }: BucketParts) {
  let opened: ResultBucket | null = null;
  /** Said once, until it works again. */
  const warned = new Set<string>();

  function warn(what: string, thrown: unknown) {
    if (!warned.has(what)) process.emitWarning(`${what}: ${describe(thrown)}`);
    warned.add(what);
  }

  const openBucket = once(async () => {
    const parsed = parseBucketAddress(address);
    if ("problem" in parsed)
      throw new PlaneError("CONFIG_INVALID", `'results.store': ${parsed.problem}. ${parsed.hint}`);
    const key = await vaultKey();
    opened = (await packages.s3()).openBucket(parsed);
    return { bucket: opened, key: key === undefined ? null : parseVaultKey(key) };
  });
  const stopping = new AbortController();
  const endpoints = createEndpoints({
    firstMs: 5_000,
    maxMs: 60_000,
    failureOf: (thrown) => (stopping.signal.aborted ? null : failureOf(thrown)),
    refuse: (failure, restMs) =>
      new Error(`${reasonOf(failure)}; it is asked again in ${Math.ceil(restMs / 1_000)} s`),
  });

  /** With a limit, not while it rests after a failure, and not beyond the end of the plane. */
  function ask<T>(request: (signal: AbortSignal) => Promise<T>, limitMs = requestMs): Promise<T> {
    return endpoints.ask("bucket", () => {
      const signal = AbortSignal.any([stopping.signal, AbortSignal.timeout(limitMs)]);
      return abortable(request(signal), signal);
    });
  }

  return {
    /** False where it cannot be reached; the store keeps the content then. */
    async put(name: string, body: Uint8Array): Promise<boolean> {
      try {
        const { bucket, key } = await openBucket();
        const content = key === null ? body : seal(key, name, body);
        await ask((signal) => bucket.put(name, content, signal));
        warned.delete(unkept);
        return true;
      } catch (thrown) {
        warn(unkept, thrown);
        return false;
      }
    },
    /** Null where it is gone; `bytes` is what was put there. */
    async get(name: string, bytes: number): Promise<Uint8Array | null> {
      const { bucket, key } = await openBucket();
      const read = ask((signal) => bucket.get(name, bytes + maxSealBytes, signal));
      const content = await read.catch((thrown) => {
        throw new PlaneError("STORE_FAILED", `${describe(thrown)} Try again.`, { cause: thrown });
      });
      if (content === null || key === null) return content;
      const unsealed = openSealed(key, name, content);
      if (unsealed !== null) return unsealed;
      const message = `The result '${name}' in the bucket cannot be opened with 'vaultKey' of the configuration: it was sealed with another key, or changed. Call the tool again.`;
      throw new PlaneError("STORE_FAILED", message);
    },
    async removeBefore(time: Date): Promise<void> {
      try {
        const { bucket } = await openBucket();
        await ask((signal) => bucket.removeBefore(time, signal), removalMs);
        warned.delete(unremoved);
      } catch (thrown) {
        warn(unremoved, thrown);
      }
    },
    /** Ends the requests that are under way. */
    close(): void {
      stopping.abort(new Error("the plane is stopping"));
      opened?.close();
    },
  };
}

/** What the bucket refuses for one object says nothing of the others. */
function failureOf(thrown: unknown): EndpointFailure | null {
  const { $metadata, $response } = thrown as {
    $metadata?: { httpStatusCode?: number };
    $response?: { headers?: unknown };
  };
  const status = $metadata?.httpStatusCode;
  if (status !== undefined && status < 500 && status !== 429) return null;
  const headers = isObject($response?.headers) ? $response.headers : {};
  const announced = headers["retry-after"];
  return { retryAfterMs: typeof announced === "string" ? retryAfterMs(announced) : undefined };
}

function reasonOf(thrown: unknown): string {
  const isLate = thrown instanceof Error && thrown.name === "TimeoutError";
  if (isLate) return "it does not answer in time";
  return errorText(thrown);
}

function describe(thrown: unknown): string {
  return `The bucket 'results.store' cannot be used: ${reasonOf(thrown)}.`;
}
