import assert from "node:assert/strict";
import { test } from "node:test";
import { createRecentMap } from "./recent-map.ts";

test("the last so many are remembered, and never more than twice as many", () => {
  const recent = createRecentMap<number | null>(10);
  for (let at = 0; at < 1_000; at += 1) {
    recent.set(`k${at}`, at % 3 === 0 ? null : at);
    for (let back = 0; back < Math.min(10, at + 1); back += 1)
      assert.equal(recent.get(`k${at - back}`) ?? null, (at - back) % 3 === 0 ? null : at - back);
  }
  const known = Array.from({ length: 1_000 }, (_, at) => recent.has(`k${at}`)).filter(Boolean);
  assert.ok(known.length <= 20, String(known.length));
});

test("what is set again is what was set last", () => {
  const recent = createRecentMap<number>(2);
  recent.set("a", 1);
  recent.set("b", 2);
  recent.set("a", 3);
  assert.equal(recent.get("a"), 3);
});
