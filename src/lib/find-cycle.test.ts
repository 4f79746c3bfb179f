import assert from "node:assert/strict";
import { test } from "node:test";
import { findCycle } from "./find-cycle.ts";

const graph = (edges: Record<string, string[]>) =>
  Object.entries(edges).map(([id, dependsOn]) => ({ id, dependsOn }));

test("a circle is reported from where it begins to where it closes", () => {
  assert.deepEqual(findCycle(graph({ a: ["b"], b: ["c"], c: ["b"] })), ["b", "c", "b"]);
  assert.deepEqual(findCycle(graph({ a: ["a"] })), ["a", "a"]);
});

test("what only meets again is no circle, and neither is a long chain or a name that is not there", () => {
  assert.equal(findCycle(graph({ a: ["b", "c"], b: ["d"], c: ["d"], d: [] })), null);
  assert.equal(findCycle(graph({ a: ["gone"] })), null);
  const chain = Array.from({ length: 20_000 }, (_, at) => ({
    id: `${at}`,
    dependsOn: [`${at + 1}`],
  }));
  assert.equal(findCycle(chain), null);
});
