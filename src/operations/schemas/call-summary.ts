import { z } from "zod";
import { withoutUndefined } from "../../lib/json/plain-data.ts";
import { failedStatuses } from "../../model/calls/call-history.ts";
import type { CallRecord } from "../../model/calls/call-schema.ts";

/** Records that one summary reads. */
export const maxSummed = 10_000;
const pageSize = 1_000;
const maxRows = 50;
const maxSlowest = 10;

const Row = z.object({
  name: z.string(),
  calls: z.number().int(),
  errors: z
    .number()
    .int()
    .meta({ description: "Those that failed, were refused, or ended with a tool error." }),
  p50Ms: z.number(),
  p95Ms: z.number(),
});

export const CallSummary = z
  .object({
    since: z.string(),
    calls: z.number().int(),
    isWhole: z
      .boolean()
      .meta({ description: "False where older calls of that time were not read." }),
    tools: z.array(Row),
    servers: z.array(Row),
    users: z.array(Row),
    p50Ms: z.number(),
    p95Ms: z.number(),
    slowest: z
      .array(z.object({ id: z.string(), at: z.string(), tool: z.string(), durationMs: z.number() }))
      .meta({ description: "Those that took longest, ten at most." }),
  })
  .meta({ id: "CallSummary", description: "Those that were called most; fifty of each at most." });

type Read = (part: { limit: number; since: string; before?: string }) => Promise<CallRecord[]>;

/** Read page by page, newest first; of the last minutes, or since a day or moment. */
export async function summarizeCalls(
  read: Read,
  from: number | string,
): Promise<z.infer<typeof CallSummary>> {
  const since =
    typeof from === "string" ? from : new Date(Date.now() - from * 60_000).toISOString();
  const calls: CallRecord[] = [];
  let isWhole = false;
  while (!isWhole && calls.length < maxSummed) {
    const before = calls.at(-1)?.id;
    const page = await read({
      limit: pageSize,
      since,
      ...withoutUndefined({ before }),
    });
    calls.push(...page);
    isWhole = page.length < pageSize;
  }
  const bySlowness = calls.toSorted((a, b) => b.durationMs - a.durationMs);
  return {
    since,
    calls: calls.length,
    isWhole,
    tools: rowsOf(calls, ({ tool }) => tool),
    servers: rowsOf(calls, ({ server }) => server),
    users: rowsOf(calls, ({ principal }) => principal.user ?? "anonymous"),
    ...timesOf(calls),
    slowest: bySlowness
      .slice(0, maxSlowest)
      .map(({ id, at: startedAt, tool, durationMs }) => ({ id, at: startedAt, tool, durationMs })),
  };
}

const failed: readonly string[] = failedStatuses;

function rowsOf(
  calls: readonly CallRecord[],
  nameOf: (call: CallRecord) => string | null,
): z.infer<typeof Row>[] {
  return [...Map.groupBy(calls, nameOf)]
    .flatMap(([name, group]) => (name === null ? [] : [rowOf(name, group)]))
    .toSorted((a, b) => b.calls - a.calls || (a.name < b.name ? -1 : 1))
    .slice(0, maxRows);
}

function rowOf(name: string, group: readonly CallRecord[]): z.infer<typeof Row> {
  const errors = group.filter(({ status }) => failed.includes(status)).length;
  return { name, calls: group.length, errors, ...timesOf(group) };
}

function timesOf(group: readonly CallRecord[]): { p50Ms: number; p95Ms: number } {
  const durations = group.map(({ durationMs }) => durationMs).toSorted((a, b) => a - b);
  const percentile = (share: number) =>
    durations[Math.min(durations.length - 1, Math.floor(durations.length * share))] ?? 0;
  return { p50Ms: percentile(0.5), p95Ms: percentile(0.95) };
}
