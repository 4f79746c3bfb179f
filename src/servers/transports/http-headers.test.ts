import assert from "node:assert/strict";
import { test } from "node:test";
import type { UnknownObject } from "../../model/json.ts";
import { modernHeaders } from "./http.ts";

const _meta = { "io.modelcontextprotocol/protocolVersion": "2026-07-28" };
const request = (method: string, params: UnknownObject) =>
  ({ jsonrpc: "2.0", id: 1, method, params }) as const;

test("a message of the revision without sessions repeats revision, method and name", () => {
  const named: [params: UnknownObject, name: string | undefined][] = [
    [{ name: "echo", uri: "file:///x" }, "echo"],
    [{ uri: "file:///x", taskId: "t" }, "file:///x"],
    [{ taskId: "t" }, "t"],
    [{ name: "größe" }, "=?base64?Z3LDtsOfZQ==?="],
    [{ name: " padded" }, "=?base64?IHBhZGRlZA==?="],
    [{ name: "=?base64?eA==?=" }, "=?base64?PT9iYXNlNjQ/ZUE9PT89?="],
    [{}, undefined],
  ];
  for (const [params, name] of named) {
    const headers = { "mcp-protocol-version": "2026-07-28", "mcp-method": "tools/call" };
    const expected = name === undefined ? headers : { ...headers, "mcp-name": name };
    assert.deepEqual(
      modernHeaders(request("tools/call", { ...params, _meta }), undefined),
      expected,
    );
    assert.deepEqual(modernHeaders(request("tools/call", params), "2026-07-28"), expected);
  }
});

test("the revision a message names counts, and messages of older revisions repeat nothing", () => {
  const other = { "io.modelcontextprotocol/protocolVersion": "2027-01-01" };
  assert.equal(
    modernHeaders(request("server/discover", { _meta: other }), "2026-07-28")?.[
      "mcp-protocol-version"
    ],
    "2027-01-01",
  );
  for (const settled of [undefined, "2025-11-25"]) {
    assert.equal(modernHeaders(request("tools/call", { name: "echo" }), settled), undefined);
    assert.equal(modernHeaders({ jsonrpc: "2.0", id: 1, result: {} }, settled), undefined);
  }
  assert.deepEqual(modernHeaders({ jsonrpc: "2.0", id: 1, result: {} }, "2026-07-28"), {
    "mcp-protocol-version": "2026-07-28",
  });
});
