import { parseArgs } from "node:util";
import { openWorld } from "../../test/workbench/browser.ts";
import { type Bar, isMissed, median, renderBars, renderTable, showProgress } from "../report.ts";
import { measureKeyWork } from "./key-work.ts";
import { measureLargeResults } from "./large-results.ts";
import {
  measureApprovals,
  measureKeys,
  measurePaint,
  measureScripts,
  measureScrolling,
} from "./measures.ts";
import { openLargeWorld } from "./world.ts";

const { values: flags } = parseArgs({
  options: {
    tools: { type: "string", default: "10000" },
    keys: { type: "string", default: "100" },
    json: { type: "boolean", default: false },
  },
});
const tools = Number(flags.tools);
const visits = 5;
const scrollMs = 6_000;
const approvals = 20;

function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

/** From the command to the page of a plane without servers, the start of a browser included. */
async function measureFromStart(): Promise<number> {
  const startedAt = Date.now();
  await using world = await openWorld({});
  const context = await world.browser.newContext();
  const page = await context.newPage();
  await page.goto(`${world.url}/workbench/`);
  await page.waitForSelector("main h1");
  return Date.now() - startedAt;
}

const steps = 8;
let done = 0;
const step = async <T>(measured: Promise<T>): Promise<T> => {
  const result = await measured;
  done += 1;
  showProgress(done, steps, "measures");
  return result;
};

const fromStart = await step(measureFromStart());
const pauses = await step(measureLargeResults());
await using world = await openLargeWorld(tools);
const paints = [];
for (let visit = 0; visit < visits; visit += 1) paints.push(await measurePaint(world));
await step(Promise.resolve());
const scripts = await step(measureScripts(world));
const keys = await step(measureKeys(world, Number(flags.keys)));
const work = await step(measureKeyWork(world, Number(flags.keys)));
const frames = await step(measureScrolling(world, scrollMs));
const answered = await step(measureApprovals(world, approvals));

const times: [name: string, values: number[]][] = [
  ["first visit: anything is shown", paints.map(({ contentful }) => contentful)],
  ["first visit: the page is shown", paints.map(({ titled }) => titled)],
  ["first visit: its servers are shown", paints.map(({ filled }) => filled)],
  ["a key until its results are shown", keys.times],
  ["beside it, a request for nothing until a frame is shown", keys.floor],
  ["a frame while scrolling", frames],
  ["a call until it is shown", answered.map(({ visible }) => visible)],
  [
    "a click on Approve until the caller has the answer",
    answered.map(({ continues }) => continues),
  ],
  ["the longest pause of the page for a result of 10 MB", pauses.map(({ longestMs }) => longestMs)],
  ["processor time of a key, page and plane", work.page.map((ms) => ms + work.plane)],
];
const measured = times.map(([name, values]) => ({
  name,
  p50: median(values),
  p95: quantile(values, 0.95),
  most: Math.max(...values),
}));
const of = (at: number) => measured[at] ?? { p50: Number.NaN, p95: Number.NaN, most: Number.NaN };
const bars: Bar[] = [
  { name: "first meaningful paint, cold", value: of(2).p50, limit: 1_000, unit: "ms" },
  {
    name: "JavaScript of the first page",
    value: scripts.untilTitled / 1_000,
    limit: 160,
    unit: "kB gzip",
  },
  { name: "key to results, p95", value: of(3).p95, limit: 50, unit: "ms" },
  { name: "longest frame while scrolling", value: of(5).most, limit: 100, unit: "ms" },
  { name: "call to visible, p95", value: of(6).p95, limit: 300, unit: "ms" },
  { name: "click to answer, p95", value: of(7).p95, limit: 300, unit: "ms" },
  { name: "longest pause for a result of 10 MB", value: of(8).p50, limit: 100, unit: "ms" },
  { name: "processor time of a key, p95", value: of(9).p95, limit: 50, unit: "ms" },
];

if (flags.json) console.log(JSON.stringify({ tools, fromStart, scripts, measured, bars }, null, 2));
else {
  const rows = measured.map(({ name, ...numbers }) => [
    name,
    ...Object.values(numbers).map((ms) => ms.toFixed(0)),
  ]);
  console.log(`${renderTable([`${tools} tools`, "p50 ms", "p95 ms", "longest ms"], rows)}\n`);
  console.log(`From 'serve' and a browser that start to the first page: ${fromStart} ms.`);
  console.log(
    `JavaScript until its servers are shown: ${(scripts.untilFilled / 1_000).toFixed(0)} kB gzip.\n`,
  );
  console.log(renderBars(bars));
}
if (bars.some(isMissed)) process.exitCode = 1;
