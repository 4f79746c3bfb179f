import { setImmediate as nextTurn } from "node:timers/promises";
import type { AuditRoot, RootCheck } from "../../model/audit-schema.ts";
import type { VerifyOptions } from "../../model/calls/call-history.ts";
import { PlaneError } from "../../model/errors.ts";
import type { RootStore } from "../../model/roots.ts";
import { findSignatureProblem, hashOfRoot, parseRoot } from "./root-hash.ts";

const readAtOnce = 500;

/**
 * Follows the roots of a time, and compares the newest of them, and the one that was kept elsewhere, with the records.
 * A root covers what the roots before it cover.
 */
export async function verifyRoots(
  store: RootStore,
  { root: kept, since, until, key }: Pick<VerifyOptions, "root" | "since" | "until" | "key"> = {},
): Promise<RootCheck> {
  const first = since === undefined ? 0 : await store.firstRootFrom(since);
  const followed = since !== undefined && first === 0 ? none : await follow(store, first, until, key);
  const known = kept === undefined ? null : await findKept(store, kept);
  const missing = new Map<string, string>();
  for (const root of [known?.root, followed.newest])
    for (const leaf of root?.leaves ?? [])
      if (root && leaf.sequence > 0 && (await store.lostBehind(leaf))) missing.set(leaf.chain, root.at);
  const rootFound = known === null ? null : known.isThere;
  const { newest, broken, roots } = followed;
  return {
    ok: broken === null && missing.size === 0 && rootFound !== false,
    roots,
    newest: newest && {
      number: newest.number,
      at: newest.at,
      hash: newest.hash,
      signed: newest.signature !== undefined,
    },
    broken,
    rootFound,
    missing: [...missing].map(([chain, at]) => ({ chain, at })),
  };
}

type Followed = { newest: AuditRoot | null; roots: number; broken: RootCheck["broken"] };
const none: Followed = { newest: null, roots: 0, broken: null };

async function follow(
  store: RootStore,
  first: number,
  until: string | undefined,
  trustedKey: string | undefined,
): Promise<Followed> {
  let newest: AuditRoot | null = null;
  let roots = 0;
  for (let from = first; ; from = (newest?.number ?? 0) + 1) {
    const part = await store.roots(from, readAtOnce);
    for (const root of part) {
      // A day ends with the last moment that begins with it.
      if (until !== undefined && root.at > `${until}~`) return { newest, roots, broken: null };
      const reason = problemOf(root, newest, trustedKey);
      if (reason !== null) return { newest, roots, broken: { number: root.number, at: root.at, reason } };
      newest = root;
      roots += 1;
    }
    if (part.length < readAtOnce) return { newest, roots, broken: null };
    await nextTurn();
  }
}

function problemOf(root: AuditRoot, before: AuditRoot | null, trustedKey: string | undefined): string | null {
  if (hashOfRoot(root) !== root.hash) return "it was changed";
  if (before !== null && (root.number !== before.number + 1 || root.previous !== before.hash))
    return "one before it was changed or removed";
  return findSignatureProblem(root, trustedKey);
}

type Kept = { root: AuditRoot | null; isThere: boolean };

/** By its hash among those of the store, or as it was exported: then its content is known whatever the store says. */
async function findKept(store: RootStore, kept: string): Promise<Kept> {
  const exported = parseRoot(kept);
  if (exported === null) {
    if (!/^[\da-f]{64}$/.test(kept))
      throw new PlaneError(
        "USAGE",
        `'${kept.slice(0, 80)}' is neither the hash of a root (64 digits and letters a to f) nor a file with exported roots.`,
      );
    const root = await store.rootByHash(kept);
    return { root, isThere: root !== null };
  }
  const own = await store.root(exported.number);
  // An older one may have been removed with the records of its time.
  const [oldest] = await store.roots(0, 1);
  const isOlder = own === null && oldest !== undefined && exported.number < oldest.number;
  return { root: exported, isThere: own?.hash === exported.hash || isOlder };
}
