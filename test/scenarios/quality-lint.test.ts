import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { after, before, suite, test } from "node:test";
import type { QualityReport } from "../../src/model/catalogue/quality-schema.ts";
import { type TemporaryDirectory, temporaryDirectory } from "../fixtures/start-server.ts";
import { rogue } from "./rogue/rogue.ts";
import { fixture, runCli, writeConfig } from "./support.ts";

const text = { type: "string" };
const tools = [
  {
    name: "bareOne",
    inputSchema: { type: "object", properties: { a: text, b: text, c: text, d: text } },
  },
  {
    name: "read_file",
    description: "Reads a file of the project, e.g. README.md.",
    inputSchema: { type: "object" },
  },
  {
    name: "undocumented",
    description: "Sends a message to a member of the team.",
    inputSchema: { type: "object", properties: { to: text }, required: ["to"] },
  },
];

suite("tools lint", () => {
  let directory: TemporaryDirectory;
  let place: string[];
  before(async () => {
    directory = await temporaryDirectory();
    const file = directory.file("listings.json");
    await writeFile(file, JSON.stringify([tools]));
    const config = await writeConfig(directory, { s: fixture("scripted-list", ["--tools", file]) });
    place = ["--config", config, "--data-dir", directory.file("data")];
  });
  after(() => directory[Symbol.asyncDispose]());
  const lint = (...args: string[]) => runCli(["tools", "lint", ...args, ...place]);

  test("tells what is wrong with the schemas and names that servers really have, worst first", async () => {
    const { code, json } = await lint("--json");
    const { total, passed, threshold, tools: scored } = json() as unknown as QualityReport;
    assert.deepEqual([total, passed, threshold, code], [3, 2, 40, 1]);
    assert.deepEqual(
      scored.map(({ name, score, checks }) => [name, score, checks.map(({ check }) => check)]),
      [
        [
          "s.bareOne",
          30,
          ["no_description", "undocumented_properties", "no_required", "name_style"],
        ],
        ["s.undocumented", 95, ["undocumented_properties"]],
        ["s.read_file", 100, []],
      ],
    );
  });

  test("exits with 0 when all pass, and takes another threshold", async () => {
    assert.equal((await lint("--threshold", "30")).code, 0);
    assert.equal((await lint("--threshold", "96", "--json")).json().passed, 1);
    const wrong = await lint("--threshold", "good");
    assert.equal(wrong.code, 2);
    assert.match(wrong.stderr, /--threshold cannot be 'good': give a number from 0 to 100/);
    const nowhere = await lint("--server", "nowhere");
    assert.equal(nowhere.code, 2);
  });

  test("fails what is quarantined or hides something, however well it is described", async () => {
    await using other = await temporaryDirectory();
    const config = await writeConfig(other, { poison: rogue("poisoned-description") });
    const there = ["--config", config, "--data-dir", other.file("data")];
    const { code, json } = await runCli(["tools", "lint", "--json", ...there]);
    const { passed, tools: scored } = json() as unknown as QualityReport;
    assert.deepEqual([code, passed], [1, 1]);
    assert.deepEqual(
      scored.filter((tool) => tool.passed).map(({ name }) => name),
      ["poison.clean"],
    );
    assert.equal((await runCli(["tools", "lint", "--fail-on", "none", ...there])).code, 0);
    const wrong = await runCli(["tools", "lint", "--fail-on", "worst", ...there]);
    assert.equal(wrong.code, 2);
    assert.match(wrong.stderr, /--fail-on cannot be 'worst': give one of low, medium, high, none/);
  });

  test("a tool that a person has disabled is judged by its definition", async () => {
    await using other = await temporaryDirectory();
    const overlays = { "echo.echo": { enabled: false } };
    const config = await writeConfig(other, { echo: fixture("echo") }, { overlays });
    const there = ["--config", config, "--data-dir", other.file("data")];
    const { tools: scored } = (
      await runCli(["tools", "lint", "--json", ...there])
    ).json() as unknown as QualityReport;
    const { held, passed, score } =
      scored.find(({ name }) => name === "echo.echo") ?? assert.fail();
    assert.deepEqual([held, passed], [null, true], `score ${score}`);
  });

  test("asks for examples only when it has to", async () => {
    const { tools: scored } = (
      await lint("--require-examples", "--json")
    ).json() as unknown as QualityReport;
    const lacking = scored.filter(({ checks }) =>
      checks.some(({ check }) => check === "no_examples"),
    );
    assert.deepEqual(lacking.map(({ name }) => name).sort(), ["s.bareOne", "s.undocumented"]);
  });

  test("is readable for people, with what to do", async () => {
    const { stdout } = await lint();
    assert.match(stdout, /^ 30 {2}s\.bareOne\n +−40 {2}It has no description/);
    assert.match(stdout, /Describe 'a', 'b', 'c', 'd'\./);
    assert.match(stdout, /Call it 'bare_one'\./);
    assert.match(
      stdout,
      /2\/3 passed: a score of at least 40, not quarantined, nothing found that is high\.\n$/,
    );
  });

  test("is part of the list when that is asked for", async () => {
    const { stdout } = await runCli(["tools", "list", "--quality", ...place]);
    assert.match(stdout, /TOOL +SCORE +ISSUES\n/);
    assert.match(stdout, /s\.bareOne +30 ✖ +no_description, undocumented_properties/);
    const { tools: listed } = (
      await runCli(["tools", "list", "--quality", "--json", ...place])
    ).json();
    const scores = (listed as { name: string; quality: { score: number } }[]).map(
      ({ quality }) => quality.score,
    );
    assert.deepEqual(scores, [30, 100, 95]);
  });
});
