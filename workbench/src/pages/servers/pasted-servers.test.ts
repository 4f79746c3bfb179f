import assert from "node:assert/strict";
import { test } from "node:test";
import { parsePastedServers } from "./pasted-servers.ts";

const files = { command: "npx", args: ["-y", "server-files"] };
const entry = JSON.stringify(files);
const found = { servers: [{ name: "files", definition: files }], leftOut: [] };

test("servers are found in what each client keeps", () => {
  assert.deepEqual(parsePastedServers(`{"mcpServers": {"files": ${entry}}}`), found);
  assert.deepEqual(parsePastedServers(`{"servers": {"files": ${entry}}, "inputs": []}`), found);
  assert.deepEqual(parsePastedServers(`{"mcp": {"servers": {"files": ${entry}}}}`), found);
  assert.deepEqual(parsePastedServers(`{"files": ${entry}}`), found);
  assert.deepEqual(parsePastedServers(`"files": ${entry},`), found);
  assert.deepEqual(
    parsePastedServers(
      `{"servers": [{"name": "files", "command": "npx", "args": ["-y", "server-files"]}]}`,
    ),
    found,
  );
});

test("other clients' words for an address and a nested command are ours afterwards", () => {
  const text = `{"context_servers": {"a": {"command": {"path": "run", "args": ["x"]}}, "b": {"serverUrl": "https://b.example/mcp"},
    "c": {"type": "sse", "url": "https://c.example/sse", "disabled": true}}}`;
  assert.deepEqual(parsePastedServers(text).servers, [
    { name: "a", definition: { command: "run", args: ["x"] } },
    { name: "b", definition: { url: "https://b.example/mcp" } },
    { name: "c", definition: { url: "https://c.example/sse", transport: "sse", enabled: false } },
  ]);
});

test("comments and commas at the end do no harm, and texts that look like them are kept", () => {
  const text = `{ // mine
    "mcpServers": { "web": { "url": "https://example.org//mcp", /* why */ "headers": {"X": "a,]"}, }, },
  }`;
  assert.deepEqual(parsePastedServers(text).servers, [
    { name: "web", definition: { url: "https://example.org//mcp", headers: { X: "a,]" } } },
  ]);
});

test("a command may be a list, and variables are spelled as here", () => {
  const text = `{"mcp": {"a": {"type": "local", "command": ["npx", "-y", "x"], "environment": {"T": "\${env:TOKEN}"}}}}`;
  assert.deepEqual(parsePastedServers(text).servers, [
    { name: "a", definition: { command: "npx", args: ["-y", "x"], env: { T: "${TOKEN}" } } },
  ]);
});

test("what cannot be taken over is named beside what can", () => {
  const text = `{"servers": {"files": ${entry}, "odd": {"command": 5}, "asks": {"url": "https://a.example", "headers": {"K": "\${input:key}"}}}}`;
  const { servers, leftOut: left } = parsePastedServers(text);
  assert.deepEqual(servers, found.servers);
  assert.deepEqual(
    left.map(({ name, reason }) => `${name}: ${reason}`),
    [
      "odd: it has neither a command nor a url",
      "asks: its client prompts for ${input:key}; write ${NAME} and set that variable",
    ],
  );
});

test("what holds no server is reported", () => {
  assert.throws(() => parsePastedServers("{}"), /No server found/);
  assert.throws(() => parsePastedServers("npx -y files"), /not JSON/);
});
