import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { createGrants } from "../../src/access/policy/grant.ts";
import { createHealth } from "../../src/catalogue/health/health.ts";
import { createRouting } from "../../src/catalogue/health/routing.ts";
import { createRegistry, type Registry } from "../../src/catalogue/registry.ts";
import { translateManifests } from "../../src/catalogue/sources/hand-written.ts";
import { type Translation, translateTools } from "../../src/catalogue/sources/mcp.ts";
import { createToolListings } from "../../src/catalogue/tool-listing.ts";
import { createApp } from "../../src/faces/http/app.ts";
import type { Plane } from "../../src/model/plane.ts";
import { trusted } from "../../src/model/principal.ts";
import { ServerDefinition } from "../../src/model/servers/server.ts";
import { type Bar, isMissed, median, renderBars, renderTable, showProgress } from "../report.ts";
import { listedTool, manifest } from "./sample-tools.ts";

const { values: flags } = parseArgs({
  options: { rounds: { type: "string", default: "25" }, json: { type: "boolean", default: false } },
});
setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;
const rounds = Number(flags.rounds);
const servers = 100;
const each = 100;
const all = servers * each;
const definition = ServerDefinition.parse({ command: "server", transport: "stdio" });

/** What a server lists, with one tool whose description says when; every text is its own, as from the wire. */
function listing(server: number, count: number, mark: string) {
  const listed = Array.from({ length: count }, (_, at) => listedTool(server, at));
  const last = { ...listedTool(server, count), description: mark };
  const name = `team-${server}`;
  return translateTools(
    name,
    definition,
    JSON.parse(JSON.stringify([...listed.slice(1), last])) as unknown[],
  );
}

/** Until the new catalogue can be read. What earlier rounds left behind is collected first. */
function timeSwap(registry: Registry, source: string, list: () => Translation): number {
  collect();
  const translation = list();
  const startedAt = performance.now();
  registry.setSource(source, translation);
  registry.snapshot();
  return performance.now() - startedAt;
}

function measureSwaps(): [name: string, ms: number][] {
  const registry = createRegistry(() => undefined);
  for (let server = 0; server < servers; server++)
    registry.setSource(`team-${server}`, listing(server, each, ""));
  const single = createRegistry(() => undefined);
  single.setSource("team-0", listing(0, all, ""));
  const times = { one: [] as number[], whole: [] as number[], same: [] as number[] };
  for (let round = 0; round < rounds; round++) {
    const mark = `${round}`;
    times.one.push(timeSwap(registry, "team-7", () => listing(7, each, mark)));
    times.whole.push(timeSwap(single, "team-0", () => listing(0, all, mark)));
    times.same.push(timeSwap(single, "team-0", () => listing(0, all, mark)));
    showProgress(round + 1, rounds, "swaps");
  }
  return [
    [`one of ${servers} servers lists a changed tool`, median(times.one)],
    [`one server of ${all} tools lists a changed tool`, median(times.whole)],
    [`one server of ${all} tools lists the same again`, median(times.same)],
  ];
}

const queries: [name: string, query: string][] = [
  ["nothing else", ""],
  ["persona", "persona=Atlas"],
  ["capability, twice", "capability=invoice&capability=level-0"],
  ["provider", "provider=openai"],
  ["version", "version=%5E1.2 || >=3"],
  ["success rate", "min_success_rate=0.8"],
  ["success rate and unused ones", "min_success_rate=80%25&include_unused=true"],
  ["side effects", "side_effects=none&side_effects=write"],
  ["safety level", "safety_level=high"],
  ["words", "q=calendar+team"],
  ["words that are nowhere", "q=unicorn"],
  ["the last page", `cursor=${Buffer.from("team99_list").toString("base64url")}`],
  [
    "all of them",
    "persona=Atlas&capability=invoice&provider=openai&version=>=1&side_effects=none&safety_level=low&q=team&min_success_rate=0.5&include_unused=true",
  ],
];

/** The discovery API over a catalogue alone: nothing is started, nothing is read from files. */
function createSampleApp() {
  const registry = createRegistry(() => undefined);
  const written = Array.from({ length: all }, (_, at) => ({
    manifest: manifest(Math.floor(at / each), at % each),
    source: "config",
  }));
  registry.setSource("config", translateManifests(written));
  const health = createHealth([]);
  const access = { servers: {}, personas: {}, compliance: null };
  const catalogue = createToolListings({
    registry,
    discover: async () => undefined,
    health: async () => health,
    routerState: createRouting().state,
    providerTrouble: () => null,
    showProvider: (provider) => provider,
    environment: {},
    grants: createGrants({ config: () => access, tool: () => undefined, isInToolset: () => false }),
    isOffered: () => true,
    impactOf: () => ({ impact: "unknown", because: "nothing tells what it does", known: false }),
    config: () => access,
  });
  const caller = trusted();
  const plane = { ...catalogue, identify: async () => caller, on: () => () => undefined };
  return createApp(plane as unknown as Plane, {
    host: "127.0.0.1",
    closing: new AbortController().signal,
  });
}

/** From the request to the last byte of the answer, in this process. */
async function measureQueries(): Promise<
  { name: string; ms: number; p95: number; total: number }[]
> {
  const app = createSampleApp();
  const ask = async (query: string) =>
    app.request(`http://127.0.0.1/tools?limit=100&${query}`, { headers: { host: "127.0.0.1" } });
  const results = [];
  for (const [at, [name, query]] of queries.entries()) {
    const { total, detail } = (await (await ask(query)).json()) as {
      total?: number;
      detail?: string;
    };
    if (total === undefined) throw new Error(`${name}: ${detail}`);
    const times: number[] = [];
    for (let round = 0; round < rounds * 4; round++) {
      const startedAt = performance.now();
      await (await ask(query)).arrayBuffer();
      times.push(performance.now() - startedAt);
    }
    times.sort((a, b) => a - b);
    results.push({
      name,
      total,
      ms: median(times),
      p95: times[Math.floor(times.length * 0.95)] ?? 0,
    });
    showProgress(at + 1, queries.length, "queries");
  }
  return results;
}

const swaps = measureSwaps();
const answers = await measureQueries();
const child = [join(import.meta.dirname, "memory.ts"), `${servers}`, `${each}`];
const { schemaBytes, beyondBytes } = JSON.parse(
  execFileSync(process.execPath, child, { encoding: "utf8" }),
) as {
  schemaBytes: number;
  beyondBytes: number;
};
const bars: Bar[] = [
  ...swaps.map(([name, value]) => ({ name, value, limit: 50, unit: "ms" })),
  {
    name: "slowest query, p50",
    value: Math.max(...answers.map(({ ms }) => ms)),
    limit: 5,
    unit: "ms",
  },
  { name: "memory a tool beyond its schema", value: beyondBytes, limit: 2048, unit: "bytes" },
];

if (flags.json)
  console.log(JSON.stringify({ rounds, swaps, answers, schemaBytes, beyondBytes, bars }, null, 2));
else {
  const rows = answers.map(({ name, total, ms, p95 }) => [
    name,
    `${total}`,
    ms.toFixed(2),
    p95.toFixed(2),
  ]);
  console.log(
    `${renderTable(["GET /tools?limit=100 and", "tools that match", "p50 ms", "p95 ms"], rows)}\n`,
  );
  console.log(`A schema takes ${Math.round(schemaBytes)} bytes.\n\n${renderBars(bars)}`);
}
if (bars.some(isMissed)) process.exitCode = 1;
