import { loadavg } from "node:os";
import { parseArgs } from "node:util";
import { packForTests } from "../../scripts/pack-for-tests.ts";
import { firstThreadMs } from "../replicas/processor.ts";
import { type Bar, isMissed, renderBars, renderTable } from "../report.ts";
import { dropDay } from "./day.ts";
import { callAndList, lists, ownList } from "./load.ts";
import { verifyDay } from "./verify.ts";
import { watchLocks } from "./waits.ts";

const { values } = parseArgs({
  options: {
    planes: { type: "string", default: "2" },
    "per-second": { type: "string", default: "500" },
    seconds: { type: "string", default: "20" },
    rows: { type: "string", default: "5000000" },
    chain: { type: "string", default: "1000000" },
    json: { type: "boolean", default: false },
  },
});
// As it is shipped. What starts planes looks for it when it is loaded.
process.env.TOOLPLANE_TEST_PACKAGE ??= await packForTests();
const { startWorld } = await import("../replicas/world.ts");
const warmSeconds = 3;

function p95(numbers: readonly number[]): number {
  return (
    [...numbers].sort((one, other) => one - other)[Math.floor(numbers.length * 0.95)] ?? Number.NaN
  );
}

function middle(numbers: readonly number[]): string {
  const sorted = [...numbers].sort((one, other) => one - other);
  return (sorted[Math.floor(sorted.length / 2)] ?? Number.NaN).toFixed(0);
}

async function underLoad(perSecond: number, seconds: number) {
  await using world = await startWorld({ count: Number(values.planes) });
  const planes = world.replicas.map((replica) => ({ port: replica.port(), key: world.door.key }));
  const made = await world.ask(
    "keys",
    "create",
    "reader",
    "--user",
    "reader",
    "--scope",
    "*",
    "--json",
  );
  const { secret: readerKey } = JSON.parse(made) as { secret: string };
  const load = { perSecond, listsPerSecond: 5, readerKey };
  await callAndList(planes, { ...load, seconds: warmSeconds });
  const watch = await watchLocks(world.postgres.address(world.schema).replace(/\?.*/, ""));
  const threads = () => world.replicas.map((replica) => firstThreadMs(replica.pid()));
  const before = threads();
  const loaded = await callAndList(planes, { ...load, seconds });
  const after = threads();
  const share = (of: "ranMs" | "waitedMs") =>
    Math.max(...after.map((now, at) => now[of] - (before[at]?.[of] ?? 0))) / (10 * seconds);
  return { ...loaded, ran: share("ranMs"), waited: share("waitedMs"), waits: await watch.stop() };
}

const seconds = Number(values.seconds);
const rows = Number(values.rows);
const before = loadavg()[0] ?? 0;
const loaded = seconds > 0 ? await underLoad(Number(values["per-second"]), seconds) : null;
const day = rows > 0 ? await dropDay(rows) : null;
const chain = Number(values.chain) > 0 ? await verifyDay(Number(values.chain)) : null;
const bars: Bar[] = [];
const facts: [string, string][] = [["load of the machine before", before.toFixed(1)]];
if (loaded) {
  const locked = Object.values(loaded.waits.locks).reduce((sum, count) => sum + count, 0);
  bars.push({
    name: "GET /calls, p95",
    value: p95(loaded.listMs["GET /calls"] ?? []),
    limit: 100,
    unit: "ms",
  });
  bars.push({ name: "calls that failed", value: loaded.failed, limit: 0, unit: "" });
  bars.push({
    name: "samples with a wait for a lock",
    value: (100 * locked) / loaded.waits.samples,
    limit: 0,
    unit: "%",
  });
  facts.push(["calls a second", loaded.perSecond.toFixed(0)]);
  for (const name of [...Object.keys(lists), ownList]) {
    const times = loaded.listMs[name] ?? [];
    facts.push([
      `${name}: how many, median, p95`,
      `${times.length}, ${middle(times)} ms, ${p95(times).toFixed(0)} ms`,
    ]);
  }
  facts.push([
    "busiest plane: its first thread ran, and waited for a core",
    `${[loaded.ran, loaded.waited].map(Math.round).join(" %, ")} %`,
  ]);
  facts.push(["samples of locks", String(loaded.waits.samples)]);
  for (const [what, count] of Object.entries(loaded.waits.locks))
    facts.push([`waited for ${what}`, String(count)]);
}
if (day) {
  bars.push({
    name: `to drop a day of ${day.rows} calls`,
    value: day.dropMs / 1_000,
    limit: 1,
    unit: "s",
  });
  facts.push(["size of that day", `${(day.bytes / 1e9).toFixed(1)} GB`]);
  facts.push(["to give its space back afterwards", `${(day.freeMs / 1_000).toFixed(1)} s`]);
  facts.push(["longest batch of another plane meanwhile", `${day.waitedMs.toFixed(0)} ms`]);
}
if (chain) {
  const { records, planeMs, databaseMs, ms } = chain;
  const name = `processor to verify a day among ${chain.rows} calls`;
  bars.push({ name, value: (planeMs + databaseMs) / 1_000, limit: 5, unit: "s" });
  facts.push(["calls of the verified day", String(records)]);
  facts.push([
    "time for it, in the plane and in the database",
    [ms, planeMs, databaseMs].map(Math.round).join(", "),
  ]);
}
if (values.json) process.stdout.write(`${JSON.stringify({ facts, bars })}\n`);
else process.stdout.write(`${renderTable(["fact", "value"], facts)}\n\n${renderBars(bars)}\n`);
process.exitCode = bars.some(isMissed) ? 1 : 0;
