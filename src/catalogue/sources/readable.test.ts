import assert from "node:assert/strict";
import { test } from "node:test";
import { readable } from "./mcp.ts";

test("invisible characters are removed from texts at any depth, and the listed definition stays as it was", () => {
  const hidden = "Adds.\u202e\u{e0041}\u001b[8mMore\u200b";
  const listed = {
    name: "add",
    description: hidden,
    annotations: { title: hidden },
    inputSchema: { properties: { a: { anyOf: [{ type: "number", description: hidden }, true] } } },
  };
  const before = structuredClone(listed);
  assert.deepEqual(readable(listed), {
    name: "add",
    description: "Adds.More",
    annotations: { title: "Adds.More" },
    inputSchema: {
      properties: { a: { anyOf: [{ type: "number", description: "Adds.More" }, true] } },
    },
  });
  assert.deepEqual(listed, before);
});

test("what is compared letter by letter stays, and so does a definition that hides nothing", () => {
  const listed = {
    name: "a\u200b",
    inputSchema: { properties: { a: { enum: ["x"], pattern: "\u200b" } } },
  };
  assert.equal(readable(listed), listed);
});
