import type { AuditRoot, CallProof } from "../../model/audit-schema.ts";
import { PlaneError } from "../../model/errors.ts";
import type { RootStore } from "../../model/roots.ts";
import { makeRoot, type Sign } from "./make-root.ts";
import { findProofProblem, pathTo } from "./root-hash.ts";

/** As many as a root holds of one chain, and one more. */
const maxRecords = 60_000;

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
  const path = root && (await pathUnder(store, root, chain, sequence));
  const proof = root && path && { id, chain, record, previous, hash, path, root };
  const problem = proof ? findProofProblem(proof) : "no root covers it";
  if (proof && problem === null) return proof;
  throw new PlaneError(
    "CONFLICT",
    `Call '${id}' cannot be proved: ${problem}. It is older than the roots, or records beside it were removed or changed. 'toolplane calls verify' tells which.`,
    { data: { reason: problem } },
  );
}

/** From the record to its root; null where the record is not among those that the root covers. */
async function pathUnder(store: RootStore, root: AuditRoot, chain: string, sequence: number) {
  const previousEnd = endOf(await store.root(root.number - 1), chain);
  const records = await store.chainHashes(chain, previousEnd, endOf(root, chain), maxRecords);
  const index = records.findIndex((record) => record.sequence === sequence);
  if (index === -1) return null;
  return pathTo(
    records.map(({ hash }) => hash),
    index,
  );
}

/** Up to which record of a chain a root goes. */
function endOf(root: AuditRoot | null, chain: string): number {
  return root?.leaves.find((leaf) => leaf.chain === chain)?.sequence ?? 0;
}

function covers(root: AuditRoot | null, chain: string, sequence: number): boolean {
  return endOf(root, chain) >= sequence;
}

/** Roots are linked, and each covers more than the one before: halving finds it. */
async function firstThatCovers(
  store: RootStore,
  chain: string,
  sequence: number,
): Promise<AuditRoot | null> {
  let low = (await store.roots(0, 1))[0]?.number ?? 1;
  let covering = await store.root();
  if (!covers(covering, chain, sequence)) return null;
  for (let high = covering?.number ?? 0; low < high; ) {
    const middle = Math.floor((low + high) / 2);
    const root = await store.root(middle);
    if (covers(root, chain, sequence)) [covering, high] = [root, middle];
    else low = middle + 1;
  }
  return covering;
}
