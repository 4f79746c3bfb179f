import assert from "node:assert/strict";
import { test } from "node:test";
import { withoutUndefined } from "./plain-data.ts";

test("what is undefined is left out, and nothing else that looks empty", () => {
  const fields = { a: undefined, b: null, c: "", d: 0, e: false, f: [] };
  assert.deepEqual(withoutUndefined(fields), { b: null, c: "", d: 0, e: false, f: [] });
});
