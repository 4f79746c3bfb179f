import assert from "node:assert/strict";
import { Readable, Writable } from "node:stream";
import { suite, test } from "node:test";
import { serveStdio } from "../../src/faces/gateway/serve-stdio.ts";
import { createPlane } from "../../src/index.ts";
import { startGateway } from "../fixtures/conformance/start-gateway.ts";
import { type Era, EraClient } from "../fixtures/era-client.ts";
import type { JsonObject } from "../fixtures/servers/support/messages.ts";
import { until } from "../fixtures/until.ts";
import { fixture } from "./support.ts";

const name = "toolplane/conversation";
const servers = { echo: fixture("echo") };
/** Counts in the values of its conversation. */
const counting =
  "store.set('count', (store.get('count') ?? 0) + 1); return { count: store.get('count') }";

async function count(client: EraClient, conversation?: unknown): Promise<number> {
  const params = {
    name: "run_code",
    arguments: { code: counting },
    ...(conversation !== undefined && { _meta: { [name]: conversation } }),
  } as JsonObject;
  const { content } = (await client.request("tools/call", params)) as {
    content: [{ text: string }];
  };
  return Number(/"count":\s*(\d+)/.exec(content[0].text)?.[1]);
}

suite("which conversation a call belongs to", { concurrency: 3 }, () => {
  for (const era of ["legacy", "modern"] as const)
    test(`a ${era} client names it; the name is the same on every connection`, async () => {
      await using gateway = await startGateway(servers);
      const open = () => EraClient.open(`${gateway.url}?mode=code`, era);
      const [first, second] = [await open(), await open()];
      assert.equal(await count(first, "a"), 1);
      assert.equal(await count(second, "a"), 2);
      assert.equal(await count(second, "b"), 1);
      assert.equal(await count(first, "a"), 3);
    });

  test("without a name, a session is one; a client without a session has none over HTTP", async () => {
    await using gateway = await startGateway(servers);
    const open = (era: Era) => EraClient.open(`${gateway.url}?mode=code`, era);
    const legacy = await open("legacy");
    assert.deepEqual([await count(legacy), await count(legacy)], [1, 2]);
    assert.equal(await count(await open("legacy")), 1);
    const modern = await open("modern");
    assert.deepEqual([await count(modern), await count(modern)], [1, 1]);
  });

  test("what is no name is refused in words", async () => {
    await using gateway = await startGateway(servers);
    const client = await EraClient.open(gateway.url, "modern");
    for (const wrong of ["", 7, null, "x".repeat(201), { id: "a" }]) {
      const { reply } = await client.exchange("tools/call", {
        name: "echo__echo",
        arguments: { message: "hi" },
        _meta: { [name]: wrong as never },
      });
      assert.equal(reply.error?.code, -32602);
      assert.match(reply.error?.message ?? "", /'toolplane\/conversation'.* 1 to 200 characters/);
    }
  });

  test("without a session, a connection that belongs to one client is one, and ends with it", async () => {
    await using plane = await createPlane({ servers });
    async function countTwice(): Promise<number[]> {
      const lines: string[] = [];
      const input = new Readable({ read: () => undefined });
      const output = new Writable({
        write(chunk, _, done) {
          lines.push(...String(chunk).split("\n").filter(Boolean));
          done();
        },
      });
      const { signal } = new AbortController();
      const served = serveStdio(plane, { input, output, signal, view: { mode: "code" } });
      const _meta = {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { name: "raw", version: "1" },
        "io.modelcontextprotocol/clientCapabilities": {},
      };
      const params = { name: "run_code", arguments: { code: counting }, _meta };
      for (const id of [1, 2]) {
        input.push(`${JSON.stringify({ jsonrpc: "2.0", id, method: "tools/call", params })}\n`);
        await until(`answer ${id}`, () => lines.length === id);
      }
      input.push(null);
      await served;
      return lines.map((line) => Number(/count\\":\s*(\d+)/.exec(line)?.[1]));
    }
    assert.deepEqual(await countTwice(), [1, 2]);
    assert.deepEqual(await countTwice(), [1, 2]);
  });
});
