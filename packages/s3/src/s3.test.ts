import assert from "node:assert/strict";
import { createServer } from "node:http";
import { test } from "node:test";
import { inSurroundings } from "@toolplane/test/fixtures/surroundings";
import { createBucket } from "@toolplane/test/samples/core";
import { openBucket } from "./s3.ts";

const env = { AWS_ACCESS_KEY_ID: "a", AWS_SECRET_ACCESS_KEY: "never-shown" };

const old = (key: string) =>
  `<Contents><Key>${key}</Key><LastModified>2026-01-01T00:00:00.000Z</LastModified><Size>1</Size></Contents>`;
const refused =
  "<Error><Key>r_2</Key><Code>AccessDenied</Code><Message>No right to delete</Message></Error>";

test("old objects that may not be removed are said, though the answer is a success", async (context) => {
  const warned = context.mock.method(process, "emitWarning", () => undefined);
  const server = createServer((request, response) => {
    request.resume();
    response.setHeader("content-type", "application/xml");
    if (request.method === "POST") response.end(`<DeleteResult>${refused}</DeleteResult>`);
    else
      response.end(
        `<ListBucketResult>${old("r_1")}${old("r_2")}<KeyCount>2</KeyCount></ListBucketResult>`,
      );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  await inSurroundings({ env, directory: process.cwd() }, async () => {
    const bucket = createBucket({
      packages: { s3: async () => ({ openBucket }) },
      address: `s3://results?region=eu&endpoint=http://127.0.0.1:${port}`,
      vaultKey: async () => undefined,
    });
    await bucket.removeBefore(new Date());
    await bucket.removeBefore(new Date());
    bucket.close();
  });
  const said = warned.mock.calls.map(({ arguments: [text] }) => String(text));
  assert.equal(said.length, 1);
  assert.match(
    said[0] ?? "",
    /^Old results stay in the bucket .*'results.store'.*AccessDenied: No right to delete/,
  );
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

test("an error of the store is passed on, without the key", async () => {
  const server = createServer((_, response) =>
    response.writeHead(403).end("<Error><Code>AccessDenied</Code></Error>"),
  );
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  const address = {
    bucket: "results",
    prefix: "",
    region: "eu",
    endpoint: `http://127.0.0.1:${port}`,
  };
  await inSurroundings({ env, directory: process.cwd() }, async () => {
    const bucket = openBucket(address);
    const works = [
      bucket.get("r_1", 100),
      bucket.put("r_1", Buffer.from("x")),
      bucket.removeBefore(new Date()),
    ];
    for (const thrown of await Promise.allSettled(works)) {
      assert.equal(thrown.status, "rejected");
      assert.match(String(thrown.reason), /AccessDenied/);
      assert.doesNotMatch(String(thrown.reason.stack), /never-shown/);
    }
    bucket.close();
  });
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

test("a bucket that gives more than was put into it is not read to its end", async () => {
  let sent = 0;
  const server = createServer((_, response) => {
    const chunk = Buffer.alloc(1024 * 1024);
    const write = () => {
      if (response.destroyed || sent >= 600) return void response.end();
      sent += 1;
      if (response.write(chunk)) setImmediate(write);
      else response.once("drain", write);
    };
    write();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  const endpoint = `http://127.0.0.1:${port}`;
  await inSurroundings({ env, directory: process.cwd() }, async () => {
    const bucket = openBucket({ bucket: "results", prefix: "", region: "eu", endpoint });
    await assert.rejects(bucket.get("r_1", 2_000_000), /more than the 2000000 bytes/);
    bucket.close();
  });
  assert.ok(sent < 100, `${sent} MB were sent`);
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});
