import assert from "node:assert/strict";
import { test } from "node:test";
import { ownField } from "./plain-data.ts";

test("what every object inherits is no field", () => {
  const fields: Record<string, number> = { a: 1 };
  assert.equal(ownField(fields, "a"), 1);
  assert.equal(ownField(fields, "constructor"), undefined);
});
