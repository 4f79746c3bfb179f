import assert from "node:assert/strict";
import { test } from "node:test";
import { createHider } from "./redact.ts";

test("known values are hidden wherever they stand, the longest first", () => {
  const hide = createHider(["secret-1", "secret-1-and-more", undefined]);
  assert.equal(hide("a secret-1-and-more b secret-1"), "a [redacted] b [redacted]");
});

test("short values are left alone", () =>
  assert.equal(createHider(["on"])("switched on"), "switched on"));
