import assert from "node:assert/strict";
import { test } from "node:test";
import { createShortLivedMap } from "./short-lived-map.ts";

test("what was put in is found until it is taken out", () => {
  const map = createShortLivedMap<string>();
  map.set(1, "one");
  map.set("a", "letter");
  assert.deepEqual([map.get(1), map.get("a"), map.size()], ["one", "letter", 2]);
  map.delete(1);
  map.delete(1);
  assert.deepEqual([map.get(1), map.get("a"), map.size()], [undefined, "letter", 1]);
});

test("a number and the text that looks like it are two keys", () => {
  const map = createShortLivedMap<string>();
  map.set(1, "number");
  map.set("1", "text");
  map.set('"1', "quoted");
  map.set(1n, "large");
  assert.deepEqual(
    [map.get(1), map.get("1"), map.get('"1'), map.get(1n)],
    ["number", "text", "quoted", "large"],
  );
});

test("what can be no key finds nothing, whatever it looks like", () => {
  const map = createShortLivedMap<string>();
  map.set("[object Object]", "text");
  for (const key of [{}, { toString: 1 }, [], null, undefined, true])
    assert.equal(map.get(key), undefined);
});

test("a key that is put in again has its new value and counts once", () => {
  const map = createShortLivedMap<string | undefined>();
  map.set(7, undefined);
  map.set(7, "again");
  assert.deepEqual([map.get(7), map.size(), map.values()], ["again", 1, ["again"]]);
});

test("names that every object has are keys like any other", () => {
  const map = createShortLivedMap<string>();
  assert.equal(map.get("constructor"), undefined);
  map.set("__proto__", "mine");
  assert.deepEqual([map.get("__proto__"), map.values()], ["mine", ["mine"]]);
});

test("numbers that count up are given back in the order they were put in", () => {
  const map = createShortLivedMap<number>();
  for (let at = 0; at < 3_000; at++) map.set(at, at);
  for (let at = 0; at < 2_990; at++) map.delete(at);
  map.set(3_000, 3_000);
  assert.deepEqual(
    map.values(),
    [2990, 2991, 2992, 2993, 2994, 2995, 2996, 2997, 2998, 2999, 3000],
  );
});
