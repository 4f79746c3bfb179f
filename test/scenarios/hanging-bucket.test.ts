import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { createPlane } from "../../src/index.ts";
import { inMemory, toolServer } from "../../src/testing/testing.ts";
import { temporaryDirectory } from "../fixtures/start-server.ts";
import { inSurroundings } from "../fixtures/surroundings.ts";

test("a plane ends while its bucket hangs, and the call that waited for it has its result in the store", async () => {
  const reached = Promise.withResolvers<void>();
  const hanging = createServer((request) => {
    request.resume();
    if (request.method === "PUT") reached.resolve();
  });
  await new Promise<void>((resolve) => hanging.listen(0, "127.0.0.1", resolve));
  const { port } = hanging.address() as AddressInfo;
  await using directory = await temporaryDirectory();
  const env = { AWS_ACCESS_KEY_ID: "a", AWS_SECRET_ACCESS_KEY: "b" };
  const rows = "a row of many\n".repeat(5_000);
  const servers = { large: inMemory(toolServer({ rows: { run: () => rows } })) };
  const config = {
    results: { store: `s3://results?region=eu&endpoint=http://127.0.0.1:${port}` },
  };
  await inSurroundings({ env, directory: directory.path }, async () => {
    const plane = await createPlane({ servers, config, dataDirectory: directory.path });
    const calling = plane.call("large.rows", {}, { maxResultBytes: 1_000 });
    await reached.promise;
    await plane.stop();
    const { ok, stored } = await calling;
    assert.ok(ok && stored);
    hanging.closeAllConnections();
    await new Promise((resolve) => hanging.close(resolve));
    const later = await createPlane({ servers, dataDirectory: directory.path });
    try {
      assert.match((await later.results.get(stored.id)).text, /^a row of many/);
    } finally {
      await later.stop();
    }
  });
});
