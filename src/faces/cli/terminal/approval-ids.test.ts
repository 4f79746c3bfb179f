import assert from "node:assert/strict";
import { test } from "node:test";
import { findByPrefix, shortenIds } from "./ids.ts";

const things = { what: "approval", where: "toolplane approvals list" };
const ids = ["abcdefgh-1", "abcdefgh-2", "ffff0000-1"];

test("the first characters of an id will do, at least four", () => {
  assert.equal(findByPrefix("FFFF", ids, things), "ffff0000-1");
  assert.equal(findByPrefix("abcdefgh-2", ids, things), "abcdefgh-2");
  assert.throws(() => findByPrefix("fff", ids, things), {
    code: "USAGE",
    message: /first 4 characters/,
  });
});

test("what begins several ids, or none, is said to", () => {
  assert.throws(() => findByPrefix("abcd", ids, things), {
    code: "USAGE",
    message: /2 of them.*abcdefgh-2/,
  });
  assert.throws(() => findByPrefix("0000", ids, things), {
    code: "NOT_FOUND",
    message: /No approval '0000'.*approvals list/,
  });
});

test("ids are shown as short as they can be distinguished", () => {
  assert.deepEqual(ids.map(shortenIds(ids)), ["abcdefgh-1", "abcdefgh-2", "ffff0000-1"]);
  assert.deepEqual(["abcdefgh-1", "ffff0000-1"].map(shortenIds(["abcdefgh-1", "ffff0000-1"])), [
    "abcdefgh",
    "ffff0000",
  ]);
});
