import assert from "node:assert/strict";
import { test } from "node:test";
import { followPath, growMerkleTree, leafHash, merklePath, merkleRoot } from "./merkle-tree.ts";

const leavesOf = (count: number) =>
  Array.from({ length: count }, (_, at) => leafHash(`leaf ${at}`));

test("each leaf of a tree of any size has a path to its root, and no other leaf has that path", () => {
  for (let count = 1; count <= 33; count += 1) {
    const leaves = leavesOf(count);
    const root = merkleRoot(leaves);
    for (const [place, leaf] of leaves.entries()) {
      const path = merklePath(leaves, place);
      assert.equal(followPath(leaf, path), root, `${place} of ${count}`);
      if (path.length > 0) assert.notEqual(followPath(leafHash("another"), path), root);
    }
  }
});

test("a tree that grows leaf by leaf has the same root at any size", () => {
  const tree = growMerkleTree();
  assert.equal(tree.root(), merkleRoot([]));
  for (let count = 1; count <= 70; count += 1) {
    tree.add(leafHash(`leaf ${count - 1}`));
    assert.equal(tree.root(), merkleRoot(leavesOf(count)), `${count} leaves`);
  }
});

test("a tree differs when a leaf is changed, moved, added or taken away", () => {
  const leaves = leavesOf(7);
  const changed = leaves.with(3, leafHash("x"));
  const moved = leaves.with(2, leaves[3] as string).with(3, leaves[2] as string);
  const roots = [
    leaves,
    changed,
    moved,
    [...leaves, leafHash("more")],
    leaves.slice(0, -1),
    [],
  ].map(merkleRoot);
  assert.equal(new Set(roots).size, roots.length);
});

test("an inner node cannot be given out as a leaf", () => {
  const [one = "", other = ""] = leavesOf(2);
  assert.notEqual(leafHash(`${one}\n${other}`), merkleRoot([one, other]));
});
