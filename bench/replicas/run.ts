import { writeFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { packForTests } from "../../scripts/pack-for-tests.ts";
import { type Bar, isMissed, renderBars, renderTable } from "../report.ts";
import type { Scaled } from "./scaling.ts";

const { values } = parseArgs({
  options: {
    seconds: { type: "string", default: "60" },
    clients: { type: "string", default: "64" },
    "kill-every": { type: "string", default: "10" },
    /** Seconds for which the database is unreachable, in the middle. */
    outage: { type: "string", default: "0" },
    "scaling-seconds": { type: "string", default: "10" },
    rounds: { type: "string", default: "3" },
    /** A file for everything that went wrong, line by line. */
    notes: { type: "string" },
    json: { type: "boolean", default: false },
  },
});
// As it is shipped, and as it was when this began. What starts planes looks for it when it is loaded.
process.env.TOOLPLANE_TEST_PACKAGE ??= await packForTests();
const { barsOf, factsOf, underKills } = await import("./kills.ts");
const { measureScaling } = await import("./scaling.ts");
/** Calls a second for each plane: a load that two cores can carry beside clients and database. */
const perSecond = 50;

async function kill() {
  const killed = await underKills({
    seconds: Number(values.seconds),
    clients: Number(values.clients),
    killEveryMs: Number(values["kill-every"]) * 1_000,
    outageMs: Number(values.outage) * 1_000,
  });
  const { told, unexplained, cutOff, jobs, chain, said } = killed;
  const notes = [chain, ...unexplained, ...cutOff, jobs, ...said, ...told.killed];
  const lines = notes.map((one) => `${JSON.stringify(one)}\n`).join("");
  if (values.notes !== undefined) await writeFile(values.notes, lines);
  if (barsOf(killed).some(isMissed)) process.stderr.write(lines);
  return { facts: { seconds: values.seconds, ...factsOf(killed) }, bars: barsOf(killed) };
}

/** Nothing is done twice because there are two, and neither waits for the other. */
function scalingBars([one, two]: readonly Scaled[]): Bar[] {
  if (!one || !two) return [];
  return [
    {
      name: "processor for a call, two planes",
      value: two.planeMs / one.planeMs,
      limit: 1.05,
      unit: "× one",
    },
    {
      name: "processor of the database for a call, two planes",
      value: two.databaseMs / one.databaseMs,
      limit: 1.05,
      unit: "× one",
    },
    {
      name: "time for a call, two planes",
      value: one.perSecond / two.perSecond,
      limit: 1 / 1.6,
      unit: "× one",
    },
  ];
}

const seconds = Number(values["scaling-seconds"]);
const killed = Number(values.seconds) > 0 ? await kill() : { facts: {}, bars: [] };
const scaled =
  seconds > 0 ? await measureScaling({ perSecond, seconds, rounds: Number(values.rounds) }) : [];
const { facts } = killed;
const bars = [...killed.bars, ...scalingBars(scaled)];
if (values.json) process.stdout.write(`${JSON.stringify({ facts, bars, scaled })}\n`);
else {
  const shown = Object.entries(facts).map(([name, value]) => [name, String(value)]);
  const rates = scaled.map((one) => [
    String(one.replicas),
    one.planeMs.toFixed(2),
    one.databaseMs.toFixed(2),
    one.perSecond.toFixed(0),
  ]);
  const head = [
    "replicas",
    "ms of planes a call",
    "ms of database a call",
    "calls a second of a slow tool",
  ];
  const texts = [renderTable(["fact", "value"], shown), renderBars(bars), renderTable(head, rates)];
  process.stdout.write(`${texts.join("\n\n")}\n`);
}
process.exitCode = bars.some(isMissed) ? 1 : 0;
