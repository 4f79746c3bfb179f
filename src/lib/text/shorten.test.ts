import assert from "node:assert/strict";
import { test } from "node:test";
import { shorten } from "./cut-text.ts";

test("a long text is repeated in short, and no character is cut in two", () => {
  assert.equal(shorten("read a file"), "read a file");
  assert.equal(shorten("x".repeat(10_000)), `${"x".repeat(60)}…`);
  assert.equal(shorten("ab😀", 3), "ab…");
});
