import { setImmediate as nextTurn } from "node:timers/promises";
import type { AuditRoot, RootCheck } from "../../model/audit-schema.ts";
import type { VerifyOptions } from "../../model/calls/call-history.ts";
import type { RootStore } from "../../model/roots.ts";
import { findKept, type KeptRoots, readKeptRoots } from "./kept-roots.ts";
import { findSignatureProblem, hashOfRoot, type RootLeaf } from "./root-hash.ts";

const readAtOnce = 500;

type Asked = Pick<VerifyOptions, "root" | "since" | "until" | "key" | "keepDays">;

/**
 * Follows the roots of a time, and compares them, and those that were kept elsewhere, with the records: a chain that was
 * cut and went on is whole again, and only the roots of the time between know what is missing.
 */
export async function verifyRoots(store: RootStore, asked: Asked = {}): Promise<RootCheck> {
  const { root: given } = asked;
  const keys = asked.key?.split(",").map((one) => one.trim());
  const kept = given === undefined ? null : await readKeptRoots(store, given, keys);
  const missing = createMissing(store, asked.keepDays);
  const { newest, broken, roots } = await follow(store, asked, { keys, kept, missing });
  // Of a range, and behind a break, the others were not compared.
  const isWhole = asked.since === undefined && asked.until === undefined && broken === null;
  const { isThere: rootFound, strange } =
    kept === null ? notAsked : await findKept(store, kept, isWhole);
  await missing.look(kept?.newest ? [...strange, kept.newest] : strange);
  return {
    ok:
      broken === null &&
      missing.chains.size === 0 &&
      rootFound !== false &&
      (kept?.problem ?? null) === null,
    roots,
    newest: newest && {
      number: newest.number,
      at: newest.at,
      hash: newest.hash,
      signed: newest.signature !== undefined,
    },
    broken,
    rootFound,
    rootProblem: kept?.problem ?? null,
    missing: [...missing.chains].map(([chain, at]) => ({ chain, at })),
  };
}

const notAsked = { isThere: null, strange: [] };

type Missing = ReturnType<typeof createMissing>;

/** Chains with records that roots name and that are gone, each with the time of the first such root. */
function createMissing(store: RootStore, keepDays: number | undefined) {
  const chains = new Map<string, string>();
  const known = new Map<string, RootLeaf>();
  return {
    chains,
    /** In the order of their time. What a root has in common with the one before is looked at once. */
    async look(roots: readonly AuditRoot[]): Promise<void> {
      const named = new Map<string, (RootLeaf & { at: string })[]>();
      for (const { leaves, at } of roots)
        for (const leaf of leaves) {
          const before = known.get(leaf.chain);
          if (
            leaf.sequence === 0 ||
            (before?.sequence === leaf.sequence && before.hash === leaf.hash)
          )
            continue;
          known.set(leaf.chain, leaf);
          named.set(leaf.chain, [...(named.get(leaf.chain) ?? []), { ...leaf, at }]);
        }
      for (const [chain, leaves] of named) {
        const at = (await store.lostOf(chain, leaves, keepDays))[0]?.at;
        if (at !== undefined && at < (chains.get(chain) ?? "~")) chains.set(chain, at);
      }
    },
  };
}

type Followed = { newest: AuditRoot | null; roots: number; broken: RootCheck["broken"] };
type Looking = { keys: readonly string[] | undefined; kept: KeptRoots | null; missing: Missing };

async function follow(
  store: RootStore,
  { since, until }: Asked,
  looking: Looking,
): Promise<Followed> {
  const first = since === undefined ? 0 : await store.firstRootFrom(since);
  if (since !== undefined && first === 0) return { newest: null, roots: 0, broken: null };
  let newest: AuditRoot | null = null;
  let roots = 0;
  for (let from = first; ; from = (newest?.number ?? 0) + 1) {
    const part = await store.roots(from, readAtOnce);
    // A day ends with the last moment that begins with it.
    const end = until === undefined ? -1 : part.findIndex(({ at }) => at > `${until}~`);
    const inTime = end === -1 ? part : part.slice(0, end);
    await looking.missing.look(inTime);
    for (const root of inTime) {
      looking.kept?.compare(root);
      const reason = problemOf(root, newest, looking.keys);
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
  before: AuditRoot | null,
  keys: readonly string[] | undefined,
): string | null {
  if (hashOfRoot(root) !== root.hash) return "it was changed";
  if (before !== null && (root.number !== before.number + 1 || root.previous !== before.hash))
    return "one before it was changed or removed";
  return findSignatureProblem(root, keys);
}
