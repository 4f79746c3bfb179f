import { setImmediate as nextTurn } from "node:timers/promises";
import { nowText } from "../../lib/ids-and-time.ts";
import type { AuditRoot } from "../../model/audit-schema.ts";
import type { ChainEnd, RootStore } from "../../model/roots.ts";
import { growTree, hashOfRoot, type RootLeaf } from "./root-hash.ts";

/** Records of one chain under one root. What is more waits for the next root, which is made at once. */
const maxRecords = 50_000;
/** Rows of one turn: other work waits until they are read and hashed, some milliseconds. */
const readAtOnce = 1_000;
/** Another plane that makes roots at the same moment is quicker now and then. */
const maxTries = 5;

export type Sign = (hash: string) => Pick<AuditRoot, "signature" | "key">;

/** The ends of all chains as a root, linked to the one before. Null where nothing is new. */
export async function makeRoot(store: RootStore, sign?: Sign | null): Promise<AuditRoot | null> {
  for (let attempt = 0; attempt < maxTries; attempt += 1) {
    const previousRoot = await store.root();
    const leaves = await leavesAfter(store, previousRoot?.leaves ?? []);
    if (leaves === null) return null;
    const content = {
      number: (previousRoot?.number ?? 0) + 1,
      at: nowText(),
      previous: previousRoot?.hash ?? "",
      leaves,
    };
    const hash = hashOfRoot(content);
    const root: AuditRoot = { ...content, hash, ...sign?.(hash) };
    if (await store.addRoot(root)) return root;
  }
  return null;
}

async function leavesAfter(
  store: RootStore,
  previousLeaves: readonly RootLeaf[],
): Promise<RootLeaf[] | null> {
  const ends = new Map((await store.chainEnds()).map((end) => [end.chain, end] as const));
  const leavesBefore = new Map(previousLeaves.map((leaf) => [leaf.chain, leaf] as const));
  const leaves: RootLeaf[] = [];
  let isNew = false;
  for (const chain of [...new Set([...leavesBefore.keys(), ...ends.keys()])].toSorted()) {
    const leaf = leavesBefore.get(chain);
    const end = ends.get(chain);
    const grownLeaf =
      end !== undefined && end.sequence > (leaf?.sequence ?? 0)
        ? await growLeaf(store, end, leaf)
        : null;
    isNew ||= grownLeaf !== null;
    // A chain that has become shorter, or is gone, stays as it was known: that is how it is missed.
    if (grownLeaf ?? leaf)
      leaves.push(grownLeaf ?? { ...(leaf as RootLeaf), records: 0, tree: "" });
  }
  return isNew ? leaves : null;
}

async function growLeaf(
  store: RootStore,
  end: ChainEnd,
  leaf: RootLeaf | undefined,
): Promise<RootLeaf> {
  const tree = growTree();
  let records = 0;
  let last = leaf?.sequence ?? 0;
  let lastHash = end.hash;
  while (last < end.sequence && records < maxRecords) {
    const page = await store.chainHashes(end.chain, last, end.sequence, readAtOnce);
    if (page.length === 0) break;
    for (const { hash } of page) tree.add(hash);
    records += page.length;
    ({ sequence: last, hash: lastHash } = page.at(-1) ?? { sequence: last, hash: lastHash });
    await nextTurn();
  }
  const isWhole = last >= end.sequence;
  // What was there before the first root is covered by the chain alone where it is much.
  if (!isWhole && leaf === undefined) return { ...end, records: 0, tree: "" };
  const covered = isWhole
    ? { sequence: end.sequence, hash: end.hash }
    : { sequence: last, hash: lastHash };
  return { chain: end.chain, ...covered, records, tree: tree.root() };
}
