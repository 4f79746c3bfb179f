import assert from "node:assert/strict";
import { test } from "node:test";
import { beginsWith, equalOrNull, where } from "./database.ts";

test("conditions without a value are not asked for, and the others keep their order", () => {
  assert.deepEqual(where(["tool = ?", undefined]), { sql: "", values: [] });
  const { sql, values } = where(["tool = ?", "a"], ["status = ?", undefined], ["at >= ?", "b"]);
  assert.deepEqual([sql, values], ["WHERE tool = ? AND at >= ?", ["a", "b"]]);
});

test("a value or NULL is compared in a way that an index is used for", () => {
  const asked = (user: string | null) =>
    where(["tool = ?", "a"], [`(x OR ${equalOrNull("user_name")})`, user]);
  assert.deepEqual(asked("ann"), {
    sql: "WHERE tool = ? AND (x OR user_name = ?)",
    values: ["a", "ann"],
  });
  assert.deepEqual(asked(null), {
    sql: "WHERE tool = ? AND (x OR user_name IS NULL)",
    values: ["a"],
  });
});

test("null stays a value where sameness is not asked for", () => {
  assert.deepEqual(where(["user_name = ?", null]), { sql: "WHERE user_name = ?", values: [null] });
});

test("a value stands at each of its places", () => {
  const { sql, values } = where([beginsWith("id"), "x"], ["tool = ?", "a"]);
  assert.deepEqual(
    [sql, values],
    ["WHERE substr(id, 1, length(?)) = ? AND tool = ?", ["x", "x", "a"]],
  );
});
