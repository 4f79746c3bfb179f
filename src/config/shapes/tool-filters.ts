import { matchesGlob } from "../../lib/glob.ts";

/** The names that both lists admit, as a list; undefined where no list of globs says it. */
export function intersectFilters(left: readonly string[], right: readonly string[]): string[] | undefined {
  const both = new Set<string>();
  for (const a of left) {
    for (const b of right) {
      const narrower = covers(b, a) ? a : covers(a, b) ? b : undefined;
      if (narrower !== undefined) both.add(narrower);
      else if (mayOverlap(a, b)) return undefined;
    }
  }
  return [...both];
}

function isExact(pattern: string): boolean {
  return !/[*?]/.test(pattern);
}

/** Does the wider pattern match whatever the narrower one does? `*` in one swallows any glob of the other. */
function covers(wider: string, narrower: string): boolean {
  return (isExact(narrower) || !wider.includes("?")) && matchesGlob(wider, narrower);
}

/** Two globs that begin or end with different letters have nothing in common. */
function mayOverlap(a: string, b: string): boolean {
  if (isExact(a) || isExact(b)) return false;
  const [headA = "", headB = ""] = [a, b].map((glob) => glob.split(/[*?]/)[0]);
  const [tailA = "", tailB = ""] = [a, b].map((glob) => glob.split(/[*?]/).at(-1));
  const sameHead = headA.startsWith(headB) || headB.startsWith(headA);
  return sameHead && (tailA.endsWith(tailB) || tailB.endsWith(tailA));
}
