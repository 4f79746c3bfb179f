import { mkdirSync, writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { dirname } from "node:path";
import { parseArgs } from "node:util";
import type { Era } from "./load/client.ts";
import type { Context, Mode } from "./measure.ts";
import { measureCalls } from "./modes/calls.ts";
import { measureColdStart } from "./modes/cold-start.ts";
import { measureFanOut } from "./modes/fan-out.ts";
import { measureHttpBehind } from "./modes/http-behind.ts";
import { measureManyTools } from "./modes/many-tools.ts";
import { measureMemory } from "./modes/memory.ts";
import { measureOneShot } from "./modes/one-shot.ts";
import { measurePace } from "./modes/pace.ts";
import { measureResults } from "./modes/results.ts";
import { measureStdioFront } from "./modes/stdio-front.ts";
import { rivalsIn } from "./peers/kinds.ts";
import { loadAverage } from "./peers/processes.ts";
import { loadProgram } from "./peers/program.ts";
import { isHeld, type Row, renderRows, short } from "./rows.ts";

/** Eras of servers and clients. Clients of today mostly speak the older one. */
type Pair = readonly [Era, Era];
const newer: Pair = ["modern", "legacy"];
const older: Pair = ["legacy", "legacy"];

/** The first pair of eras is the one of a quick run. */
const modes: Record<string, { measure: Mode; eras: readonly Pair[] }> = {
  calls: { measure: measureCalls, eras: [newer, older, ["modern", "modern"]] },
  results: { measure: measureResults, eras: [newer, older] },
  "fan-out": { measure: measureFanOut, eras: [newer, older] },
  "http-behind": { measure: measureHttpBehind, eras: [newer, older] },
  "stdio-front": { measure: measureStdioFront, eras: [newer, older] },
  "cold-start": { measure: measureColdStart, eras: [newer] },
  "one-shot": { measure: measureOneShot, eras: [newer] },
  "many-tools": { measure: measureManyTools, eras: [newer] },
  memory: { measure: measureMemory, eras: [newer] },
  pace: { measure: measurePace, eras: [newer] },
};

const { values: flags } = parseArgs({
  options: {
    mode: { type: "string", multiple: true },
    era: { type: "string" },
    client: { type: "string" },
    program: { type: "string", multiple: true },
    rivals: { type: "string" },
    quick: { type: "boolean", default: false },
    rounds: { type: "string" },
    slot: { type: "string" },
    "warm-up": { type: "string" },
    servers: { type: "string" },
    tools: { type: "string" },
    calls: { type: "string" },
    pace: { type: "string" },
    "pace-seconds": { type: "string" },
    json: { type: "boolean", default: false },
    out: { type: "string" },
  },
});

function parseEra(value: string | undefined): Era | undefined {
  if (value === undefined || value === "all") return undefined;
  if (value === "legacy" || value === "modern") return value;
  throw new Error(`--era and --client are legacy, modern or all, and not ${value}.`);
}

/** Those that the flags leave; in a quick run one, unless it is asked for all. */
function pairsOf(eras: readonly Pair[]): readonly Pair[] {
  const [era, client] = [parseEra(flags.era), parseEra(flags.client)];
  const left = eras.filter(
    (pair) => (era ?? pair[0]) === pair[0] && (client ?? pair[1]) === pair[1],
  );
  const pairs = left.length > 0 ? left : ([[era ?? "modern", client ?? "legacy"]] as const);
  return flags.quick && flags.era !== "all" ? pairs.slice(0, 1) : pairs;
}

function contextOf(programs: Context["programs"], era: Era, client: Era): Context {
  const { quick: isQuick, rounds, slot, rivals } = flags;
  return {
    programs,
    rivals: rivalsIn(rivals),
    rivalsDirectory: rivals,
    era,
    client,
    isQuick,
    rounds: Number(rounds ?? (isQuick ? 5 : 8)),
    slotMs: Number(slot ?? (isQuick ? 400 : 600)),
    warmUpCalls: Number(flags["warm-up"] ?? (isQuick ? 6_000 : 10_000)),
    servers: Number(flags.servers ?? 30),
    tools: Number(flags.tools ?? 5_000),
    memoryCalls: Number(flags.calls ?? 20_000),
    paceCalls: Number(flags.pace ?? (isQuick ? 20 : 100)),
    paceSeconds: Number(flags["pace-seconds"] ?? (isQuick ? 20 : 180)),
  };
}

const chosen = flags.mode ?? Object.keys(modes);
const unknown = chosen.filter((name) => !Object.hasOwn(modes, name));
if (unknown.length > 0) {
  console.error(`There is no mode ${unknown.join(", ")}. Modes: ${Object.keys(modes).join(", ")}.`);
  process.exit(2);
}
const programs = await Promise.all(
  (flags.program ?? [undefined]).map((place) => loadProgram(place)),
);

const facts = {
  at: new Date().toISOString(),
  node: process.version,
  cores: cpus().length,
  programs: programs.map(({ name }) => name),
  isQuick: flags.quick,
};
const rows: Row[] = [];
const failures: string[] = [];
/** After each measurement, so that nothing is lost when a later one fails. */
function save(): void {
  if (flags.out === undefined) return;
  mkdirSync(dirname(flags.out), { recursive: true });
  writeFileSync(flags.out, `${JSON.stringify({ facts, rows, failures }, null, 1)}\n`);
}

for (const name of chosen) {
  const { measure, eras } = modes[name] as (typeof modes)[string];
  for (const [era, client] of pairsOf(eras)) {
    const title = `${name}, ${era} servers, ${client} clients`;
    const startedAt = performance.now();
    try {
      const measured = await measure(contextOf(programs, era, client));
      rows.push(...measured.map((row) => ({ ...row, loadAverage: loadAverage() })));
    } catch (error) {
      failures.push(`${title}: ${error}`);
    }
    save();
    console.error(`${title}: ${short((performance.now() - startedAt) / 1_000)} s`);
  }
}

if (flags.json) console.log(JSON.stringify({ facts, rows, failures }));
else {
  console.log(renderRows(rows));
  console.log(
    `\nNode ${facts.node}, ${facts.cores} cores. The load average is that after the measurement.`,
  );
}
for (const failure of failures) console.error(failure);
const isMissed = ({ bar, measured }: Row) =>
  bar && measured.some((one) => one.isOurs && !isHeld(bar, one));
process.exitCode = failures.length > 0 || rows.some(isMissed) ? 1 : 0;
