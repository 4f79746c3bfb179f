import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { temporaryDirectory } from "../fixtures/start-server.ts";
import { fixture, planeOf } from "../scenarios/support.ts";

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

test("3: a server that stops reading gets BUSY for what it would not take, and others are not affected", async () => {
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
