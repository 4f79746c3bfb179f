import { join } from "node:path";
import { parseArgs } from "node:util";
import { type Bar, isMissed, median, renderBars, renderTable, showProgress } from "../report.ts";
import { bare, openers, ours, type Variant } from "./variants.ts";

const { values: flags } = parseArgs({
  options: {
    rounds: { type: "string", default: "25" },
    calls: { type: "string", default: "4000" },
    only: { type: "string" },
    json: { type: "boolean", default: false },
  },
});
const rounds = Number(flags.rounds);
const calls = Number(flags.calls);
const loads = [
  { load: "16 in flight", inFlight: 16 },
  { load: "one at a time", inFlight: 1 },
];

type Sample = { microseconds: number; cpuMicroseconds: number };

async function measure({ echo, name, share }: Variant, inFlight: number): Promise<Sample> {
  const count = Math.ceil(calls * share);
  let left = count;
  const work = async () => {
    while (left > 0) {
      const message = `hello ${left--}`;
      const answer = await echo(message);
      if (answer !== message) throw new Error(`${name} answered ${answer} to ${message}`);
    }
  };
  const cpuBefore = process.cpuUsage();
  const startedAt = performance.now();
  await Promise.all(Array.from({ length: inFlight }, work));
  const microseconds = ((performance.now() - startedAt) * 1000) / count;
  const { user, system } = process.cpuUsage(cpuBefore);
  return { microseconds, cpuMicroseconds: (user + system) / count };
}

const server = join(import.meta.dirname, "echo-server.mjs");
const opened = await Promise.all(openers.map((open) => open(process.execPath, [server])));
const variants = opened.filter(({ name }) => flags.only === undefined || name === flags.only);

const samples = new Map<string, Sample[]>();
const samplesOf = (name: string, load: string) => samples.get(`${name}, ${load}`) ?? [];

// Two rounds warm the compiler up. Every round starts with another variant, so that none is always first.
for (let round = -2; round < rounds; round++) {
  for (const { load, inFlight } of loads) {
    for (const at of variants.keys()) {
      const variant = variants[(at + round + 2) % variants.length] as Variant;
      const sample = await measure(variant, inFlight);
      if (round >= 0)
        samples.set(`${variant.name}, ${load}`, [...samplesOf(variant.name, load), sample]);
    }
  }
  showProgress(Math.max(0, round + 1), rounds, "rounds");
}
await Promise.all(opened.map(({ close }) => close()));

/** Compared round by round: what disturbs the machine disturbs neighbours alike. */
function ratio(name: string, load: string, field: keyof Sample): number {
  const floor = samplesOf(bare, load);
  return median(
    samplesOf(name, load).map((sample, at) => sample[field] / (floor[at]?.[field] ?? Number.NaN)),
  );
}

const results = loads.flatMap(({ load }) =>
  variants.map(({ name }) => ({
    load,
    variant: name,
    microseconds: median(samplesOf(name, load).map((sample) => sample.microseconds)),
    cpuMicroseconds: median(samplesOf(name, load).map((sample) => sample.cpuMicroseconds)),
    ratio: ratio(name, load, "microseconds"),
    cpuRatio: ratio(name, load, "cpuMicroseconds"),
  })),
);
const bars: Bar[] = [
  {
    name: `${ours} ÷ ${bare}, 16 in flight`,
    value: ratio(ours, "16 in flight", "microseconds"),
    limit: 1.3,
    unit: "×",
  },
];

if (flags.json) {
  console.log(JSON.stringify({ rounds, calls, results, bars }, null, 2));
} else {
  const rows = results.map((result) => [
    result.load,
    result.variant,
    result.microseconds.toFixed(1),
    `${result.ratio.toFixed(2)} ×`,
    result.cpuMicroseconds.toFixed(1),
    `${result.cpuRatio.toFixed(2)} ×`,
  ]);
  const head = ["load", "client", "µs per call", "× bare pipe", "processor µs", "× bare pipe"];
  console.log(`${renderTable(head, rows)}\n\n${renderBars(bars)}`);
}
if (flags.only === undefined && bars.some(isMissed)) process.exitCode = 1;
