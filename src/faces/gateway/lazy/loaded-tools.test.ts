import assert from "node:assert/strict";
import { test } from "node:test";
import { createLoadedTools } from "./client-tools.ts";

const of = (tokens: number, ...keys: string[]) => keys.map((key) => ({ key, tokens }));

test("what was not used for longest goes when there is too much", () => {
  const loaded = createLoadedTools(() => 100);
  assert.deepEqual(loaded.load(of(30, "a", "b", "c")), { added: ["a", "b", "c"], dropped: [] });
  loaded.touch("c");
  assert.deepEqual(loaded.load(of(30, "d")), { added: ["d"], dropped: ["b"] });
  assert.equal(loaded.tokens(), 90);
});

test("of what a search finds the best stays", () => {
  const loaded = createLoadedTools(() => 100);
  assert.deepEqual(loaded.load(of(60, "best", "second")), { added: ["best"], dropped: [] });
});

test("what is larger than all there is room for is there alone", () => {
  const loaded = createLoadedTools(() => 100);
  loaded.load(of(10, "small"));
  assert.deepEqual(loaded.load(of(500, "large")), { added: ["large"], dropped: ["small"] });
  assert.deepEqual(loaded.keys(), ["large"]);
});

test("using what is there changes neither the list nor its order", () => {
  const loaded = createLoadedTools(() => 100);
  loaded.load(of(10, "a", "b"));
  const before = [loaded.keys(), loaded.revision()];
  loaded.touch("a");
  assert.deepEqual(loaded.load(of(10, "b", "a")), { added: [], dropped: [] });
  assert.deepEqual([loaded.keys(), loaded.revision()], before);
  loaded.clear();
  assert.deepEqual([loaded.keys(), loaded.tokens()], [[], 0]);
});
