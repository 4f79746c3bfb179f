import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { sizeText } from "../lib/text/wording.ts";
import type { Config } from "../model/config/config.ts";
import type { StoredKind } from "../model/config/doctor-schema.ts";
import type { StoredAmount } from "../model/store.ts";

const dayMs = 24 * 3_600_000;

type Limit = Pick<StoredKind, "limit" | "settings">;

/** What is kept on disk or grows in memory: how much there is, its limit, and the setting that changes it. */
export function describeStored(
  amounts: readonly StoredAmount[],
  config: Config,
  directory: string | undefined,
): StoredKind[] {
  const limits = limitsOf(config);
  return [
    ...amounts.map(({ kind, count, bytes, oldest }) => ({
      kind,
      count,
      bytes,
      oldest,
      ...limits[kind],
    })),
    ...(directory === undefined ? [] : filesIn(directory)),
    ...inMemory,
  ];
}

function limitsOf({
  calls,
  results,
  observability,
  jobs,
}: Config): Record<StoredAmount["kind"], Limit> {
  const age = calls.keepDays === 0 ? [] : [days(calls.keepDays)];
  const size = calls.maxBytes === 0 ? [] : [`${sizeText(calls.maxBytes)} of records together`];
  const records: Limit = {
    limit: [...age, ...size].join(", ") || null,
    settings: ["calls.keepDays", "calls.maxBytes"],
  };
  return {
    calls: records,
    // Calls must not push out the record of who changed what.
    changes: { limit: age.join("") || null, settings: ["calls.keepDays"] },
    runs: records,
    events: records,
    results: {
      limit: `${days(results.keepMs / dayMs)}, ${sizeText(results.maxStoredBytes)}`,
      settings: ["results.keepMs", "results.maxStoredBytes"],
    },
    payloads: { limit: days(observability.payloadDays), settings: ["observability.payloadDays"] },
    deadLetters: { limit: "10,000, and 7 days after their end", settings: [] },
    jobRuns: {
      limit: jobs.keepDays === 0 ? null : `${days(jobs.keepDays)} after their end`,
      settings: ["jobs.keepDays"],
    },
  };
}

/** They keep themselves small, and go with the process. */
const inMemory: readonly StoredKind[] = [
  {
    kind: "serverLogs",
    count: null,
    bytes: null,
    oldest: null,
    limit: "64 KiB a server, in memory",
    settings: [],
  },
  {
    kind: "resultCache",
    count: null,
    bytes: null,
    oldest: null,
    limit: "64 MiB, in memory",
    settings: [],
  },
];

const files = [
  { kind: "spool", shape: /-waiting-/, limit: "the records that are not committed yet" },
  { kind: "log", shape: /\.log$/, limit: "1 MiB" },
] as const;

function filesIn(directory: string): StoredKind[] {
  const sizes = sizesIn(directory);
  return files.map(({ kind, shape, limit }) => {
    const matching = sizes.filter(({ name }) => shape.test(name));
    const bytes = matching.reduce((sum, file) => sum + file.bytes, 0);
    return { kind, count: matching.length, bytes, oldest: null, limit, settings: [] };
  });
}

function sizesIn(directory: string): { name: string; bytes: number }[] {
  try {
    return readdirSync(directory).flatMap((name) => {
      const stats = statSync(join(directory, name), { throwIfNoEntry: false });
      return stats?.isFile() ? { name, bytes: stats.size } : [];
    });
  } catch {
    return [];
  }
}

function days(count: number): string {
  return count === 1 ? "1 day" : `${Number(count.toFixed(1))} days`;
}
