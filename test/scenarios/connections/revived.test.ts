import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { test } from "node:test";
import { createPlane } from "../../../src/index.ts";
import { temporaryDirectory } from "../../fixtures/start-server.ts";

/** It reads its tools when it starts, and ends when its tool `end` is called. */
const program = `
const { readFileSync } = require("node:fs");
const names = readFileSync(process.argv[1], "utf8").trim().split(" ");
require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  if (params?.name === "end") process.exit(1);
  const results = {
    initialize: { protocolVersion: "2025-06-18", serverInfo: { name: "changing", version: "1" }, capabilities: { tools: {} } },
    "tools/list": { tools: names.map((name) => ({ name, description: name, inputSchema: { type: "object" } })) },
    "tools/call": { content: [{ type: "text", text: "done" }] },
  };
  const result = results[method];
  const said = result ? { result } : { error: { code: -32601, message: "Method not found" } };
  console.log(JSON.stringify({ jsonrpc: "2.0", id, ...said }));
});`;

test("in a library that was not started, a tool that a server has since its crash is found by its name", async () => {
  await using directory = await temporaryDirectory();
  const list = directory.file("tools");
  await writeFile(list, "old end");
  const args = ["-e", program, list];
  await using plane = await createPlane({
    servers: { changing: { command: process.execPath, args, trusted: true } },
  });
  assert.equal((await plane.call("changing.old", {})).ok, true);
  await writeFile(list, "old end new");
  await plane.call("changing.end", {});
  const { ok, error } = await plane.call("changing.new", {});
  assert.deepEqual([ok, error], [true, undefined]);
  await plane.call("changing.end", {});
  const unknown = await plane.call("changing.none", {});
  assert.equal(unknown.error?.code, "TOOL_NOT_FOUND");
});
