import assert from "node:assert/strict";
import { test } from "node:test";
import { createLru } from "./lru.ts";

test("the last so many are remembered, and never more than twice as many", () => {
  const lru = createLru<number | null>(10);
  for (let at = 0; at < 1_000; at += 1) {
    lru.set(`k${at}`, at % 3 === 0 ? null : at);
    for (let back = Math.min(9, at); back >= 0; back -= 1)
      assert.equal(lru.has(`k${at - back}`), true, `${back} back`);
  }
  const known = Array.from({ length: 1_000 }, (_, at) => lru.has(`k${at}`)).filter(Boolean);
  assert.ok(known.length <= 20, String(known.length));
});

test("what is looked at again and again stays, whatever comes beside it", () => {
  const lru = createLru<number>(3);
  lru.set("a", 1);
  for (let at = 0; at < 100; at += 1) {
    lru.set(`k${at}`, at);
    assert.equal(lru.get("a"), 1);
  }
});

test("what is set again is what was set last, and what is deleted is gone", () => {
  const lru = createLru<number>(2);
  lru.set("a", 1);
  lru.set("b", 2);
  lru.set("c", 3);
  lru.set("a", 4);
  assert.equal(lru.get("a"), 4);
  assert.equal(lru.delete("a"), true);
  assert.equal(lru.delete("a"), false);
  assert.equal(lru.get("a"), undefined);
  lru.clear();
  assert.equal(lru.has("c"), false);
});
