import assert from "node:assert/strict";
import { test } from "node:test";
import { gatewayConfigFiles, isOurselves } from "./own-entry.ts";

test("both spellings of --config name a file of the gateway", () => {
  const args = ["mcp", "--config", "a.json", "--config=b.json"];
  assert.deepEqual(gatewayConfigFiles({ command: "toolplane", args }), ["a.json", "b.json"]);
});

test("under our name any program that is started with mcp is the gateway", () => {
  const entry = { command: "node", args: ["/opt/toolplane/bin.js", "mcp"] };
  assert.deepEqual(gatewayConfigFiles(entry), []);
  assert.equal(isOurselves("toolplane", entry), true);
  assert.equal(isOurselves("github", { command: "npx", args: ["github", "mcp"] }), false);
  assert.equal(isOurselves("tools", { command: "npx", args: ["toolplane@1.2", "mcp"] }), true);
});

test("under our name a program without mcp and the address of another plane are no gateway", () => {
  assert.equal(gatewayConfigFiles({ command: "toolplane", args: ["serve"] }), null);
  assert.equal(gatewayConfigFiles({ url: "http://127.0.0.1:9000/mcp" }), null);
  assert.deepEqual(gatewayConfigFiles({ url: "http://127.0.0.1:7420/mcp" }), []);
});
