import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { packForTests } from "../../scripts/pack-for-tests.ts";
import { type Bar, isMissed, median, renderBars, renderTable } from "../report.ts";
import { type Compared, compareRun } from "./compare.ts";
import type { Measured, MeasureOptions, Run, Work } from "./measure.ts";
import { renderCosts, renderSized, renderYears } from "./render.ts";
import { ceilings, sized, yearOf } from "./scenarios.ts";
import type { Journalling } from "./simulate.ts";

const { values } = parseArgs({
  options: {
    quick: { type: "boolean", default: false },
    rounds: { type: "string" },
    /** What an earlier run has measured (`--json`), so that nothing is measured now. */
    measured: { type: "string" },
    /** Does the store write the batches of all planes one after the other ("all planes"), or those of each plane ("one plane")? */
    lock: { type: "string", default: "one plane" },
    json: { type: "boolean", default: false },
  },
});

/** The difference that is allowed, in percent. */
const allowed = 20;
const options: MeasureOptions = values.quick
  ? { seconds: 6, warmCalls: 800, rates: [10, 40, 100], dayRows: 50_000 }
  : { seconds: 12, warmCalls: 4_000, rates: [10, 40, 100], dayRows: 200_000 };
const rounds = Number(values.rounds ?? (values.quick ? 1 : 3));
/** None of these is a load that the costs come from. */
const worksFor = (planes: number): Work[] => [
  { kind: "steady", perSecond: 25 * planes },
  { kind: "steady", perSecond: 60 * planes },
  { kind: "in turn", agents: 8 * planes, toolMs: 100 },
  { kind: "in turn", agents: 8 * planes, toolMs: 0 },
];

/** As `src/store` writes: two hundred milliseconds between batches, two thousand records do not wait. */
const journalOf = ({ questions }: Measured, lock: string): Journalling => ({
  delayMs: 200,
  most: 2_000,
  lock: lock === "one plane" ? lock : "all planes",
  roundTrips: Math.max(1, Math.round(questions.batch)),
  roundTripMs: 0,
  commitMs: 0,
});

type Round = { measured: Measured; runs: Run[] };

async function measureRounds(): Promise<Round[]> {
  // As it is shipped, and as it was when this began. What starts planes looks for it when it is loaded.
  process.env.TOOLPLANE_TEST_PACKAGE ??= await packForTests();
  const { measureCosts, measureRuns } = await import("./measure.ts");
  const found: Round[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const measured = await measureCosts(options);
    const runs: Run[] = [];
    for (const planes of [1, 2, 3])
      runs.push(...(await measureRuns(planes, worksFor(planes), options)));
    found.push({ measured, runs });
  }
  return found;
}

/** The medians of the rounds, figure by figure. */
function mediansOf(all: readonly Compared[][]): Compared[] {
  return (all[0] ?? []).map((one, at) => {
    const of = (figure: "measured" | "simulated" | "percent") =>
      median(all.map((round) => round[at]?.[figure] ?? 0));
    return { ...one, measured: of("measured"), simulated: of("simulated"), percent: of("percent") };
  });
}

const rounded = (value: number) => String(Number(value.toPrecision(3)));

const measuredRounds: Round[] =
  values.measured === undefined
    ? await measureRounds()
    : JSON.parse(readFileSync(values.measured, "utf8")).rounds;
const compared = mediansOf(
  measuredRounds.map(({ measured, runs }) =>
    runs.flatMap((run) => compareRun(run, measured.costs, journalOf(measured, values.lock))),
  ),
);
const failed = measuredRounds.flatMap(({ runs }) => runs).reduce((sum, run) => sum + run.failed, 0);
const bars: Bar[] = [
  ...["calls a second", "cores of the planes", "cores of the database"].map((figure) => ({
    name: `${figure}, largest difference`,
    value: Math.max(
      ...compared.filter((one) => one.figure === figure).map(({ percent }) => Math.abs(percent)),
    ),
    limit: allowed,
    unit: "%",
  })),
  { name: "calls that failed", value: failed, limit: 0, unit: "" },
];
/** The round whose calls cost a plane as much as those of most. */
const [middle] = [...measuredRounds]
  .sort((a, b) => a.measured.costs.plane.beforeMs - b.measured.costs.plane.beforeMs)
  .slice(measuredRounds.length >> 1) as [Round];
const { costs, record, day } = middle.measured;
const locks = ["all planes", "one plane"] as const;
const sizes = locks.flatMap((lock) => {
  const sizing = { costs, journal: journalOf(middle.measured, lock) };
  const rates = [1_000, 10_000, 100_000].map((perSecond) =>
    sized(`${perSecond} calls/s`, { kind: "open", perSecond }, perSecond, sizing),
  );
  // An agent thinks for ten seconds before each of its twenty calls, and once more before it leaves.
  const agents = { kind: "agents", count: 10_000, thinkMs: 10_000, calls: 20 } as const;
  return [...rates, sized("10,000 agents", agents, 1_000, sizing)];
});
const years = [1, 1_000, 10_000, 100_000].map((perSecond) => yearOf(perSecond, record, day));

if (values.json)
  process.stdout.write(
    `${JSON.stringify({ bars, compared, sizes, years, day, rounds: measuredRounds })}\n`,
  );
else {
  const rows = compared.map(({ planes, work, figure, measured, simulated, percent }) => [
    String(planes),
    work,
    figure,
    rounded(measured),
    rounded(simulated),
    `${percent.toFixed(0)} %`,
  ]);
  const limits = ceilings(costs, journalOf(middle.measured, values.lock)).map(
    ({ name, perSecond }) => [name, String(Math.round(perSecond))],
  );
  const texts = [
    renderCosts(middle.measured),
    renderTable(["planes", "load", "figure", "measured", "simulated", "difference"], rows),
    renderBars(bars),
    renderTable(["full alone at", "calls a second"], limits),
    renderSized(sizes),
    renderYears(years),
  ];
  process.stdout.write(`${texts.join("\n\n")}\n`);
}
process.exitCode = bars.some(isMissed) ? 1 : 0;
