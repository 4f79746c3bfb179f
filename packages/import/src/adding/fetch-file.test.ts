import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { configured, createEgress } from "@toolplane/core/lib/net/egress";
import { fetchFile } from "./fetch-file.ts";

test("a host that does not answer in time is named with the limit", async (t) => {
  const server = createServer(() => undefined).listen(0, "127.0.0.1");
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  await once(server, "listening");
  const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  const { stranger } = createEgress({ allow: () => [] });
  const asked = fetchFile(
    { url, gate: configured },
    { maxBytes: 1_000, limitMs: 100, redirects: stranger },
  );
  await assert.rejects(
    asked,
    /Cannot fetch from 127\.0\.0\.1:\d+: it did not answer within 0\.1 s/,
  );
});
