/** The least a measurement is worth, so that noise is not taken for growth. */
const floorMs = 3;
const rounds = 6;
const times = 8;

/** Work that grows with its size stays well below this for eight times as much; work that grows with the square is at 64. */
export const mostGrowth = 32;

/**
 * How many times longer eight times as much takes. It is compared with eight times the smaller work, which takes about as
 * long, so that a busy machine slows both alike; the fastest of each counts.
 */
export function growthOf(run: (size: number) => void, size: number): number {
  const fastest = { small: Number.POSITIVE_INFINITY, large: Number.POSITIVE_INFINITY };
  const time = (work: () => void) => {
    const startedAt = performance.now();
    work();
    return performance.now() - startedAt;
  };
  for (let round = 0; round < rounds; round++) {
    const small = time(() => {
      for (let count = 0; count < times; count++) run(size);
    });
    fastest.small = Math.min(fastest.small, small);
    fastest.large = Math.min(
      fastest.large,
      time(() => run(size * times)),
    );
  }
  return (fastest.large / Math.max(floorMs, fastest.small)) * times;
}
