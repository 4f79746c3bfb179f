import type { Findable } from "./fields.ts";
import type { Hit } from "./hit.ts";

/** The first few places are what counts. */
const rankOffset = 10;

export type Ballot = { hits: readonly Pick<Hit, "tool">[]; weight: number };

/** Several rankings as one: what stands high in one of them is worth something, in several of them more. */
export function fuse(ballots: readonly Ballot[], count: number): Hit[] {
  const points = new Map<Findable, number>();
  const most = ballots.reduce((sum, { weight }) => sum + weight / (rankOffset + 1), 0);
  for (const { hits, weight } of ballots) {
    for (const [at, { tool }] of hits.entries()) {
      points.set(tool, (points.get(tool) ?? 0) + weight / (rankOffset + at + 1));
    }
  }
  // The sort is stable: what came first stays first among equals.
  return [...points]
    .map(([tool, sum]) => ({ tool, score: sum / most }))
    .sort((a, b) => b.score - a.score)
    .slice(0, count);
}
