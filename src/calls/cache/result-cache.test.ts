import assert from "node:assert/strict";
import { test } from "node:test";
import { createResultCache } from "./result-cache.ts";

const place = { ttlMs: 100, maxEntries: 100, scope: "s", servers: ["s"] };
const kept = (text: string) => ({
  result: { content: [{ type: "text", text }] },
  provider: "mcp",
  warnings: [],
});

test("the bytes of all results are bounded, and the least recently used go first", () => {
  const cache = createResultCache({ limitBytes: 2_000 });
  for (let at = 0; at < 50; at++) {
    cache.put(`key ${at}`, kept("x".repeat(150)), place);
    cache.get("key 0");
    assert.ok(cache.size().bytes <= 2_000, `${cache.size().bytes} bytes`);
  }
  assert.ok(cache.get("key 0"), "it was used all the time");
  assert.equal(cache.get("key 1"), undefined);
});

test("a result that would displace most others is not kept", () => {
  const cache = createResultCache({ limitBytes: 2_000 });
  cache.put("small", kept("x"), place);
  cache.put("large", kept("x".repeat(1_000)), place);
  assert.deepEqual([cache.get("large"), cache.size().entries], [undefined, 1]);
});

test("a result is gone after its time, and with its server", () => {
  let now = 0;
  const cache = createResultCache({ now: () => now });
  cache.put("a", kept("a"), place);
  now = 99;
  assert.ok(cache.get("a"));
  now = 100;
  assert.equal(cache.get("a"), undefined);
  assert.deepEqual(cache.size(), { entries: 0, bytes: 0 });
  cache.put("b", kept("b"), place);
  cache.put("c", kept("c"), { ...place, servers: ["other"] });
  cache.forget("s");
  assert.deepEqual([cache.get("b"), cache.get("c") !== undefined], [undefined, true]);
});
