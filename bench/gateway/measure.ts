import { median } from "../report.ts";
import type { McpClient } from "./client.ts";

export type Timed = { p50: number; p99: number; perSecond: number; errors: number };

type Load = { tool(at: number): string; args: object; calls: number; inFlight?: number };

/** Makes so many calls over these clients in turn, at this concurrency. */
export async function timeCalls(clients: readonly McpClient[], load: Load): Promise<Timed> {
  const { tool, args, calls, inFlight = clients.length } = load;
  const times: number[] = [];
  let next = 0;
  let errors = 0;
  const startedAt = performance.now();
  const work = async (_: unknown, worker: number) => {
    const client = clients[worker % clients.length] as McpClient;
    for (let at = next++; at < calls; at = next++) {
      const from = performance.now();
      const answer = await client.call(tool(at), args).catch(() => "");
      times.push(performance.now() - from);
      if (!answer.includes('"content"') || answer.includes('"isError":true')) errors += 1;
    }
  };
  await Promise.all(Array.from({ length: inFlight }, work));
  const seconds = (performance.now() - startedAt) / 1_000;
  const sorted = times.sort((a, b) => a - b);
  return {
    p50: median(sorted),
    p99: sorted[Math.floor(sorted.length * 0.99)] ?? Number.NaN,
    perSecond: calls / seconds,
    errors,
  };
}

/** Of what two did in the same rounds, how much the first did of the second. */
export function ratioOf<T>(ours: readonly T[], theirs: readonly T[], field: (one: T) => number): number {
  return median(ours.map((one, at) => field(one) / field(theirs[at] as T)));
}
