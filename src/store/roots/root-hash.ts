import type { KeyObject } from "node:crypto";
import {
  followPath,
  growMerkleTree,
  leafHash,
  merklePath,
  merkleRoot,
} from "../../lib/merkle-tree.ts";
import type { AuditRoot, CallProof } from "../../model/audit-schema.ts";
import { isObject } from "../../model/json.ts";
import { hashAfter } from "../call-chain.ts";

type RootContent = Pick<AuditRoot, "number" | "at" | "previous" | "leaves">;

export type RootLeaf = AuditRoot["leaves"][number];

/** As a text that is the same wherever it is written. */
function leafText({ chain, sequence, hash, records, tree }: RootLeaf): string {
  return JSON.stringify([chain, sequence, hash, records, tree]);
}

export function hashOfRoot({ number, at, previous, leaves }: RootContent): string {
  const tree = merkleRoot(leaves.map((leaf) => leafHash(leafText(leaf))));
  return leafHash(JSON.stringify([number, at, previous, tree]));
}

/** The tree of a chain's records since the root before. */
export function growTree() {
  const { add, root } = growMerkleTree();
  return { add: (hash: string) => add(leafHash(hash)), root };
}

export function pathTo(hashes: readonly string[], index: number) {
  return merklePath(hashes.map(leafHash), index);
}

/** Why a proof does not hold; null where it does. `trusted`: the hash of a root that was kept elsewhere. */
export function findProofProblem(proof: CallProof, trusted?: string): string | null {
  const { record, previous, hash, chain, path, root } = proof;
  if (hashAfter(previous, record) !== hash) return "the record does not have this hash";
  const leaf = root.leaves.find((candidate) => candidate.chain === chain);
  if (leaf === undefined || followPath(leafHash(hash), path) !== leaf.tree)
    return "the record is not under this root";
  if (hashOfRoot(root) !== root.hash) return "the root does not have this hash";
  if (trusted !== undefined && trusted !== root.hash)
    return "the root is another than the one that was kept";
  return findSignatureProblem(root);
}

/** Ed25519, with the private key of an operator. `key` is PKCS 8 as PEM. */
export function createSigner(
  key: string,
): ((hash: string) => Pick<AuditRoot, "signature" | "key">) | null {
  const { createPrivateKey, createPublicKey, sign } = process.getBuiltinModule("node:crypto");
  let privateKey: KeyObject;
  try {
    privateKey = createPrivateKey(key);
    if (privateKey.asymmetricKeyType !== "ed25519") return null;
  } catch {
    return null;
  }
  const publicKey = createPublicKey(privateKey)
    .export({ type: "spki", format: "der" })
    .toString("base64");
  return (hash) => ({
    signature: sign(null, Buffer.from(hash), privateKey).toString("base64"),
    key: publicKey,
  });
}

/** `trusted`: more than one where the key was changed meanwhile. */
export function findSignatureProblem(
  { hash, signature, key }: AuditRoot,
  trusted?: readonly string[],
): string | null {
  if (signature === undefined) return trusted === undefined ? null : "it is not signed";
  if (trusted !== undefined && !trusted.includes(key ?? "")) return "it is signed with another key";
  const { createPublicKey, verify } = process.getBuiltinModule("node:crypto");
  try {
    const der = Buffer.from(key ?? "", "base64");
    const publicKey = createPublicKey({ key: der, format: "der", type: "spki" });
    if (verify(null, Buffer.from(hash), publicKey, Buffer.from(signature, "base64"))) return null;
  } catch {
    // Said below.
  }
  return "its signature does not fit";
}

const isChain = /^(changes|calls\/\d{1,9})$/;

/** A root as it was exported, or null. */
export function parseRoot(text: string): AuditRoot | null {
  try {
    const parsed: unknown = JSON.parse(text);
    if (!isObject(parsed) || !Array.isArray(parsed.leaves) || typeof parsed.hash !== "string")
      return null;
    const root = parsed as unknown as AuditRoot;
    const isOurs = root.leaves.every(
      ({ chain, sequence }) => isChain.test(chain) && Number.isSafeInteger(sequence),
    );
    return isOurs && Number.isSafeInteger(root.number) && hashOfRoot(root) === root.hash
      ? root
      : null;
  } catch {
    return null;
  }
}
