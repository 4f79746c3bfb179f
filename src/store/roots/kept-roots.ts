import type { AuditRoot } from "../../model/audit-schema.ts";
import { PlaneError } from "../../model/errors.ts";
import type { RootStore } from "../../model/roots.ts";
import { findSignatureProblem, parseRoot } from "./root-hash.ts";

export type KeptRoots = {
  /** Each is compared with what the store has under its number. */
  compare(root: AuditRoot): void;
  /** The newest of them; null where only a hash was kept that the store does not have. */
  newest: AuditRoot | null;
  /** Those that were not compared yet, and those of which the store has another one, oldest first. */
  left(): AuditRoot[];
  /** Why what was kept proves nothing. */
  problem: string | null;
};

/**
 * The hash of a root, or roots as they were exported: then their content is known whatever the store says. A plane exports
 * the roots that it makes, so that those of other planes may be missing between them.
 */
export async function readKeptRoots(
  store: RootStore,
  keptText: string,
  keys: readonly string[] | undefined,
): Promise<KeptRoots> {
  if (!keptText.trimStart().startsWith("{")) {
    if (!/^[\da-f]{64}$/.test(keptText))
      throw new PlaneError(
        "USAGE",
        `'${keptText.slice(0, 80)}' is neither the hash of a root (64 digits and letters a to f) nor a file with exported roots.`,
      );
    const root = await store.rootByHash(keptText);
    return keptRoots(root === null ? [] : [root], null);
  }
  const roots = new Map<number, AuditRoot>();
  let problem: string | null = null;
  for (const [index, line] of keptText.trim().split("\n").entries()) {
    const root = parseRoot(line);
    if (root !== null) problem ??= problemIn(roots, root, keys, index + 1);
    else problem ??= `line ${index + 1} is no root as it was exported: it was changed or cut off`;
    // The first of a number: what was written later may be what an attacker had the plane write.
    if (root !== null && !roots.has(root.number)) roots.set(root.number, root);
  }
  return keptRoots([...roots.values()], problem);
}

function problemIn(
  earlierRoots: ReadonlyMap<number, AuditRoot>,
  root: AuditRoot,
  keys: readonly string[] | undefined,
  line: number,
): string | null {
  const { number, hash, previous } = root;
  const twin = earlierRoots.get(number);
  if (twin !== undefined && twin.hash !== hash)
    return `line ${line} is another root ${number} than a line before it`;
  const predecessor = earlierRoots.get(number - 1);
  if (predecessor !== undefined && predecessor.hash !== previous)
    return `line ${line}, root ${number}, does not follow the root ${number - 1} of a line before it`;
  const signatureProblem = findSignatureProblem(root, keys);
  return signatureProblem && `line ${line}, root ${number}: ${signatureProblem}`;
}

function keptRoots(roots: readonly AuditRoot[], problem: string | null): KeptRoots {
  const uncompared = new Map(roots.map((root) => [root.number, root] as const));
  return {
    compare({ number, hash }) {
      if (uncompared.get(number)?.hash === hash) uncompared.delete(number);
    },
    newest: roots.toSorted((a, b) => a.number - b.number).at(-1) ?? null,
    left: () => [...uncompared.values()].toSorted((a, b) => a.number - b.number),
    problem,
  };
}

/** `isWhole`: all that the store has were compared. `strange`: roots that the store has no longer. Old ones may have been removed with the records of their time. */
export async function findKept(
  store: RootStore,
  { newest, left: uncompared }: KeptRoots,
  isWhole: boolean,
): Promise<{ isThere: boolean; strange: AuditRoot[] }> {
  if (newest === null) return { isThere: false, strange: [] };
  const [oldest] = await store.roots(0, 1);
  const isOlder = ({ number }: AuditRoot) => oldest !== undefined && number < oldest.number;
  const expected = uncompared().filter((root) => isWhole || root === newest);
  const storedRoot = expected.length === 0 ? null : await store.root(newest.number);
  const strange = expected.filter((root) => root !== newest || storedRoot?.hash !== newest.hash);
  return { isThere: strange.every(isOlder), strange };
}
