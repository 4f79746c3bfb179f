import { isWholeTier } from "../fixtures/tier.ts";

/** So much of the processor tells more than the clock's ticks, of which there are 250 a second. */
const enoughMs = 40;
const maxRounds = 800;
/** Work that grows too quickly does so each time; a machine that takes memory back does so now and then. */
const measurements = 3;
/** The least a measurement is worth, so that noise is not taken for growth. */
const floorMs = 20;
const times = 8;

/** Work that grows with its size stays well below this for eight times as much; work that grows with the square is at 64. */
export const maxGrowth = 32;

/**
 * How many times more of the processor eight times as much takes, in the best of some measurements. It is compared with eight
 * times the smaller work, which takes about as much. What others do on the machine meanwhile is not in it. `npm test` only
 * does the smaller work and measures nothing.
 */
export function growthOf(run: (size: number) => void, size: number): number {
  if (!isWholeTier) {
    run(size);
    return 1;
  }
  run(size * times);
  return Math.min(...Array.from({ length: measurements }, () => measure(run, size)));
}

function measure(run: (size: number) => void, size: number): number {
  const spent = { small: 0, large: 0 };
  for (let round = 0; round < maxRounds && spent.small < enoughMs; round++) {
    spent.small += processorMs(() => {
      for (let count = 0; count < times; count++) run(size);
    });
    spent.large += processorMs(() => run(size * times));
  }
  return (spent.large / Math.max(floorMs, spent.small)) * times;
}

function processorMs(work: () => void): number {
  const before = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000;
}
