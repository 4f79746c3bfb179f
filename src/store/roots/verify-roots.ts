import { setImmediate as nextTurn } from "node:timers/promises";
import type { AuditRoot, RootCheck } from "../../model/audit-schema.ts";
import type { VerifyOptions } from "../../model/calls/call-history.ts";
import type { RootStore } from "../../model/roots.ts";
import { findKept, type KeptRoots, readKeptRoots } from "./kept-roots.ts";
import { findSignatureProblem, hashOfRoot, type RootLeaf } from "./root-hash.ts";

const readAtOnce = 500;

type RootsQuery = Pick<VerifyOptions, "root" | "since" | "until" | "key" | "keepDays">;

/**
 * Follows the roots of a time, and compares them, and those that were kept elsewhere, with the records: a chain that was
 * cut and went on is whole again, and only the roots of the time between know what is missing.
 */
export async function verifyRoots(store: RootStore, query: RootsQuery = {}): Promise<RootCheck> {
  const { root: keptText } = query;
  const keys = query.key?.split(",").map((key) => key.trim());
  const keptRoots = keptText === undefined ? null : await readKeptRoots(store, keptText, keys);
  const missing = createMissingChains(store, query.keepDays);
  const { newest, broken, roots } = await verifyChain(store, query, {
    keys,
    kept: keptRoots,
    missing,
  });
  // A range, or a break, leaves roots that were not compared.
  const isWhole = query.since === undefined && query.until === undefined && broken === null;
  const { isThere: rootFound, strange } =
    keptRoots === null ? notAsked : await findKept(store, keptRoots, isWhole);
  await missing.check(keptRoots?.newest ? [...strange, keptRoots.newest] : strange);
  return {
    ok:
      broken === null &&
      missing.chains.size === 0 &&
      rootFound !== false &&
      (keptRoots?.problem ?? null) === null,
    roots,
    newest: newest && {
      number: newest.number,
      at: newest.at,
      hash: newest.hash,
      signed: newest.signature !== undefined,
    },
    broken,
    rootFound,
    rootProblem: keptRoots?.problem ?? null,
    missing: [...missing.chains].map(([chain, lostAt]) => ({ chain, at: lostAt })),
  };
}

const notAsked = { isThere: null, strange: [] };

type MissingChains = ReturnType<typeof createMissingChains>;

/** Chains with records that roots name and that are gone, each with the time of the first such root. */
function createMissingChains(store: RootStore, keepDays: number | undefined) {
  const chains = new Map<string, string>();
  const lastLeaves = new Map<string, RootLeaf>();
  return {
    chains,
    /** Takes roots in the order of their time. A leaf that the root before had, too, is checked once. */
    async check(roots: readonly AuditRoot[]): Promise<void> {
      const leavesByChain = new Map<string, (RootLeaf & { at: string })[]>();
      for (const { leaves, at } of roots)
        for (const leaf of leaves) {
          const lastLeaf = lastLeaves.get(leaf.chain);
          if (
            leaf.sequence === 0 ||
            (lastLeaf?.sequence === leaf.sequence && lastLeaf.hash === leaf.hash)
          )
            continue;
          lastLeaves.set(leaf.chain, leaf);
          leavesByChain.set(leaf.chain, [
            ...(leavesByChain.get(leaf.chain) ?? []),
            { ...leaf, at },
          ]);
        }
      for (const [chain, leaves] of leavesByChain) {
        const lostAt = (await store.lostOf(chain, leaves, keepDays))[0]?.at;
        if (lostAt === undefined) continue;
        const earliest = chains.get(chain);
        if (earliest === undefined || lostAt < earliest) chains.set(chain, lostAt);
      }
    },
  };
}

type FollowedRoots = { newest: AuditRoot | null; roots: number; broken: RootCheck["broken"] };
type RootChecks = {
  keys: readonly string[] | undefined;
  kept: KeptRoots | null;
  missing: MissingChains;
};

/** The number of the first root to verify; null where none is that young. */
async function firstNumber(store: RootStore, { since }: RootsQuery): Promise<number | null> {
  if (since === undefined) return 0;
  const number = await store.firstRootFrom(since);
  return number === 0 ? null : number;
}

/** A day ends with the last moment that begins with it: "~" sorts behind every digit and letter. */
function isAfter(moment: string, until: string | undefined): boolean {
  return until !== undefined && moment > `${until}~`;
}

/** Verifies root after root, until one is broken or the time ends. */
async function verifyChain(
  store: RootStore,
  query: RootsQuery,
  checks: RootChecks,
): Promise<FollowedRoots> {
  const first = await firstNumber(store, query);
  if (first === null) return { newest: null, roots: 0, broken: null };
  let newest: AuditRoot | null = null;
  let roots = 0;
  for (let from = first; ; from = (newest?.number ?? 0) + 1) {
    const page = await store.roots(from, readAtOnce);
    const end = page.findIndex((root) => isAfter(root.at, query.until));
    const inTime = end === -1 ? page : page.slice(0, end);
    await checks.missing.check(inTime);
    for (const root of inTime) {
      checks.kept?.compare(root);
      const reason = problemOf(root, newest, checks.keys);
      if (reason !== null)
        return { newest, roots, broken: { number: root.number, at: root.at, reason } };
      newest = root;
      roots += 1;
    }
    if (inTime.length < readAtOnce) return { newest, roots, broken: null };
    await nextTurn();
  }
}

function problemOf(
  root: AuditRoot,
  previous: AuditRoot | null,
  keys: readonly string[] | undefined,
): string | null {
  if (hashOfRoot(root) !== root.hash) return "it was changed";
  if (previous !== null && (root.number !== previous.number + 1 || root.previous !== previous.hash))
    return "one before it was changed or removed";
  return findSignatureProblem(root, keys);
}
