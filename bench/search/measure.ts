import { createRandom } from "../chaos/random.ts";
import type { SampleQuery } from "./data-sets.ts";
import type { SampleTool } from "./to-tools.ts";

export type Built = { search(query: string, count: number): string[] };
export type Build = (tools: SampleTool[]) => Promise<Built>;

export type Quality = {
  recall1: number;
  recall5: number;
  recall10: number;
  ndcg5: number;
  mrr: number;
};
export type Cost = { buildMs: number; heapMb: number; p50: number; p99: number };

const depth = 10;
/** What takes this long is not worth repeating. */
const slowMs = 5;

/** How many of the needs are met among the first, how high they stand, and where the first of them is. */
export function judge({ gold, alt = {} }: SampleQuery, found: readonly string[]): Quality {
  const ranks = gold.map((id) => {
    const place = found.findIndex((one) => one === id || alt[id]?.includes(one));
    return place < 0 ? Number.POSITIVE_INFINITY : place + 1;
  });
  const recall = (count: number) => ranks.filter((rank) => rank <= count).length / ranks.length;
  const gain = (rank: number) => 1 / Math.log2(rank + 1);
  const ideal = gold.slice(0, 5).reduce((sum, _, at) => sum + gain(at + 1), 0);
  const real = [...new Set(ranks)]
    .filter((rank) => rank <= 5)
    .reduce((sum, rank) => sum + gain(rank), 0);
  const first = Math.min(...ranks);
  return {
    recall1: recall(1),
    recall5: recall(5),
    recall10: recall(10),
    ndcg5: Math.min(1, real / ideal),
    mrr: first <= depth ? 1 / first : 0,
  };
}

/** Building is reported in processor time, a query as it is waited for. */
export async function measure(build: Build, tools: SampleTool[], queries: readonly SampleQuery[]) {
  const before = heapMb();
  const start = process.cpuUsage();
  const built = await build(tools);
  const { user, system } = process.cpuUsage(start);
  const heap = heapMb() - before;
  const warming = queries.slice(0, 50);
  const begun = performance.now();
  for (const { query } of warming) built.search(query, depth);
  // Judged by many: a single query may only have had to wait for the processor.
  const isSlow = (performance.now() - begun) / warming.length > slowMs;
  const times: number[] = [];
  const judged = queries.map((query) => {
    const [found, time] = timed(() => built.search(query.query, depth), isSlow);
    times.push(time);
    return judge(query, found);
  });
  times.sort((a, b) => a - b);
  const at = (share: number) =>
    times[Math.min(times.length - 1, Math.floor(share * times.length))] ?? 0;
  return {
    judged,
    cost: {
      buildMs: (user + system) / 1_000,
      heapMb: heap,
      p50: at(0.5),
      p99: at(0.99),
    } satisfies Cost,
  };
}

/** The best of three: what others do on the machine meanwhile is not the search's fault. */
function timed<T>(work: () => T, isSlow: boolean): [T, number] {
  const times: number[] = [];
  let result: T;
  do {
    const start = performance.now();
    result = work();
    times.push(performance.now() - start);
  } while (times.length < 3 && !isSlow);
  return [result, Math.min(...times)];
}

export function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
}

/** The interval that the mean lies in with 95 %, by drawing again. */
export function intervalOf(values: readonly number[], draws = 2_000): [number, number] {
  const { next: random } = createRandom(7);
  const means = Array.from({ length: draws }, () => {
    let sum = 0;
    for (let at = 0; at < values.length; at++)
      sum += values[Math.floor(random() * values.length)] ?? 0;
    return sum / values.length;
  }).sort((a, b) => a - b);
  return [means[Math.floor(draws * 0.025)] ?? 0, means[Math.floor(draws * 0.975)] ?? 0];
}

function heapMb(): number {
  globalThis.gc?.();
  const { heapUsed, external, arrayBuffers } = process.memoryUsage();
  return (heapUsed + external + arrayBuffers) / 2 ** 20;
}
