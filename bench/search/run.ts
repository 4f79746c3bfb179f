import { existsSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { createSearch } from "../../packages/search/src/tool-search.ts";
import { type Bar, isMissed, renderBars, renderTable, showProgress } from "../report.ts";
import { type DataSet, loadSet, resize, setNames } from "./data-sets.ts";
import {
  type Build,
  type Cost,
  intervalOf,
  judge,
  meanOf,
  measure,
  type Quality,
} from "./measure.ts";
import { build as plainBm25 } from "./plain-bm25.ts";
import { build as ours } from "./product.ts";
import { build as seedScoring } from "./seed-scoring.ts";
import { toTools } from "./to-tools.ts";

const shared = join(import.meta.dirname, "../../../shared");
const { values } = parseArgs({
  options: {
    data: { type: "string", default: join(shared, "data/tool-search") },
    reference: { type: "string", default: join(shared, "bench/tool-search/baselines/bm25f.mjs") },
    scale: { type: "string", default: "100,1000,10000,50000" },
    json: { type: "boolean", default: false },
  },
});

const methods: Record<string, Build> = {
  toolplane: ours,
  "seed 002": seedScoring,
  "plain BM25": plainBm25,
};
if (existsSync(values.reference)) {
  methods.reference = (await import(pathToFileURL(values.reference).href)).build as Build;
}

const costHead = ["build ms", "heap MB", "p50 ms", "p99 ms"];

type Row = { set: string; method: string; cost: Cost } & Quality;
const rows: Row[] = [];
const bars: Bar[] = [];

const sets = setNames.map((name) => loadSet(values.data, name));
for (const [at, set] of sets.entries()) {
  showProgress(at, sets.length, "sets");
  const judged = new Map<string, Quality[]>();
  for (const [method, build] of Object.entries(methods)) {
    const measured = await measure(build, set.tools, set.queries);
    judged.set(method, measured.judged);
    rows.push({ set: set.name, method, ...meanQuality(measured.judged), cost: measured.cost });
  }
  const reference = judged.get("reference");
  if (reference) bars.push(againstReference(set.name, judged.get("toolplane") ?? [], reference));
}
for (const set of sets.filter(({ name }) => name === "livemcp" || name === "mcp-big")) {
  bars.push(...withServer(set), exactNames(set));
}
const scale = await scaleUp(sets.find(({ name }) => name === "mcp-big") as DataSet);
showProgress(1, 1, "sets");

if (values.json) console.log(JSON.stringify({ rows, scale, bars }));
else {
  console.log(renderRows(rows));
  console.log(`\n${renderScale(scale)}`);
  console.log(`\n${renderBars(bars)}`);
}
process.exitCode = bars.some(isMissed) ? 1 : 0;

function meanQuality(judged: readonly Quality[]): Quality {
  const mean = (key: keyof Quality) => meanOf(judged.map((one) => one[key]));
  const recall1 = mean("recall1");
  const recall5 = mean("recall5");
  const recall10 = mean("recall10");
  return { recall1, recall5, recall10, ndcg5: mean("ndcg5"), mrr: mean("mrr") };
}

/** Query by query; what counts is whether it is worse beyond chance. */
function againstReference(
  set: string,
  own: readonly Quality[],
  reference: readonly Quality[],
): Bar {
  const gaps = own.map(({ recall5 }, at) => recall5 - (reference[at]?.recall5 ?? 0));
  const [low, high] = intervalOf(gaps);
  const shown = [meanOf(gaps), low, high].map((value) => (value * 100).toFixed(1));
  const name = `${set}: recall@5 surely below the reference (${shown[0]} points, 95 % ${shown[1]} to ${shown[2]})`;
  return { name, value: Math.max(0, -high * 100), limit: 0, unit: "points" };
}

/** Agent queries whose tools are all on one server, and that name it. */
function withServer({ name, tools: samples, queries }: DataSet): Bar[] {
  const { tools, idOf, serverText } = toTools(samples);
  const search = createSearch();
  search.update(tools, serverText);
  const serverOf = new Map(samples.map(({ id, server }) => [id, server]));
  const recalls = queries.flatMap((query) => {
    const [server, ...others] = new Set(query.gold.map((id) => serverOf.get(id)));
    if (query.kind !== "agent" || server === undefined || others.length > 0) return [];
    const hits = search.rank(query.query, tools, 5, { server });
    return judge(
      query,
      hits.map(({ tool }) => idOf.get(tool) ?? ""),
    ).recall5;
  });
  const value = (1 - meanOf(recalls)) * 100;
  return [
    {
      name: `${name}: needs of agent queries missed, given the server`,
      value,
      limit: 5,
      unit: "%",
    },
  ];
}

function exactNames({ name, tools: samples }: DataSet): Bar {
  const { tools, serverText } = toTools(samples);
  const search = createSearch();
  search.update(tools, serverText);
  const missed = tools.filter(
    (tool) => search.rank(tool.name, tools, 1)[0]?.tool.name !== tool.name,
  );
  return {
    name: `${name}: tools not first when asked for by name`,
    value: missed.length,
    limit: 0,
    unit: "",
  };
}

type Scale = { tools: number; method: string; cost: Cost };

async function scaleUp({ tools, queries }: DataSet): Promise<Scale[]> {
  const measured: Scale[] = [];
  const asked = Array.from({ length: 5 }, () => queries).flat();
  for (const size of values.scale.split(",").map(Number)) {
    const some = resize(tools, size);
    for (const method of ["toolplane", "reference"]) {
      const build = methods[method];
      if (build)
        measured.push({ tools: size, method, cost: (await measure(build, some, asked)).cost });
    }
    const [own, reference] = measured.filter((one) => one.tools === size).map(({ cost }) => cost);
    if (size === 10_000 && own)
      bars.push({ name: "10,000 tools: p99", value: own.p99, limit: 2, unit: "ms" });
    if (size === 50_000 && own)
      bars.push({ name: "50,000 tools: p50", value: own.p50, limit: 3, unit: "ms" });
    if (size >= 10_000 && own && reference) {
      const value = own.buildMs / reference.buildMs;
      bars.push({
        name: `${size} tools: building, times the reference`,
        value,
        limit: 1,
        unit: "",
      });
    }
  }
  return measured;
}

function renderRows(all: readonly Row[]): string {
  const head = ["set", "method", "R@1", "R@5", "R@10", "nDCG@5", "MRR", ...costHead];
  return renderTable(
    head,
    all.map((row) => [
      row.set,
      row.method,
      ...[row.recall1, row.recall5, row.recall10, row.ndcg5, row.mrr].map((value) =>
        value.toFixed(3),
      ),
      ...renderCost(row.cost),
    ]),
  );
}

function renderScale(all: readonly Scale[]): string {
  return renderTable(
    ["tools", "method", ...costHead],
    all.map(({ tools, method, cost }) => [String(tools), method, ...renderCost(cost)]),
  );
}

function renderCost({ buildMs, heapMb, p50, p99 }: Cost): string[] {
  return [buildMs.toFixed(0), heapMb.toFixed(1), p50.toFixed(2), p99.toFixed(2)];
}
