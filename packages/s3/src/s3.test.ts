import assert from "node:assert/strict";
import { createServer } from "node:http";
import { test } from "node:test";
import { inSurroundings } from "../../../test/fixtures/surroundings.ts";
import { openBucket } from "./s3.ts";

const env = { AWS_ACCESS_KEY_ID: "a", AWS_SECRET_ACCESS_KEY: "never-shown" };

test("an error of the store is passed on, without the key", async () => {
  const server = createServer((_, response) => response.writeHead(403).end("<Error><Code>AccessDenied</Code></Error>"));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  const address = { bucket: "results", prefix: "", region: "eu", endpoint: `http://127.0.0.1:${port}` };
  await inSurroundings({ env, directory: process.cwd() }, async () => {
    const bucket = openBucket(address);
    const works = [bucket.get("r_1"), bucket.put("r_1", Buffer.from("x")), bucket.removeBefore(new Date())];
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
