import assert from "node:assert/strict";
import { test } from "node:test";
import type { ToolResult } from "../../model/calls/result.ts";
import { condense } from "./condense.ts";

const options = { limit: 8_000, keepsStructured: false };
const text = (length: number) => ({ type: "text", text: "x".repeat(length) });
const typesOf = (result: ToolResult, more = {}) =>
  condense(result, { ...options, ...more })?.blocks.map((block) => block?.type ?? "digest");

test("a result that is small in every part is left as it is", () => {
  const image = { type: "image", mimeType: "image/png", data: "A".repeat(900_000) };
  const small = {
    content: [text(8_000), image],
    structuredContent: "y".repeat(3_997),
    _meta: { a: 1 },
  };
  assert.equal(condense(small, options), null);
});

test("text is counted over all its blocks", () => {
  assert.deepEqual(typesOf({ content: [text(5_000), text(5_000)] }), ["digest"]);
});

test("structured content and metadata of half the limit are too large", () => {
  for (const field of ["structuredContent", "_meta"]) {
    const result = { content: [text(3)], [field]: { a: "y".repeat(4_000) } };
    const found = condense(result, options);
    assert.ok(found && !(field in found.fields));
    assert.deepEqual(
      found.blocks.map((block) => block?.type ?? "digest"),
      ["text", "digest"],
    );
  }
});

test("structured content that a tool has promised stays", () => {
  const result = { content: [text(9_000)], structuredContent: { a: "y".repeat(9_000) } };
  const found = condense(result, { ...options, keepsStructured: true });
  assert.deepEqual(found?.fields.structuredContent, result.structuredContent);
  assert.equal(
    condense({ ...result, content: [text(9)] }, { ...options, keepsStructured: true }),
    null,
  );
});

test("large resources of text are named with the path to them; pictures and files stay, however large", () => {
  const image = { type: "image", mimeType: "image/png", data: "A".repeat(2_000_000) };
  const resource = { type: "resource", resource: { uri: "fx://a", text: "t".repeat(9_000) } };
  const link = { type: "resource_link", uri: "fx://b", name: "b" };
  const found = condense({ content: [image, link, resource] }, options);
  assert.deepEqual(
    found?.parts.map(({ path, type, mimeType }) => [path, type, mimeType]),
    [["$result.content.2.resource.text", "resource", null]],
  );
  assert.deepEqual(
    found?.blocks.map((block) => block?.type ?? "digest"),
    ["digest", "image", "resource_link"],
  );
});

test("everything else of the result travels on", () => {
  const found = condense(
    { content: [text(9_000)], isError: true, extra: 1, _meta: { a: 1 } },
    options,
  );
  assert.deepEqual(found?.fields, { isError: true, extra: 1, _meta: { a: 1 } });
});
