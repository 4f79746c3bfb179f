import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { isWholeTier } from "../fixtures/tier.ts";
import { planeOf } from "./support.ts";

const tools = { tools: [{ name: "t", inputSchema: { type: "object" } }] };
const initialized = {
  protocolVersion: "2025-06-18",
  serverInfo: { name: "packed", version: "1" },
  capabilities: { tools: {} },
};

/** An MCP server over HTTP whose answers are packed. */
async function packed(
  coding: string,
  pack: (text: string) => Buffer,
  asStream: boolean,
  call: () => unknown,
) {
  const server = createServer(async (request, response) => {
    if (request.method !== "POST") return void response.writeHead(405).end();
    const { id, method } = JSON.parse(Buffer.concat(await request.toArray()).toString());
    if (id === undefined) return void response.writeHead(202).end();
    const result = { initialize: initialized, "tools/list": tools, "tools/call": call() }[
      method as string
    ];
    const message = JSON.stringify({
      jsonrpc: "2.0",
      id,
      ...(result ? { result } : { error: { code: -32601, message: "no" } }),
    });
    const type = asStream ? "text/event-stream" : "application/json";
    const text = asStream ? `data: ${message}\n\n` : message;
    response.writeHead(200, { "content-type": type, "content-encoding": coding }).end(pack(text));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    [Symbol.dispose]() {
      server.close();
      server.closeAllConnections();
    },
  };
}

for (const [coding, pack] of [
  ["gzip", gzipSync],
  ["deflate", deflateSync],
  ["br", brotliCompressSync],
] as const) {
  for (const asStream of [false, true]) {
    test(`an answer in ${coding} ${asStream ? "as a stream " : ""}is read, and a bomb is refused by name`, async () => {
      let text = "hello";
      using server = await packed(coding, pack, asStream, () => ({
        content: [{ type: "text", text }],
      }));
      await using plane = await planeOf({
        packed: { url: server.url, maxMessageBytes: 1_000_000 },
      });
      const read = await plane.call("packed.t", {});
      assert.deepEqual(read.result?.content, [{ type: "text", text: "hello" }]);
      text = "0".repeat(isWholeTier ? 50_000_000 : 5_000_000);
      const bomb = await plane.call("packed.t", {});
      assert.match(bomb.error?.message ?? "", /maxMessageBytes/);
      assert.equal(
        (await plane.deadLetters.page()).total,
        0,
        "it ran: there is nothing to run again",
      );
    });
  }
}
