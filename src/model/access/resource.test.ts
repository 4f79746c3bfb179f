import assert from "node:assert/strict";
import { test } from "node:test";
import { covers, limitsIn, scopesWith } from "./resource.ts";

const at = "https://tools.example.org/mcp";

for (const [audience, asked, isFor] of [
  [at, at, true],
  ["https://tools.example.org", at, true],
  ["https://tools.example.org/", at, true],
  ["https://TOOLS.example.org:443/mcp", at, true],
  [`${at}/`, at, true],
  [at, `${at}?server=files`, true],
  [`${at}?server=files`, `${at}?server=files`, true],
  [`${at}?server=files`, `${at}?server=mail`, false],
  [`${at}?server=files`, at, false],
  [at, "https://tools.example.org/mcp2", false],
  [at, "https://tools.example.org/tools", false],
  ["https://tools.example.org/tools", "https://tools.example.org/tools/a.b/call", true],
  ["http://tools.example.org/mcp", at, false],
  ["https://tools.example.org:8443/mcp", at, false],
  ["https://tools.example.org.evil.example/mcp", at, false],
  ["https://tools.example.org@evil.example/mcp", at, false],
  ["https://ann@tools.example.org/mcp", at, false],
  [`${at}#a`, at, false],
  ["toolplane", at, false],
  ["", at, false],
] as const)
  test(`a token for '${audience}' is ${isFor ? "" : "not "}for ${asked}`, () =>
    assert.equal(covers(audience, asked), isFor));

test("scopes limit to servers and toolsets where they name one", () => {
  assert.equal(limitsIn(["call", "server:", "servers:a"]), null);
  const within = limitsIn(["call", "server:a", "toolset:small", "server:b:c"]);
  assert.deepEqual(within, { servers: ["a", "b:c"], toolsets: ["small"] });
  assert.deepEqual(
    scopesWith({ scopes: ["read"], within: within ?? { servers: [], toolsets: [] } }, "call"),
    ["read", "server:a", "server:b:c", "toolset:small", "call"],
  );
});
