import assert from "node:assert/strict";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { suite, test } from "node:test";
import { openBucket } from "../../packages/s3/src/s3.ts";
import { createPlane, principalOf } from "../../src/index.ts";
import { temporaryDirectory } from "../fixtures/start-server.ts";
import { inSurroundings } from "../fixtures/surroundings.ts";
import { fixture } from "../scenarios/support.ts";

type S3Server = { run(): Promise<{ port: number }>; close(): Promise<void> };
type MakeServer = new (options: object) => S3Server;
const S3rver = createRequire(import.meta.url)("s3rver") as MakeServer;

const env = { AWS_ACCESS_KEY_ID: "S3RVER", AWS_SECRET_ACCESS_KEY: "S3RVER" };
const message = "a secret report ".repeat(2_000);
const ann = principalOf({ user: "ann" });

/** A real S3 server with one bucket, whose objects are files. */
async function startS3() {
  const directory = await temporaryDirectory();
  const configureBuckets = [{ name: "results" }];
  const server = new S3rver({
    port: 0,
    address: "127.0.0.1",
    silent: true,
    directory: directory.path,
    configureBuckets,
  });
  const { port } = await server.run();
  const files = async () => {
    const all = await readdir(join(directory.path, "results"), { recursive: true });
    return all.filter((name) => name.endsWith("._S3rver_object"));
  };
  return {
    endpoint: `http://127.0.0.1:${port}`,
    address: `s3://results/kept/here?region=eu-central-1&endpoint=http://127.0.0.1:${port}`,
    files,
    read: async (name: string) => readFile(join(directory.path, "results", name)),
    write: async (name: string, content: Uint8Array) =>
      writeFile(join(directory.path, "results", name), content),
    stop: () => server.close(),
    async [Symbol.asyncDispose]() {
      await server.close().catch(() => undefined);
      await directory[Symbol.asyncDispose]();
    },
  };
}

const planeWith = (store: string, more: object = {}) => {
  const config = {
    mcpServers: { echo: fixture("echo") },
    results: { store, maxInlineBytes: 1_000 },
    ...more,
  };
  return createPlane({ config });
};

const within = <T>(work: () => Promise<T>) =>
  inSurroundings({ env, directory: process.cwd() }, work);

suite("large results in a bucket", () => {
  test("their content is there and not in the store, and is read from there by its owner alone", () =>
    within(async () => {
      await using s3 = await startS3();
      await using plane = await planeWith(s3.address);
      const { stored } = await plane.call("echo.echo", { message }, {
        principal: ann,
        face: "mcp",
      } as never);
      assert.ok(stored, "it is stored");
      const [object = ""] = await s3.files();
      assert.match(object, new RegExp(`^kept/here/${stored.id}`));
      const { text } = await plane.results.get(stored.id, { limit: 100_000 }, { principal: ann });
      assert.ok(text.includes(message));
      const listed = await plane.results.page({}, { principal: ann });
      assert.deepEqual(
        listed.results.map(({ id }) => id),
        [stored.id],
      );
      await assert.rejects(
        plane.results.get(stored.id, {}, { principal: principalOf({ user: "bob" }) }),
        {
          code: "NOT_FOUND",
        },
      );
    }));

  test("with a 'vaultKey' the content is sealed, and changed content is refused", () =>
    within(async () => {
      await using s3 = await startS3();
      await using plane = await planeWith(s3.address, { vaultKey: "0a".repeat(32) });
      const { stored } = await plane.call("echo.echo", { message }, { face: "mcp" } as never);
      assert.ok(stored);
      const [object = ""] = await s3.files();
      const sealed = await s3.read(object);
      assert.ok(!sealed.includes("a secret report"));
      assert.ok((await plane.results.get(stored.id, { limit: 100_000 })).text.includes(message));
      sealed[sealed.length - 1] = (sealed.at(-1) ?? 0) ^ 1;
      await s3.write(object, sealed);
      await assert.rejects(plane.results.get(stored.id), /sealed with another key, or changed/);
    }));

  test("a bucket that cannot be reached loses nothing: the store has the content", () =>
    within(async () => {
      await using s3 = await startS3();
      await using plane = await planeWith(s3.address);
      await s3.stop();
      const outcome = await plane.call("echo.echo", { message }, { face: "mcp" } as never);
      assert.ok(outcome.ok && outcome.stored);
      assert.ok(
        (await plane.results.get(outcome.stored.id, { limit: 100_000 })).text.includes(message),
      );
    }));

  test("an object that is gone is a result that is gone; a bucket that does not answer is said", () =>
    within(async () => {
      await using s3 = await startS3();
      await using plane = await planeWith(s3.address);
      const { stored } = await plane.call("echo.echo", { message }, { face: "mcp" } as never);
      assert.ok(stored);
      const bucket = openBucket({
        bucket: "results",
        prefix: "kept/here/",
        region: "eu",
        endpoint: s3.endpoint,
      });
      assert.equal(await bucket.removeBefore(new Date(Date.now() - 60_000)), 0);
      assert.equal((await s3.files()).length, 1);
      assert.equal(await bucket.removeBefore(new Date(Date.now() + 60_000)), 1);
      assert.deepEqual(await s3.files(), []);
      bucket.close();
      await assert.rejects(plane.results.get(stored.id), { code: "NOT_FOUND" });
      await s3.stop();
      await assert.rejects(plane.results.get(stored.id), { code: "STORE_FAILED" });
    }));

  test("objects of others in the bucket stay", () =>
    within(async () => {
      await using s3 = await startS3();
      const bucket = openBucket({
        bucket: "results",
        prefix: "kept/",
        region: "eu",
        endpoint: s3.endpoint,
      });
      await bucket.put("r_ours", Buffer.from("a"));
      await bucket.put("notes.txt", Buffer.from("b"));
      assert.equal(await bucket.removeBefore(new Date(Date.now() + 60_000)), 1);
      assert.deepEqual(
        await bucket.get("notes.txt").then((found) => found && Buffer.from(found).toString()),
        "b",
      );
      bucket.close();
    }));

  test("a wrong address is named before anything starts", async () => {
    const wrong: [string, RegExp][] = [
      ["gs://bucket", /not the address of a bucket/],
      ["s3://key:word@bucket", /has a password.*AWS_ACCESS_KEY_ID/s],
      ["s3://b", /names no bucket/],
      ["s3://bucket?zone=1", /'zone' is not known/],
      ["s3://bucket?endpoint=file:///etc", /'endpoint' is not an address of the web/],
      ["s3://bucket/a b", /characters that names in a bucket should not have/],
    ];
    for (const [store, why] of wrong) await assert.rejects(planeWith(store), why, store);
  });
});
