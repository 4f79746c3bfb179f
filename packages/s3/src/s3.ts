import { addAbortSignal, Readable } from "node:stream";
import {
  DeleteObjectsCommand,
  GetObjectCommand,
  ListObjectsV2Command,
  NoSuchKey,
  PutObjectCommand,
  S3Client,
} from "@aws-sdk/client-s3";
import { withoutUndefined } from "@toolplane/core/lib/json/plain-data";
import type { BucketAddress } from "@toolplane/core/model/config/settings";
import type { ResultBucket } from "@toolplane/core/model/packages";

/** Of a request that hangs; its caller may give it up before. */
const requestMs = 10_000;

const abortOptions = (signal: AbortSignal | undefined) => withoutUndefined({ abortSignal: signal });

/** A bucket that gives more than was put into it is not read to its end. */
async function readBody(body: Readable, name: string, maxBytes: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  // Leaving the loop ends the connection.
  for await (const chunk of body as AsyncIterable<Uint8Array>) {
    size += chunk.length;
    if (size > maxBytes)
      throw new Error(`it gave more than the ${maxBytes} bytes that '${name}' may have`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Credentials come from where the tools of AWS look for them: variables, the profile, the machine's role. */
export function openBucket({
  bucket: Bucket,
  prefix,
  region,
  endpoint,
}: BucketAddress): ResultBucket {
  const client = new S3Client({
    region,
    maxAttempts: 2,
    requestHandler: {
      requestTimeout: requestMs,
      // Otherwise the limit is only logged.
      throwOnRequestTimeout: true,
      connectionTimeout: requestMs,
    },
    // Stores elsewhere have no host name for each bucket, and not all know the newer checksums.
    ...(endpoint !== null && {
      endpoint,
      forcePathStyle: true,
      requestChecksumCalculation: "WHEN_REQUIRED" as const,
      responseChecksumValidation: "WHEN_REQUIRED" as const,
    }),
  });
  return {
    async put(name, Body, signal) {
      const put = new PutObjectCommand({ Bucket, Key: prefix + name, Body });
      await client.send(put, abortOptions(signal));
    },
    async get(name, maxBytes, signal) {
      try {
        const get = new GetObjectCommand({ Bucket, Key: prefix + name });
        const { Body } = await client.send(get, abortOptions(signal));
        if (Body === undefined) return null;
        if (signal && Body instanceof Readable) addAbortSignal(signal, Body);
        return await readBody(Body as Readable, name, maxBytes);
      } catch (thrown) {
        if (thrown instanceof NoSuchKey) return null;
        throw thrown;
      }
    },
    async removeBefore(time, signal) {
      let removed = 0;
      let refused: string | undefined;
      let ContinuationToken: string | undefined;
      do {
        const page = await client.send(
          new ListObjectsV2Command({ Bucket, Prefix: `${prefix}r_`, ContinuationToken }),
          abortOptions(signal),
        );
        const expired = (page.Contents ?? []).filter(
          ({ LastModified }) => LastModified !== undefined && LastModified < time,
        );
        const Objects = expired.map(({ Key }) => ({ Key }));
        const deletion = new DeleteObjectsCommand({ Bucket, Delete: { Objects, Quiet: true } });
        // Objects that stay are in an answer that is a success.
        const { Errors = [] } =
          Objects.length > 0 ? await client.send(deletion, abortOptions(signal)) : {};
        refused ??=
          Errors[0] && `${Errors[0].Code}: ${Errors[0].Message ?? "it cannot be removed"}`;
        removed += Objects.length - Errors.length;
        ContinuationToken = page.NextContinuationToken;
      } while (ContinuationToken !== undefined);
      if (refused !== undefined) throw new Error(refused);
      return removed;
    },
    close: () => client.destroy(),
  };
}
