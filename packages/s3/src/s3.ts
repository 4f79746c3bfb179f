import {
  DeleteObjectsCommand,
  GetObjectCommand,
  ListObjectsV2Command,
  NoSuchKey,
  PutObjectCommand,
  S3Client,
} from "@aws-sdk/client-s3";
import type { BucketAddress } from "../../../src/model/config/settings.ts";
import type { ResultBucket } from "../../../src/model/packages.ts";

/** A caller waits for a result, so a bucket that hangs is given up. */
const requestMs = 10_000;

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
    requestHandler: { requestTimeout: requestMs, connectionTimeout: requestMs },
    // Stores elsewhere have no host name for each bucket, and not all know the newer checksums.
    ...(endpoint !== null && {
      endpoint,
      forcePathStyle: true,
      requestChecksumCalculation: "WHEN_REQUIRED" as const,
      responseChecksumValidation: "WHEN_REQUIRED" as const,
    }),
  });
  return {
    async put(name, Body) {
      await client.send(new PutObjectCommand({ Bucket, Key: prefix + name, Body }));
    },
    async get(name) {
      try {
        const { Body } = await client.send(new GetObjectCommand({ Bucket, Key: prefix + name }));
        return (await Body?.transformToByteArray()) ?? null;
      } catch (thrown) {
        if (thrown instanceof NoSuchKey) return null;
        throw thrown;
      }
    },
    async removeBefore(time) {
      let removed = 0;
      let refused: string | undefined;
      let ContinuationToken: string | undefined;
      do {
        const page = await client.send(
          new ListObjectsV2Command({ Bucket, Prefix: `${prefix}r_`, ContinuationToken }),
        );
        const old = (page.Contents ?? []).filter(
          ({ LastModified }) => LastModified !== undefined && LastModified < time,
        );
        const Objects = old.map(({ Key }) => ({ Key }));
        const deletion = new DeleteObjectsCommand({ Bucket, Delete: { Objects, Quiet: true } });
        // Objects that stay are in an answer that is a success.
        const { Errors = [] } = Objects.length > 0 ? await client.send(deletion) : {};
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
