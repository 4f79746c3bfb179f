/** A step from a leaf to the root: the hash beside, and on which side it stands. */
export type MerkleStep = { left?: string; right?: string };

/** What a leaf and an inner node hash must differ, or a node could be given out as a leaf. */
const leafMark = "leaf\n";
const nodeMark = "node\n";

/** Of no leaves. */
const emptyRoot = "";

export function leafHash(text: string): string {
  return sha256(leafMark + text);
}

function nodeHash(left: string, right: string): string {
  return sha256(`${nodeMark}${left}\n${right}`);
}

/** Of hashes of leaves, in their order. The last one of an odd level goes up as it is. */
export function merkleRoot(leaves: readonly string[]): string {
  let level = leaves;
  while (level.length > 1) level = parentsOf(level);
  return level[0] ?? emptyRoot;
}

/** The same root leaf by leaf: only the roots of the full trees so far are kept. */
export function growMerkleTree() {
  /** By height, where there is one. */
  const full: (string | undefined)[] = [];
  return {
    add(leaf: string): void {
      let hash = leaf;
      let height = 0;
      for (let left = full[height]; left !== undefined; left = full[height]) {
        hash = nodeHash(left, hash);
        full[height] = undefined;
        height += 1;
      }
      full[height] = hash;
    },
    root(): string {
      return full.reduce<string>((right, left) => {
        if (left === undefined) return right;
        if (right === emptyRoot) return left;
        return nodeHash(left, right);
      }, emptyRoot);
    },
  };
}

/** From the leaf at this place to the root. */
export function merklePath(leaves: readonly string[], leafIndex: number): MerkleStep[] {
  const steps: MerkleStep[] = [];
  let level = leaves;
  let index = leafIndex;
  while (level.length > 1) {
    const sibling = level[index ^ 1];
    if (sibling !== undefined) steps.push(index % 2 === 0 ? { right: sibling } : { left: sibling });
    level = parentsOf(level);
    index >>= 1;
  }
  return steps;
}

/** The root that a leaf and its path lead to. */
export function followPath(leaf: string, steps: readonly MerkleStep[]): string {
  return steps.reduce((hash, { left, right }) => {
    if (left === undefined) return nodeHash(hash, right ?? emptyRoot);
    return nodeHash(left, hash);
  }, leaf);
}

function parentsOf(level: readonly string[]): string[] {
  const parents: string[] = [];
  for (let index = 0; index < level.length; index += 2) {
    const [left = emptyRoot, right] = [level[index], level[index + 1]];
    parents.push(right === undefined ? left : nodeHash(left, right));
  }
  return parents;
}

function sha256(text: string): string {
  // Loaded here for the same reason as in lib/json/stable-json.ts.
  return process.getBuiltinModule("node:crypto").hash("sha256", text);
}
