import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { join } from "node:path";
import { test } from "node:test";
import { packed } from "./fixtures/bundled.ts";

type Row = {
  load: string;
  figure: string;
  measured: { through: string; isOurs: boolean; value: number }[];
};
type Report = { rows: Row[]; failures: string[] };

const run = join(import.meta.dirname, "..", "bench", "gateway", "run.ts");
const program = packed === undefined ? [] : ["--program", `ours=${join(packed, "package")}`];
/** As little of everything as still goes through every line. */
const little = [
  "--rounds=1",
  "--slot=20",
  "--warm-up=10",
  "--calls=50",
  "--servers=2",
  "--tools=20",
  "--pace=2",
];

function measure(words: readonly string[]): Promise<Report> {
  const options = [...program, ...little, "--pace-seconds=0", "--quick", "--json", ...words];
  return new Promise((resolve, reject) => {
    // It ends with 1 where a bar is missed, as most are after so few calls.
    execFile(
      process.execPath,
      [run, ...options],
      { maxBuffer: 2 ** 26 },
      (error, stdout, stderr) => {
        if (stdout === "") reject(error ?? new Error(stderr));
        else resolve(JSON.parse(stdout));
      },
    );
  });
}

// It reads what processes use from /proc.
const skip = process.platform !== "linux";

test("the benchmark of the gateway measures ours and a base in every mode", { skip }, async () => {
  const { rows, failures } = await measure([]);
  assert.deepEqual(failures, []);
  const loads = new Set(rows.map(({ load }) => load));
  assert.equal(loads.size, 12, [...loads].join("; "));
  for (const { load, figure, measured } of rows) {
    assert.ok(measured.some(({ isOurs }) => isOurs) && measured.length > 1, `${load}, ${figure}`);
    // Memory may shrink.
    const wrong = measured.filter(
      ({ value }) => !Number.isFinite(value) || (value <= 0 && !figure.startsWith("growth")),
    );
    assert.deepEqual(wrong, [], `${load}, ${figure}`);
  }
});

test("the benchmark of the gateway measures servers and clients of either era", {
  skip,
}, async () => {
  const older = await measure([
    "--mode=calls",
    "--mode=http-behind",
    "--mode=stdio-front",
    "--era=legacy",
  ]);
  const newer = await measure(["--mode=calls", "--era=modern", "--client=modern"]);
  assert.deepEqual([...older.failures, ...newer.failures], []);
  assert.ok(older.rows.every(({ load }) => load.endsWith("legacy servers")));
  assert.ok(newer.rows.every(({ load }) => load.endsWith("modern servers, modern clients")));
});
