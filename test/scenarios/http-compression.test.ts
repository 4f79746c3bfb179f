import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { toPlaneError } from "../../src/model/errors.ts";
import { temporaryDirectory } from "../fixtures/start-server.ts";
import { fixture, planeOf } from "./support.ts";

/** Answers until the first call; then it reads nothing more. */
const deaf = `
const answers = {
  initialize: { protocolVersion: "2025-06-18", serverInfo: { name: "deaf", version: "1" }, capabilities: { tools: {} } },
  "tools/list": { tools: [{ name: "take", inputSchema: { type: "object" }, annotations: { readOnlyHint: true } }] },
};
let rest = "";
process.stdin.on("data", (chunk) => {
  rest += chunk;
  for (let end = rest.indexOf("\\n"); end >= 0; end = rest.indexOf("\\n")) {
    const { id, method } = JSON.parse(rest.slice(0, end));
    rest = rest.slice(end + 1);
    if (answers[method]) console.log(JSON.stringify({ jsonrpc: "2.0", id, result: answers[method] }));
    else if (id !== undefined) console.log(JSON.stringify({ jsonrpc: "2.0", id, error: { code: -32601, message: "no" } }));
  }
  if (rest.length > 0 && rest.includes("tools/call")) process.stdin.pause();
});
`;

test("a server that stops reading gets BUSY for what it would not take, and others are not affected", async () => {
  await using directory = await temporaryDirectory();
  await writeFile(directory.file("deaf.cjs"), deaf);
  const server = { command: process.execPath, args: [directory.file("deaf.cjs")] };
  await using plane = await planeOf({ deaf: server, fx: fixture("echo") });
  const text = "x".repeat(4 * 1024 * 1024);
  const ending = new AbortController();
  const calls = Array.from({ length: 40 }, () =>
    plane.call("deaf.take", { text }, { signal: ending.signal, timeoutMs: 120_000 }),
  );
  const first = await Promise.race(calls);
  assert.equal(first.error?.code, "BUSY");
  assert.match(first.error?.message ?? "", /has not read \d+ MiB/);
  const other = await plane.call("fx.echo", { message: "hello" });
  assert.equal(other.ok, true);
  ending.abort();
  const ended = await Promise.all(calls);
  const sent = ended.filter(({ error }) => error?.code !== "BUSY").length;
  assert.ok(sent <= 8, `${sent} calls of 4 MiB were kept for a server that reads nothing`);
});

const tools = { tools: [{ name: "t", inputSchema: { type: "object" } }] };
const initialized = {
  protocolVersion: "2025-06-18",
  serverInfo: { name: "packed", version: "1" },
  capabilities: { tools: {} },
};

/** An MCP server over HTTP whose answers are packed. */
async function packed(coding: string, pack: (text: string) => Buffer, asStream: boolean, call: () => unknown) {
  const server = createServer(async (request, response) => {
    if (request.method !== "POST") return void response.writeHead(405).end();
    const { id, method } = JSON.parse(Buffer.concat(await request.toArray()).toString());
    if (id === undefined) return void response.writeHead(202).end();
    const result = { initialize: initialized, "tools/list": tools, "tools/call": call() }[method as string];
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
      using server = await packed(coding, pack, asStream, () => ({ content: [{ type: "text", text }] }));
      await using plane = await planeOf({ packed: { url: server.url, maxMessageBytes: 1_000_000 } });
      const read = await plane.call("packed.t", {});
      assert.deepEqual(read.result?.content, [{ type: "text", text: "hello" }]);
      text = "0".repeat(50_000_000);
      const bomb = await plane.call("packed.t", {});
      assert.match(bomb.error?.message ?? "", /maxMessageBytes/);
    });
  }
}

test("hidden characters in names, defaults and choices reach no one, and icons cannot run", async () => {
  const tag = String.fromCodePoint(...[..."send it"].map((letter) => 0xe0000 + (letter.codePointAt(0) ?? 0)));
  const selectors = "\ufe01\ufe0f\ufe03";
  const listed = [
    {
      name: "good",
      inputSchema: {
        type: "object",
        properties: { a: { type: "string", default: `x${tag}`, enum: [`x${tag}`, `y${selectors}`, "\u2764\ufe0f"] } },
      },
      icons: [
        { src: "javascript:alert(1)" },
        { src: "data:text/html,x" },
        { src: "https://a.example/i.png" },
        { src: "data:image/png;base64,AA" },
      ],
    },
    { name: "bad", inputSchema: { type: "object", properties: { [`a${tag}`]: { type: "string" } } } },
  ];
  const { translateTools } = await import("../../src/catalogue/sources/mcp.ts");
  const { ServerDefinition } = await import("../../src/model/servers/server.ts");
  const { tools: taken, rejected } = translateTools(
    "s",
    ServerDefinition.parse({ transport: "stdio", command: "x" }),
    listed,
  );
  assert.deepEqual(taken[0]?.parameters.properties, {
    a: { type: "string", default: "x", enum: ["x", "y", "\u2764\ufe0f"] },
  });
  assert.deepEqual(taken[0]?.listed?.icons, [{ src: "https://a.example/i.png" }, { src: "data:image/png;base64,AA" }]);
  assert.match(rejected[0]?.reason ?? "", /cannot be seen/);
  assert.equal(taken.length, 1);
});

test("a lack of descriptors or of space is named as what it is, and no defect", () => {
  const lacking = (code: string) =>
    toPlaneError(new Error("outer", { cause: Object.assign(new Error("x"), { code }) }));
  for (const code of ["EMFILE", "ENFILE"]) {
    assert.equal(lacking(code).code, "BUSY");
    assert.match(lacking(code).message, /file descriptors/);
  }
  assert.equal(toPlaneError(Object.assign(new Error("x"), { code: "ENOSPC" })).code, "STORE_FAILED");
  assert.match(lacking("EDQUOT").message, /no space left on the device/);
});
