import type { AuditRoot, CallProof } from "../../model/audit-schema.ts";
import { PlaneError } from "../../model/errors.ts";
import type { RootStore } from "../../model/roots.ts";
import { makeRoot, type Sign } from "./make-root.ts";
import { findProofProblem, pathTo } from "./root-hash.ts";

/** As many as a root holds of one chain, and one more. */
const mostRecords = 60_000;

/** Shows that a call is under a root. A root is made where none covers it yet. */
export async function proveCall(
  store: RootStore,
  id: string,
  sign?: Sign | null,
): Promise<CallProof> {
  const call = await store.chainedCall(id);
  if (call === null)
    throw new PlaneError(
      "NOT_FOUND",
      `No call '${id}' is recorded. 'toolplane calls list' shows those that are.`,
    );
  const { chain, sequence, record, previous, hash } = call;
  for (
    let newest = await store.root();
    !covers(newest, chain, sequence);
    newest = await store.root()
  )
    if ((await makeRoot(store, sign)) === null) break;
  const root = await firstThatCovers(store, chain, sequence);
  const before = root === null ? null : await store.root(root.number - 1);
  const after = before?.leaves.find((leaf) => leaf.chain === chain)?.sequence ?? 0;
  const upTo = root?.leaves.find((leaf) => leaf.chain === chain)?.sequence ?? 0;
  const beside = root === null ? [] : await store.chainHashes(chain, after, upTo, mostRecords);
  const place = beside.findIndex((one) => one.sequence === sequence);
  const hashes = beside.map((one) => one.hash);
  const proof = root && { id, chain, record, previous, hash, path: pathTo(hashes, place), root };
  const problem = proof === null || place === -1 ? "no root covers it" : findProofProblem(proof);
  if (proof !== null && problem === null) return proof;
  throw new PlaneError(
    "CONFLICT",
    `Call '${id}' cannot be proved: ${problem}. It is older than the roots, or records beside it were removed or changed. 'toolplane calls verify' tells which.`,
    { data: { reason: problem } },
  );
}

function covers(root: AuditRoot | null, chain: string, sequence: number): boolean {
  return (root?.leaves.find((leaf) => leaf.chain === chain)?.sequence ?? 0) >= sequence;
}

/** Roots are linked, and each covers more than the one before: halving finds it. */
async function firstThatCovers(
  store: RootStore,
  chain: string,
  sequence: number,
): Promise<AuditRoot | null> {
  let low = (await store.roots(0, 1))[0]?.number ?? 1;
  let found = await store.root();
  if (!covers(found, chain, sequence)) return null;
  for (let high = found?.number ?? 0; low < high; ) {
    const middle = Math.floor((low + high) / 2);
    const root = await store.root(middle);
    if (covers(root, chain, sequence)) [found, high] = [root, middle];
    else low = middle + 1;
  }
  return found;
}
