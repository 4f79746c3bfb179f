import assert from "node:assert/strict";
import { test } from "node:test";
import { problemsIn } from "./problems-in.ts";
import { setAt } from "./set-at.ts";
import { toErrorSchema } from "./validator.ts";
import { withZone } from "./widgets/with-zone.ts";

test("what the plane found wrong has its place", () => {
  const problems = [
    { path: "/places/0", message: "is missing 'city'", missing: "city" },
    { path: "/a~1b/c~0d", message: "must be number" },
    "/age must be integer",
    "something else",
    { odd: true },
  ];
  assert.deepEqual(problemsIn({ code: "INVALID_ARGUMENTS", data: { problems } }), [
    { path: ["places", "0", "city"], message: "is required" },
    { path: ["a/b", "c~d"], message: "must be number" },
    { path: ["age"], message: "must be integer" },
    { path: [], message: "something else" },
  ]);
  for (const other of [
    null,
    undefined,
    { code: "TIMEOUT", data: { problems } },
    { code: "INVALID_ARGUMENTS" },
  ])
    assert.deepEqual(problemsIn(other), []);
});

test("errors of fields that are called like what every object has change no object", () => {
  const wrong = ["constructor", "toString", "__proto__"].map((name) => ({
    path: [name, "x"],
    message: "is required",
  }));
  const errors = toErrorSchema(wrong) as object;
  assert.deepEqual(Object.keys(errors), ["constructor", "toString"]);
  assert.deepEqual((errors as Record<string, unknown>).constructor, {
    x: { __errors: ["is required"] },
  });
  assert.equal("x" in {}, false);
  assert.equal("x" in Object, false);
});

test("a picked time has the zone that the reader's clock had then", () => {
  const text = withZone("2026-07-01T10:20");
  assert.match(text, /^2026-07-01T10:20:00(Z|[+-]\d\d:\d\d)$/);
  assert.equal(new Date(text).getTime(), new Date(2026, 6, 1, 10, 20).getTime());
});

test("a value is set at its place, and taken out without a trace", () => {
  assert.deepEqual(setAt({}, ["a", "b"], 1), { a: { b: 1 } });
  assert.deepEqual(setAt({ l: ["x"] }, ["l", 2], "z"), { l: ["x", null, "z"] });
  assert.deepEqual(setAt({ l: ["x", "y"] }, ["l", 0], undefined), { l: [null, "y"] });
  assert.equal(JSON.stringify(setAt({ a: 1, b: 2 }, ["a"], 3)), '{"a":3,"b":2}');
  assert.deepEqual(setAt({ a: 1, b: 2 }, ["a"], undefined), { b: 2 });
  assert.deepEqual(setAt({ a: 1, b: 2 }, ["a"], Symbol("remove")), { b: 2 });
  assert.deepEqual(setAt({ a: { b: 1 } }, ["a", "b"], undefined), { a: {} });
  assert.deepEqual(setAt({ a: 1 }, [], { b: 2 }), { b: 2 });
});
