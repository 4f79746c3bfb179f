import { availableParallelism } from "node:os";
import type { Arrivals } from "./arrivals.ts";
import type { Run, Work } from "./measure.ts";
import { type Costs, type Journalling, type Scenario, simulate } from "./simulate.ts";

/** A measured figure beside the simulated one. */
export type Compared = {
  planes: number;
  work: string;
  figure: string;
  measured: number;
  simulated: number;
  /** How far the simulated figure is from the measured one, in percent of it. */
  percent: number;
};

const seconds = 20;
/** The kernel's base slice. */
const sliceMs = 0.7;
const steps = 10;
const maxBackground = 64;

const arrivalsOf = ({ work, calls, seconds: took }: Run): Arrivals =>
  work.kind !== "in turn"
    ? { kind: "open", perSecond: calls / took }
    : { kind: "agents", count: work.agents, thinkMs: 0, calls: 1e6 };

export const textOf = (work: Work): string =>
  work.kind !== "in turn"
    ? `${work.perSecond} calls/s`
    : `${work.agents} agents${work.toolMs ? `, a tool of ${work.toolMs} ms` : ""}`;

/** The same load on the cores of this machine, beside as much other work as there was. */
export function compareRun(run: Run, costs: Costs, journal: Journalling): Compared[] {
  const scenario = (background: number): Scenario => ({
    costs,
    journal,
    planes: run.planes,
    databaseCores: availableParallelism(),
    shared: { cores: availableParallelism(), background, sliceMs },
    bytesPerSecond: 1e9,
    tool: { kind: "fixed", ms: run.work.kind === "in turn" ? (run.work.toolMs ?? 0) : 0 },
    arrivals: arrivalsOf(run),
    seconds,
    warmSeconds: 3,
    seed: 1,
  });
  const { ranMs, waitedMs } = run.used.planes;
  const found = simulate(scenario(backgroundFor(ranMs / (ranMs + waitedMs), scenario)));
  const perSecond = (ms: number) => ms / 1_000 / run.seconds;
  const pairs: readonly [string, number, number][] = [
    ["calls a second", run.calls / run.seconds, found.perSecond],
    ["cores of the planes", perSecond(run.used.planesMs), found.cores.planes],
    ["cores of the database", perSecond(run.used.databaseMs), found.cores.database],
    [
      "cores of all",
      perSecond(run.used.planesMs + run.used.databaseMs + run.used.toolsMs + run.used.clientsMs),
      found.cores.planes + found.cores.database + found.cores.tools + found.cores.clients,
    ],
  ];
  return pairs.map(([figure, measured, simulated]) => ({
    planes: run.planes,
    work: textOf(run.work),
    figure,
    measured,
    simulated,
    percent: (simulated / measured - 1) * 100,
  }));
}

/** How many threads of others make a plane's thread wait for a core as long as it did. */
function backgroundFor(share: number, scenario: (background: number) => Scenario): number {
  let low = 0;
  let high = maxBackground;
  if (simulate(scenario(0)).runningShare <= share) return 0;
  for (let step = 0; step < steps; step += 1) {
    const middle = (low + high) / 2;
    if (simulate(scenario(middle)).runningShare > share) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}
