import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { briefJson } from "./render-json.ts";

test("a small value is its JSON", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const plain = JSON.parse(JSON.stringify(value));
      assert.deepEqual(JSON.parse(briefJson(plain, 1_000_000)), plain);
    }),
  );
});

test("a large value is cut, and the rest of it is not looked at", () => {
  const last = {
    get far(): string {
      throw new Error("looked at");
    },
  };
  const text = briefJson(["a".repeat(100), "b".repeat(100), last], 50);
  assert.ok(text.length < 60 && text.startsWith('["aaa'), text);
});

test("something else stands in the place of what is hidden", () => {
  const hide = (key: string) => (key === "token" ? "hidden" : undefined);
  assert.equal(
    briefJson({ token: { deep: 1 }, list: [{ token: "x" }], n: undefined }, 100, hide),
    '{"token":"hidden","list":[{"token":"hidden"}]}',
  );
});
