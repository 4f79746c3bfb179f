import assert from "node:assert/strict";
import { test } from "node:test";
import { parsePastedServers } from "./pasted-servers.ts";

const files = { command: "npx", args: ["-y", "server-files"] };
const entry = JSON.stringify(files);
const found = [{ name: "files", definition: files }];

test("servers are found in what each client keeps", () => {
  assert.deepEqual(parsePastedServers(`{"mcpServers": {"files": ${entry}}}`), found);
  assert.deepEqual(parsePastedServers(`{"servers": {"files": ${entry}}, "inputs": []}`), found);
  assert.deepEqual(parsePastedServers(`{"mcp": {"servers": {"files": ${entry}}}}`), found);
  assert.deepEqual(parsePastedServers(`{"files": ${entry}}`), found);
  assert.deepEqual(parsePastedServers(`"files": ${entry},`), found);
  assert.deepEqual(
    parsePastedServers(`{"servers": [{"name": "files", "command": "npx", "args": ["-y", "server-files"]}]}`),
    found,
  );
});

test("other clients' words for an address and a nested command are ours afterwards", () => {
  const text = `{"context_servers": {"a": {"command": {"path": "run", "args": ["x"]}}, "b": {"serverUrl": "https://b.example/mcp"},
    "c": {"type": "sse", "url": "https://c.example/sse", "disabled": true}}}`;
  assert.deepEqual(parsePastedServers(text), [
    { name: "a", definition: { command: "run", args: ["x"] } },
    { name: "b", definition: { url: "https://b.example/mcp" } },
    { name: "c", definition: { url: "https://c.example/sse", transport: "sse", enabled: false } },
  ]);
});

test("comments and commas at the end do no harm, and texts that look like them are kept", () => {
  const text = `{ // mine
    "mcpServers": { "web": { "url": "https://example.org//mcp", /* why */ "headers": {"X": "a,]"}, }, },
  }`;
  assert.deepEqual(parsePastedServers(text), [
    { name: "web", definition: { url: "https://example.org//mcp", headers: { X: "a,]" } } },
  ]);
});

test("what holds no server is told", () => {
  assert.throws(() => parsePastedServers("{}"), /no server in it/);
  assert.throws(() => parsePastedServers("npx -y files"), /not JSON/);
});
