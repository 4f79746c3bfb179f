import assert from "node:assert/strict";
import { test } from "node:test";
import { same, where } from "./query.ts";

test("conditions without a value are not asked for, and the others count their places", () => {
  assert.deepEqual(where(["tool = ?", undefined]), { sql: "", values: [] });
  const { sql, values } = where(["tool = ?", "a"], ["status = ?", undefined], ["at >= ?", "b"]);
  assert.deepEqual([sql, values], ["WHERE tool = $1 AND at >= $2", ["a", "b"]]);
});

test("what is the same or nobody's is asked for in words that an index is used for", () => {
  const asked = (user: string | null) => where(["tool = ?", "a"], [`(x OR ${same("user_name")})`, user]);
  assert.deepEqual(asked("ann"), { sql: "WHERE tool = $1 AND (x OR user_name = $2)", values: ["a", "ann"] });
  assert.deepEqual(asked(null), { sql: "WHERE tool = $1 AND (x OR user_name IS NULL)", values: ["a"] });
});

test("null is nobody's own where sameness is not asked for", () => {
  assert.deepEqual(where(["user_name = ?", null]), { sql: "WHERE user_name = $1", values: [null] });
});
