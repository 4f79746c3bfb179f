import assert from "node:assert/strict";
import { test } from "node:test";
import { splitPair } from "./typed-text.ts";

test("text and JSON are distinguished, and only the first sign counts", () => {
  assert.deepEqual(splitPair("a=b=c"), { key: "a", value: "b=c", isJson: false });
  assert.deepEqual(splitPair("a:=[1]"), { key: "a", value: "[1]", isJson: true });
  assert.deepEqual(splitPair("a=:=x\ny"), { key: "a", value: ":=x\ny", isJson: false });
  assert.deepEqual(splitPair("a="), { key: "a", value: "", isJson: false });
  assert.deepEqual(["a", "=b", ":=1", ""].map(splitPair), [null, null, null, null]);
});
