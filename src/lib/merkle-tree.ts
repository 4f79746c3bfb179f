/** A step from a leaf to the root: the hash beside, and on which side it stands. */
export type MerkleStep = { left?: string; right?: string };

/** What a leaf and an inner node hash must differ, or a node could be given out as a leaf. */
const leafMark = "leaf\n";
const nodeMark = "node\n";

/** Of no leaves. */
const nothing = "";

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
  return level[0] ?? nothing;
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
        return right === nothing ? left : nodeHash(left, right);
      }, nothing);
    },
  };
}

/** From the leaf at this place to the root. */
export function merklePath(leaves: readonly string[], place: number): MerkleStep[] {
  const steps: MerkleStep[] = [];
  for (
    let [level, at] = [leaves, place];
    level.length > 1;
    [level, at] = [parentsOf(level), at >> 1]
  ) {
    const beside = level[at ^ 1];
    if (beside !== undefined) steps.push(at % 2 === 0 ? { right: beside } : { left: beside });
  }
  return steps;
}

/** The root that a leaf and its path lead to. */
export function followPath(leaf: string, steps: readonly MerkleStep[]): string {
  return steps.reduce((hash, { left, right }) => {
    return left === undefined ? nodeHash(hash, right ?? nothing) : nodeHash(left, hash);
  }, leaf);
}

function parentsOf(level: readonly string[]): string[] {
  const parents: string[] = [];
  for (let at = 0; at < level.length; at += 2) {
    const [left = nothing, right] = [level[at], level[at + 1]];
    parents.push(right === undefined ? left : nodeHash(left, right));
  }
  return parents;
}

function sha256(text: string): string {
  // Loaded here for the same reason as in lib/json/stable-json.ts.
  return process.getBuiltinModule("node:crypto").hash("sha256", text);
}
