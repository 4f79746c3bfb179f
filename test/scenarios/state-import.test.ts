import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { hash } from "node:crypto";
import { statSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { test } from "node:test";
import { bundled } from "../../src/bundled.ts";
import { createPlane } from "../../src/index.ts";
import { openState } from "../../src/plane.ts";
import { type TemporaryDirectory, temporaryDirectory } from "../fixtures/start-server.ts";
import { processFixture as fixture, runCli, writeConfig } from "./support.ts";

const plane = new URL("../../src/plane.ts", import.meta.url).href;

/** Reads the export twice, as every import does, and is killed in the middle of the second time. */
const killed = `
  import { createReadStream } from "node:fs";
  import { createInterface } from "node:readline";
  import { openState } from ${JSON.stringify(plane)};
  const [, config, dataDirectory, file] = process.argv;
  let times = 0;
  async function* open() {
    times += 1;
    let lines = 0;
    for await (const line of createInterface({ input: createReadStream(file) })) {
      if (times === 2 && ++lines === 20) process.kill(process.pid, "SIGKILL");
      yield line;
    }
  }
  const state = await openState({ config, dataDirectory }, {});
  await state.importState(open);
`;

async function exported(directory: TemporaryDirectory, calls: number) {
  const config = await writeConfig(directory, { echo: fixture("echo") });
  {
    await using made = await createPlane({ config, dataDirectory: directory.file("first") });
    for (let at = 0; at < calls; at += 1) await made.call("echo.echo", { message: `${at}` });
  }
  const file = directory.file("state.jsonl");
  const { code, stderr } = await runCli([
    "state",
    "export",
    file,
    "--config",
    config,
    "--data-dir",
    directory.file("first"),
  ]);
  assert.equal(code, 0, stderr);
  return { config, file };
}

const rowsIn = async (config: string, dataDirectory: string) => {
  await using state = await openState({ config, dataDirectory }, bundled);
  return countRows(await Array.fromAsync(state.exportState()));
};

/** Without the versions, which opening a store writes. */
function countRows(lines: readonly string[]): number {
  const tables = lines.map((line) => JSON.parse(line).table);
  return tables.filter((table) => table !== undefined && table !== "store_versions").length;
}

/** All lines but the last, which only seals them. */
const linesIn = async (file: string) =>
  (await readFile(file, "utf8")).trimEnd().split("\n").slice(0, -1);

const lineOf = (table: string, lines: readonly string[]) =>
  lines.find((line) => line.includes(`"table":"${table}"`)) ?? assert.fail(`nothing of ${table}`);

/** As if they had been exported so. */
function sealed(lines: readonly string[]): string {
  const sealing = hash("sha256", `${lines.join("\n")}\n`);
  return `${[...lines, JSON.stringify({ hash: sealing })].join("\n")}\n`;
}

test("an import that is killed leaves nothing, and the next one brings everything once", async () => {
  await using directory = await temporaryDirectory();
  const { config, file } = await exported(directory, 20);
  assert.equal(statSync(file).mode & 0o077, 0, "no one else can read it");
  const second = directory.file("second");
  const { signal, stderr } = spawnSync(
    process.execPath,
    ["--input-type=module-typescript", "--eval", killed, config, second, file],
    { encoding: "utf8" },
  );
  assert.equal(signal, "SIGKILL", stderr);
  assert.equal(await rowsIn(config, second), 0);

  const place = ["--config", config, "--data-dir", second];
  assert.equal((await runCli(["state", "import", file, ...place])).code, 0);
  const rows = await rowsIn(config, second);
  assert.equal(rows, countRows((await readFile(file, "utf8")).trimEnd().split("\n")));
  const again = await runCli(["state", "import", file, ...place]);
  assert.equal(again.code, 2);
  assert.match(again.stderr, /has rows in '\w+' already/);
  assert.equal(await rowsIn(config, second), rows);
});

test("a row that the store refuses takes all the others with it", async () => {
  await using directory = await temporaryDirectory();
  const { config, file } = await exported(directory, 3);
  const lines = await linesIn(file);
  await writeFile(file, sealed([...lines, lineOf("calls", lines)]));
  const place = ["--config", config, "--data-dir", directory.file("second")];
  const { code, stderr } = await runCli(["state", "import", file, ...place]);
  assert.notEqual(code, 0, stderr);
  assert.equal(await rowsIn(config, directory.file("second")), 0);
});

test("an export of a plane that goes on working is of one moment", async () => {
  await using directory = await temporaryDirectory();
  const config = await writeConfig(directory, { echo: fixture("echo") });
  const first = directory.file("first");
  const second = directory.file("second");
  const lines: string[] = [];
  {
    await using working = await createPlane({ config, dataDirectory: first });
    for (const message of ["a", "b"]) await working.call("echo.echo", { message });
    await working.calls.list({});
    await using state = await openState({ config, dataDirectory: first }, bundled);
    for await (const line of state.exportState()) {
      lines.push(line);
      if (lines.length === 3) await working.call("echo.echo", { message: "while it is exported" });
      if (lines.length === 3) assert.equal((await working.calls.list({})).length, 3, "it goes on");
    }
  }
  const tables = lines.map((line) => (JSON.parse(line) as { table?: string }).table);
  assert.equal(tables.filter((table) => table === "calls").length, 2);
  await using state = await openState({ config, dataDirectory: second }, bundled);
  const told: number[] = [];
  async function* open() {
    yield* lines;
  }
  await state.importState(open, {
    onChecked: (rows) => told.push(rows),
    onRow: () => told.push(1),
  });
  assert.deepEqual([told[0], told.length - 1], [lines.length - 2, lines.length - 2]);
  await using other = await createPlane({ config, dataDirectory: second });
  assert.equal((await other.calls.verify()).ok, true);
});

test("what this version does not know is refused and named, and never left out without a word", async () => {
  await using directory = await temporaryDirectory();
  const { config, file } = await exported(directory, 1);
  const lines = await linesIn(file);
  const call = JSON.parse(lineOf("calls", lines)) as {
    table: string;
    row: Record<string, unknown>;
  };
  const withRow = (row: Record<string, unknown>) => [...lines, JSON.stringify({ ...call, row })];
  const cases: [lines: string[], said: RegExp][] = [
    [
      withRow({ ...call.row, mood: "good" }),
      /Line \d+ .*no column 'mood' in the table 'calls'.*update this installation/,
    ],
    [
      [...lines, JSON.stringify({ table: "moods", row: { id: 1 } })],
      /Line \d+ .*no table 'moods'.*update this installation/,
    ],
    [
      [JSON.stringify({ format: "toolplane-state", version: 2 }), ...lines.slice(1)],
      /Line 1 .*of version 2, and this installation knows 1.*update this installation/,
    ],
    [[JSON.stringify({ servers: {} })], /Line 1 .*not a state export.*'state export'/],
    [
      withRow({ ...call.row, record: { a: 1 } }),
      /Line \d+ .*it is not a table row.*export it again/,
    ],
  ];
  for (const [given, said] of cases) {
    await writeFile(file, sealed(given));
    const place = ["--config", config, "--data-dir", directory.file("second")];
    const { code, stderr } = await runCli(["state", "import", file, ...place]);
    assert.equal(code, 2, stderr);
    assert.match(stderr, said);
    assert.match(stderr, /Nothing was imported/);
    assert.equal(await rowsIn(config, directory.file("second")), 0);
  }
});

test("whatever characters a call had, its export can be imported again", async () => {
  await using directory = await temporaryDirectory();
  const config = await writeConfig(directory, { echo: fixture("echo") });
  const message = "a\u2028b\u2029c\r\nd\u{1f680}e\u0000f\u0085g\ufeffh";
  {
    await using made = await createPlane({ config, dataDirectory: directory.file("first") });
    await made.call("echo.echo", { message });
  }
  const files = [directory.file("one.jsonl"), directory.file("two.jsonl")] as const;
  const run = async (...words: string[]) => {
    const { code, stderr } = await runCli(["state", ...words, "--config", config]);
    assert.equal(code, 0, stderr);
  };
  await run("export", files[0], "--data-dir", directory.file("first"));
  await run("import", files[0], "--data-dir", directory.file("second"));
  await run("export", files[1], "--data-dir", directory.file("second"));
  assert.equal(await readFile(files[1], "utf8"), await readFile(files[0], "utf8"));
});
