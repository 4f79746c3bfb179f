import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { createEngine } from "../../src/jobs/engine.ts";
import { fire, type ScheduledJob, scheduleOf } from "../../src/jobs/schedule.ts";
import { JobManifest } from "../../src/model/job.ts";
import { principalOf } from "../../src/model/principal.ts";
import { openSqliteStore } from "../../src/store/sqlite.ts";
import { type Bar, isMissed, median, renderBars, renderTable } from "../report.ts";

const { values } = parseArgs({ options: { json: { type: "boolean" } } });
const all = 10_000;
const dueAtOnce = 1_000;
const rounds = 15;
const concurrency = 8;

/** A thousand are due in the minute that has passed, the others at times of a later day. */
function jobAt(at: number, now: number): ScheduledJob {
  const later = new Date(now + (2 + (at % 20)) * 3_600_000);
  const cron = at < dueAtOnce ? "* * * * *" : `${at % 60} ${later.getUTCHours()} * * *`;
  const manifest = {
    ...{ name: `job-${at}`, personas: ["Atlas"], task_graph: [{ task: "work" }], priority: at % 21 },
    recurrence: { cron, timezone: at % 2 === 0 ? "UTC" : "Europe/Berlin" },
  };
  return JobManifest.parse(manifest) as ScheduledJob;
}

async function timed<T>(work: () => Promise<T>): Promise<{ ms: number; value: T }> {
  const begun = performance.now();
  const value = await work();
  return { ms: performance.now() - begun, value };
}

const directory = await mkdtemp(join(tmpdir(), "toolplane-bench-jobs-"));
const store = await openSqliteStore(join(directory, "toolplane.db"));
const start = Date.now() - 60_000;
const jobs = Array.from({ length: all }, (_, at) => jobAt(at, start));
const principal = principalOf({ user: "bench", persona: "Atlas" });

const first = await timed(() => store.putJobSchedules(jobs.map((job) => scheduleOf(job, null, start))));
const soon = new Date().toISOString();
const scans: number[] = [];
for (let round = 0; round < rounds; round++) scans.push((await timed(() => store.dueJobSchedules(soon))).ms);
const quiet: number[] = [];
const before = new Date(start).toISOString();
for (let round = 0; round < rounds; round++)
  quiet.push((await timed(() => store.dueJobSchedules(before))).ms);
const next: number[] = [];
for (let round = 0; round < rounds; round++) next.push((await timed(() => store.nextJobDue(soon))).ms);
const due = await store.dueJobSchedules(soon);
const byName = new Map(jobs.map((job) => [job.name, job]));
const reckoned = await timed(async () =>
  due.map((schedule) => fire(byName.get(schedule.job) as ScheduledJob, schedule, Date.now())),
);

const begun: number[] = [];
let now = 0;
let most = 0;
let ended = 0;
const over = Promise.withResolvers<void>();
const emit = () => undefined;
const engine = createEngine({
  ...{ store: async () => store, jobs: async () => jobs, emit, most: () => concurrency, keepMs: () => 1e12 },
  principalFor: () => principal,
  execute: {
    ...{ emit, check: async () => undefined },
    work: (run) => async () => {
      begun.push(run.priority);
      most = Math.max(most, ++now);
      await new Promise(setImmediate);
      now -= 1;
      return null;
    },
    onEnded: async () => {
      ended += 1;
      if (ended === due.length) over.resolve();
    },
  },
});
const drained = await timed(async () => {
  await engine.start();
  await over.promise;
});
await engine.stop();
await store.close();
await rm(directory, { recursive: true });

/** Runs that began before one that was more urgent, beyond those that were under way at the same time. */
const outOfOrder = begun.filter((priority, at) =>
  begun.slice(at + concurrency).some((later) => later > priority),
).length;
const rows: [what: string, ms: number][] = [
  [`first reckoning and writing of ${all} schedules`, first.ms],
  [`scan with ${due.length} due`, median(scans)],
  ["scan with nothing due", median(quiet)],
  ["when is the next due", median(next)],
  [`next times of ${due.length}`, reckoned.ms],
  [`${due.length} runs made, begun, written down and ended`, drained.ms],
];
const bars: Bar[] = [
  { name: `scan of ${all} schedules`, value: median(scans), limit: 50, unit: "ms" },
  { name: "runs out of order", value: outOfOrder, limit: 0, unit: "" },
  { name: "runs at a time", value: most, limit: concurrency, unit: "" },
];
if (values.json) console.log(JSON.stringify({ measured: Object.fromEntries(rows), bars }));
else {
  console.log(
    renderTable(
      ["what", "ms"],
      rows.map(([what, ms]) => [what, ms.toFixed(2)]),
    ),
  );
  console.log(`\n${renderBars(bars)}`);
}
process.exitCode = bars.some(isMissed) ? 1 : 0;
