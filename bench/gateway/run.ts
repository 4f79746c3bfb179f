import { parseArgs } from "node:util";
import { type Bar, isMissed, median, renderBars, renderTable, showProgress } from "../report.ts";
import { openRivals } from "./rivals.ts";
import { measureColdStart, measureFanOut, measureHttpBehind, measureManyTools } from "./scenarios.ts";
import { measureStdioFront } from "./stdio-front.ts";
import { openFloor, openGovernedFloor, openPlane, program, type Target } from "./targets.ts";

const { values: flags } = parseArgs({
  options: {
    rounds: { type: "string", default: "20" },
    calls: { type: "string", default: "400" },
    /** Where rivals are installed. */
    rivals: { type: "string" },
    /** Only the calls through one server, which is most of it. */
    short: { type: "boolean", default: false },
    json: { type: "boolean", default: false },
  },
});
const rounds = Number(flags.rounds);
const calls = Number(flags.calls);

type Load = { name: string; inFlight: number; tool: "echo" | "blob"; size: number; share: number };
const loads: Load[] = [
  { name: "1 in flight", inFlight: 1, tool: "echo", size: 100, share: 1 },
  { name: "16 in flight", inFlight: 16, tool: "echo", size: 100, share: 2 },
  { name: "64 in flight", inFlight: 64, tool: "echo", size: 100, share: 2 },
  { name: "10 kB", inFlight: 1, tool: "blob", size: 10_000, share: 0.5 },
  { name: "1 MB", inFlight: 1, tool: "blob", size: 1_000_000, share: 0.03 },
];

type Sample = { p50: number; p99: number; perSecond: number; cpu: number };

async function measure({ client, toolName, cpuSeconds, name }: Target, load: Load): Promise<Sample> {
  const count = Math.max(5, Math.ceil(calls * load.share));
  const times: number[] = [];
  let left = count;
  const tool = toolName(load.tool);
  const args = load.tool === "echo" ? { message: "m".repeat(load.size) } : { size: load.size };
  const cpuBefore = cpuSeconds();
  const startedAt = performance.now();
  const work = async () => {
    while (left-- > 0) {
      const from = performance.now();
      const answer = await client.call(tool, args);
      times.push(performance.now() - from);
      if (answer.length < load.size) throw new Error(`${name} answered ${answer.slice(0, 300)}`);
    }
  };
  await Promise.all(Array.from({ length: load.inFlight }, work));
  const seconds = (performance.now() - startedAt) / 1_000;
  return {
    p50: median(times),
    p99: times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.99)] ?? Number.NaN,
    perSecond: count / seconds,
    cpu: ((cpuSeconds() - cpuBefore) / count) * 1_000,
  };
}

console.error(`Measured is ${program}.`);
const floor = await openFloor();
const planes = [await openPlane("legacy"), await openPlane("modern")];
const rivals = flags.rivals === undefined ? [] : await openRivals(flags.rivals);
const targets = [floor, await openGovernedFloor(), ...planes, ...rivals];
const samples = new Map<string, Sample[]>();
const samplesOf = (target: Target, load: string) => samples.get(`${target.name}, ${load}`) ?? [];

// Two rounds warm everything up. Every round starts with another target, so that none is always first.
for (let round = -2; round < rounds; round++) {
  for (const load of loads) {
    for (const at of targets.keys()) {
      const target = targets[(at + round + 2) % targets.length] as Target;
      const sample = await measure(target, load);
      if (round >= 0) samples.set(`${target.name}, ${load.name}`, [...samplesOf(target, load.name), sample]);
    }
  }
  showProgress(Math.max(0, round + 1), rounds, "rounds");
}

const rss: Record<string, number[]> = {};
for (const target of targets) {
  const grown: number[] = [];
  for (let fifth = 0; fifth < 5; fifth++) {
    await measure(target, { ...(loads[1] as Load), share: 4_000 / calls });
    grown.push(target.rssMegabytes());
  }
  rss[target.name] = grown;
}
await Promise.all(targets.map(({ close }) => close()));

const others = flags.short
  ? []
  : [
      ...(flags.rivals === undefined ? [] : await measureStdioFront(rounds, calls, flags.rivals)),
      ...(await measureHttpBehind(rounds, calls)),
      ...(await measureFanOut(rounds, calls * 4)),
      ...(await measureColdStart(Math.ceil(rounds / 4))),
      ...(await measureManyTools(rounds, Math.ceil(calls / 2))),
    ];

/** Compared round by round: what disturbs the machine disturbs neighbours alike. */
function ratio(target: Target, load: string, field: keyof Sample, to: Target = floor): number {
  const theirs = samplesOf(to, load);
  return median(samplesOf(target, load).map((sample, at) => sample[field] / (theirs[at]?.[field] ?? Number.NaN)));
}

const rows = loads.flatMap(({ name: load }) =>
  targets.map((target) => ({
    load,
    through: target.name,
    p50: median(samplesOf(target, load).map(({ p50 }) => p50)),
    perSecond: median(samplesOf(target, load).map(({ perSecond }) => perSecond)),
    cpuPerThousand: median(samplesOf(target, load).map(({ cpu }) => cpu)),
    p50Ratio: ratio(target, load, "p50"),
    rateRatio: ratio(target, load, "perSecond"),
    cpuRatio: ratio(target, load, "cpu"),
  })),
);
const [legacy, modern] = planes as [Target, Target];
const bars: Bar[] = [
  {
    name: "p50 at 1 in flight, × the floor",
    value: ratio(legacy, "1 in flight", "p50"),
    limit: 1.5,
    unit: "×",
  },
  {
    name: "the floor's calls/s at 16, × ours",
    value: 1 / ratio(legacy, "16 in flight", "perSecond"),
    limit: 2,
    unit: "×",
  },
  {
    name: "CPU per call at 16, × the floor",
    value: ratio(legacy, "16 in flight", "cpu"),
    limit: 2,
    unit: "×",
  },
  { name: "CPU per call at 1, × the floor", value: ratio(legacy, "1 in flight", "cpu"), limit: 2, unit: "×" },
  { name: "p99 at 16 in flight, × the floor", value: ratio(legacy, "16 in flight", "p99"), limit: 3, unit: "×" },
  { name: "modern CPU at 16, × legacy", value: ratio(modern, "16 in flight", "cpu", legacy), limit: 1.05, unit: "×" },
  { name: "10 kB, × the floor", value: ratio(legacy, "10 kB", "p50"), limit: 1.5, unit: "×" },
  { name: "1 MB, × the floor", value: ratio(legacy, "1 MB", "p50"), limit: 2.5, unit: "×" },
  { name: "RSS after 20,000 calls", value: rss[legacy.name]?.at(-1) ?? Number.NaN, limit: 125, unit: "MB" },
  {
    name: "RSS over the last three fifths",
    value: (rss[legacy.name]?.at(-1) ?? 0) - (rss[legacy.name]?.[1] ?? 0),
    limit: 10,
    unit: "MB",
  },
  ...rivals.map((rival) => ({
    name: `${rival.name}'s calls/s at 16, × ours`,
    value: 1 / ratio(legacy, "16 in flight", "perSecond", rival),
    limit: 1 / 1.8,
    unit: "×",
  })),
  ...rivals.map((rival) => ({
    name: `p50 at 1 in flight, × ${rival.name}`,
    value: ratio(legacy, "1 in flight", "p50", rival),
    limit: 1,
    unit: "×",
  })),
  ...others,
];

if (flags.json) console.log(JSON.stringify({ rows, rss, bars }));
else {
  const shown = rows.map((row) => [
    row.load,
    row.through,
    `${row.p50.toFixed(2)} ms`,
    row.perSecond.toFixed(0),
    row.cpuPerThousand.toFixed(2),
    `${row.p50Ratio.toFixed(2)} ×`,
    `${row.rateRatio.toFixed(2)} ×`,
  ]);
  console.log(
    renderTable(["load", "through", "p50", "calls/s", "CPU s per 1,000", "p50 / floor", "rate / floor"], shown),
  );
  console.log(`\n${renderBars(bars)}`);
}
process.exitCode = bars.some(isMissed) ? 1 : 0;
