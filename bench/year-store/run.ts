import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, statSync } from "node:fs";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { type Bar, isMissed, median, renderBars, renderTable } from "../report.ts";
import { callsPerDay, dayMs, generateYear, luckyPerson } from "./generate.ts";

const { values } = parseArgs({
  options: {
    records: { type: "string", default: "1000000" },
    /** A year at 100,000 calls a day. */
    full: { type: "boolean" },
    /** A directory to keep the store in, and to take it from again. */
    keep: { type: "string" },
    json: { type: "boolean" },
  },
});
const records = values.full ? 36_500_000 : Number(values.records);
const bin = fileURLToPath(new URL("../../src/bin.ts", import.meta.url));
const rounds = 5;
/** Reads all of it, in a thread of its own: as long as the disk needs. */
const wholeFile = "doctor, which checks the whole file";

type Row = { what: string; ms: number; stallMs: number | null };

async function startPlane(directory: string) {
  const config = join(directory, "toolplane.json");
  // The whole year is kept.
  await writeFile(config, JSON.stringify({ mcpServers: {}, calls: { keepDays: 0, maxBytes: 0 } }));
  const begun = performance.now();
  const words = [
    "serve",
    "--port",
    "0",
    "--json",
    "--print-pass",
    "--config",
    config,
    "--data-dir",
    directory,
  ];
  const child = spawn(process.execPath, [bin, ...words], { stdio: ["ignore", "pipe", "inherit"] });
  const [line] = (await once(child.stdout, "data")) as [Buffer];
  const { url, workbench } = JSON.parse(String(line)) as { url: string; workbench: string };
  const authorization = `Bearer ${workbench.split("#pass=")[1]}`;
  await fetch(`${url}/healthz?ready=true`);
  const startMs = performance.now() - begun;
  return {
    url,
    headers: { authorization },
    startMs,
    async stop() {
      child.kill();
      await once(child, "close");
    },
  };
}

type Running = Awaited<ReturnType<typeof startPlane>>;

/** The longest time that a probe had to wait meanwhile. */
function watchStalls({ url }: Running) {
  let worst = 0;
  let isOver = false;
  const watching = (async () => {
    while (!isOver) {
      const begun = performance.now();
      await (await fetch(`${url}/healthz`)).text();
      worst = Math.max(worst, performance.now() - begun);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  })();
  return async () => {
    isOver = true;
    await watching;
    return worst;
  };
}

async function time(plane: Running, what: string, path: string, repeat = rounds): Promise<Row> {
  const taken: number[] = [];
  const stop = watchStalls(plane);
  let failed: string | undefined;
  for (let round = 0; round < repeat && failed === undefined; round += 1) {
    const begun = performance.now();
    const response = await fetch(plane.url + path, { headers: plane.headers });
    const text = await response.text();
    taken.push(performance.now() - begun);
    if (!response.ok) failed = `${path}: ${response.status} ${text.slice(0, 300)}`;
  }
  const stallMs = await stop();
  if (failed !== undefined) throw new Error(failed);
  return { what, ms: median(taken), stallMs };
}

async function measure(directory: string): Promise<Row[]> {
  const empty = await mkdtemp(join(tmpdir(), "toolplane-bench-year-empty-"));
  const bare = await startPlane(empty);
  await bare.stop();
  await rm(empty, { recursive: true });
  const plane = await startPlane(directory);
  try {
    const since = new Date(Date.now() - dayMs).toISOString();
    const middle = records / callsPerDay / 2;
    const from = new Date(Date.now() - middle * dayMs).toISOString();
    const until = new Date(Date.now() - (middle - 1) * dayMs).toISOString();
    const rows: Row[] = [
      { what: "start, with an empty store", ms: bare.startMs, stallMs: null },
      { what: "start", ms: plane.startMs, stallMs: null },
    ];
    const asked: [string, string, number?][] = [
      ["calls list, 50", "/calls?limit=50"],
      ["of one tool", "/calls?limit=50&tool=server-3.tool-1"],
      ["of a tool that was never called", "/calls?limit=50&tool=none"],
      ["that were refused", "/calls?limit=50&status=refused"],
      ["of one person", "/calls?limit=50&user=person-7"],
      ["of one person, failed", "/calls?limit=50&user=person-7&status=failed"],
      ["of one person, failed: none of all", `/calls?limit=50&user=${luckyPerson}&status=failed`],
      ["of one tool, cancelled: none", "/calls?limit=50&tool=server-3.tool-1&status=cancelled"],
      ["of one person, cancelled: none", "/calls?limit=50&user=person-7&status=cancelled"],
      ["of one conversation", "/calls?limit=50&conversation=conversation-77"],
      ["series of an hour", "/calls/series?minutes=60"],
      ["series of a week, the first time", "/calls/series?minutes=10080&step=60", 1],
      ["series of a week", "/calls/series?minutes=10080&step=60"],
      ["summary of an hour", "/calls/summary?minutes=60"],
      ["summary of a week", "/calls/summary?minutes=10080"],
      ["stats", "/stats"],
      ["audit verify, the last day", `/audit/verify?since=${since}`, 1],
      ["audit verify, a day in the middle", `/audit/verify?since=${from}&until=${until}`, 1],
      [wholeFile, "/doctor", 1],
    ];
    for (const [what, path, repeat] of asked) rows.push(await time(plane, what, path, repeat));
    return rows;
  } finally {
    await plane.stop();
  }
}

const directory = values.keep ?? (await mkdtemp(join(tmpdir(), "toolplane-bench-year-")));
await mkdir(directory, { recursive: true });
const file = join(directory, "toolplane.db");
try {
  const begun = performance.now();
  if (!existsSync(file)) await generateYear(file, records);
  const generatedMs = performance.now() - begun;
  const rows = await measure(directory);
  const bars: Bar[] = rows.flatMap(({ what, ms }) =>
    what === wholeFile
      ? []
      : { name: what, value: ms / 1_000, limit: what.includes("verify") ? 10 : 5, unit: "s" },
  );
  const bytes = statSync(file).size;
  if (values.json) console.log(JSON.stringify({ records, bytes, generatedMs, rows, bars }));
  else {
    console.log(
      `${records} records, ${(bytes / 1e9).toFixed(2)} GB, generated in ${(generatedMs / 1_000).toFixed(0)} s\n`,
    );
    const show = (ms: number | null) => (ms === null ? "" : ms.toFixed(ms < 10 ? 1 : 0));
    console.log(
      renderTable(
        ["what", "ms", "longest stall, ms"],
        rows.map(({ what, ms, stallMs }) => [what, show(ms), show(stallMs)]),
      ),
    );
    const missed = bars.filter(isMissed);
    if (missed.length > 0) console.log(`\n${renderBars(missed)}`);
  }
  process.exitCode = bars.some(isMissed) ? 1 : 0;
} finally {
  if (values.keep === undefined) await rm(directory, { recursive: true });
}
