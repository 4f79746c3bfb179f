import assert from "node:assert/strict";
import { test } from "node:test";
import { readBackgroundWords, readCallWords, readMcpWords } from "./quick-words.ts";

test("the usual words of a client are read as the command line reads them", () => {
  const words = ["--config", "a.json", "mcp", "--config=b.json", "--mode", "lazy", "--data-dir", "/d"];
  assert.deepEqual(readMcpWords(words), { config: ["a.json", "b.json"], mode: "lazy", dataDir: "/d" });
  assert.deepEqual(readMcpWords(["mcp"]), {});
});

test("everything else is left to the command line", () => {
  for (const words of [
    ["mcp", "--standalone"],
    ["mcp", "--help"],
    ["mcp", "--mode", "other"],
    ["mcp", "--config"],
    ["mcp", "--toolset", "--server"],
    ["mcp", "mcp"],
    ["mcp", "more"],
    ["help", "mcp"],
    ["call", "mcp"],
    ["mcp", "--env-file", ".env"],
  ])
    assert.equal(readMcpWords(words), null, words.join(" "));
});

test("what a client starts is read back", () => {
  const words = ["serve", "--background", "--idle-exit", "500", "--data-dir", "/d", "--config", "a.json"];
  assert.deepEqual(readBackgroundWords(words), { idleExit: 500, dataDir: "/d", config: ["a.json"] });
  assert.equal(readBackgroundWords(["serve", "--background"]), null);
  assert.equal(readBackgroundWords(["serve", "--port", "1"]), null);
});

test("a call with the usual words is read as the command line reads it", () => {
  const words = ["call", "a.b", "x=1", "y:={}", "--json", "--config", "a.json", "--yes", "--config=b.json"];
  const options = { config: ["a.json", "b.json"], json: true, yes: true };
  assert.deepEqual(readCallWords(words), { tool: "a.b", values: ["x=1", "y:={}"], options });
  assert.deepEqual(readCallWords(["call", "a"]), { tool: "a", values: [], options: {} });
});

test("a call with other words is left to the command line", () => {
  for (const words of [
    ["call"],
    ["call", "--json", "a.b"],
    ["call", "--help"],
    ["call", "a.b", "--help"],
    ["call", "a.b", "plain"],
    ["call", "a.b", "--args", "-"],
    ["call", "a.b", "--args", "--json", "{}"],
    ["call", "a.b", "--config", "--json"],
    ["call", "a.b", "--json", "x=1"],
    ["call", "a.b", "--timeout", "5"],
    ["call", "a.b", "--json=1"],
    ["call", "a.b", "--", "x=1"],
    ["call", "a.b", "--env-file", ".env"],
    ["--json", "call", "a.b"],
  ])
    assert.equal(readCallWords(words), null, words.join(" "));
});
