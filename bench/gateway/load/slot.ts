import type { LoadClient } from "./client.ts";

/** Workers call in a closed loop until the time is over, but at least and at most a number of calls. */
export type Slot = {
  tool: string | (() => string);
  size: number;
  inFlight: number;
  ms: number;
  /** On a busy machine a slot is longer: figures of a few calls are those of the pauses between them. */
  minCalls?: number;
  maxCalls?: number;
};

export type SlotResult = {
  latencies: Float64Array;
  calls: number;
  errors: number;
  firstError: string;
  seconds: number;
};

export async function runSlot(client: Pick<LoadClient, "call">, slot: Slot): Promise<SlotResult> {
  const { tool, size, inFlight, ms, minCalls = 0, maxCalls = Number.POSITIVE_INFINITY } = slot;
  const latencies: number[] = [];
  const args = { size };
  const pick = typeof tool === "function" ? tool : () => tool;
  let started = 0;
  let errors = 0;
  let firstError = "";
  const startedAt = performance.now();
  const work = async () => {
    while (started < maxCalls && errors <= 200) {
      const from = performance.now();
      if (from >= startedAt + ms && started >= minCalls) return;
      started += 1;
      try {
        await client.call(pick(), args, size);
        latencies.push(performance.now() - from);
      } catch (error) {
        errors += 1;
        firstError ||= String(error).slice(0, 300);
      }
    }
  };
  await Promise.all(Array.from({ length: inFlight }, work));
  const seconds = (performance.now() - startedAt) / 1_000;
  return {
    latencies: Float64Array.from(latencies).sort(),
    calls: latencies.length,
    errors,
    firstError,
    seconds,
  };
}

/** Of sorted values, by nearest rank. */
export function percentile(sorted: ArrayLike<number>, percent: number): number {
  const at = Math.min(
    sorted.length - 1,
    Math.max(0, Math.ceil((percent / 100) * sorted.length) - 1),
  );
  return sorted[at] ?? Number.NaN;
}
