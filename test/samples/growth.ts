/** The least a measurement is worth, so that noise is not taken for growth. */
const floorMs = 0.5;
const rounds = 3;

/** Work that grows with its size stays well below this for eight times as much; work that grows with the square is at 64. */
export const mostGrowth = 32;

/** How many times longer eight times as much takes, both measured side by side. */
export function growthOf(run: (size: number) => void, size: number): number {
  const fastest = { small: Number.POSITIVE_INFINITY, large: Number.POSITIVE_INFINITY };
  const time = (amount: number) => {
    const startedAt = performance.now();
    run(amount);
    return performance.now() - startedAt;
  };
  for (let round = 0; round < rounds; round++) {
    fastest.small = Math.min(fastest.small, time(size));
    fastest.large = Math.min(fastest.large, time(size * 8));
  }
  return fastest.large / Math.max(floorMs, fastest.small);
}
