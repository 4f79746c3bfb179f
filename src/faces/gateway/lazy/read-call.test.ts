import assert from "node:assert/strict";
import { test } from "node:test";
import { readMetaCall } from "../answer-call.ts";

test("a call through another tool is the call of the tool that is named", () => {
  assert.deepEqual(readMetaCall("call_tool", { name: "a__b", arguments: { x: 1 } }), {
    name: "a__b",
    arguments: { x: 1 },
    isWrapped: true,
  });
  assert.deepEqual(readMetaCall("call_tool", { name: "a__b" }), {
    name: "a__b",
    arguments: {},
    isWrapped: true,
  });
});

test("those that find tools are our own, also when they are called through another", () => {
  const own = { server: null, tool: "mcp_tool_list" };
  assert.deepEqual(readMetaCall("mcp_tool_list", { server: "a" }), {
    name: "mcp_tool_list",
    arguments: { server: "a" },
    metaTool: own,
    isWrapped: false,
  });
  assert.deepEqual(readMetaCall("call_tool", { name: "mcp_tool_list" }), {
    name: "mcp_tool_list",
    arguments: {},
    metaTool: own,
    isWrapped: true,
  });
});

test("what makes no sense is answered with what to do", () => {
  for (const [args, said] of [
    [
      { name: "mcp_tool_list", arguments: { q: 1 } },
      /'q' is not an argument of mcp_tool_list\. It takes server\./,
    ],
    [undefined, /'name' of call_tool must be the name of a tool/],
    ["text", /'name' of call_tool/],
    [{ name: 5 }, /Find one with mcp_tool_search/],
    [{ name: "call_tool" }, /does not call itself/],
    [
      { name: "a__b", path: "/" },
      /'path' is not an argument of call_tool. Put what 'a__b' takes into 'arguments'/,
    ],
  ] as const) {
    const meant = readMetaCall("call_tool", args);
    assert.match("wrong" in meant ? meant.wrong : "", said);
  }
  const searched = readMetaCall("mcp_tool_search", { query: "x", bogus: 1 });
  assert.deepEqual(searched, {
    wrong: "'bogus' is not an argument of mcp_tool_search. It takes query, regex, limit, server.",
  });
});
