import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { suite, test } from "node:test";
import { hangMs } from "../fixtures/patience.ts";
import {
  fixtureEnvironment,
  type TemporaryDirectory,
  temporaryDirectory,
} from "../fixtures/start-server.ts";
import { commandIn, type PlannedStep, planeThatSays, plannedIn } from "./planning.ts";
import { callsAt, namedServer, processFixture, runCli, writeConfig } from "./support.ts";

const awkward = `it's "quoted"\n$(touch hacked) \`touch hacked\` \\ -n ~ * ! é 😀 \u2028 '; touch hacked; '`;
const steps: PlannedStep[] = [
  { tool: "echo_echo", arguments: { message: awkward }, why: "x\ntouch hacked" },
  {
    tool: "echo_echo_all",
    arguments: { "a b'c": [1, null, { d: "--args" }], "-n": "-e" },
    why: "$(touch hacked)",
  },
  { tool: "dots_x.y-z", arguments: {}, why: "`touch hacked`", dependsOn: [1, 2] },
];

type Ran = { code: number; stdout: string; stderr: string };

/** A script in a real shell, with a `toolplane` of this checkout on its path. */
async function bash(
  directory: TemporaryDirectory,
  config: string,
  words: string[],
  more: object = {},
): Promise<Ran> {
  const path = await commandIn(directory, config);
  const env = { ...fixtureEnvironment(), PATH: `${path}:${process.env.PATH}`, ...more };
  return new Promise((resolve) => {
    execFile(
      "bash",
      words,
      { cwd: directory.path, env, timeout: hangMs },
      (error, stdout, stderr) =>
        resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr }),
    );
  });
}

/** The script of these steps, and a configuration that it runs with. */
async function scripted(directory: TemporaryDirectory, planned: PlannedStep[]) {
  const log = directory.file("echo.log");
  const servers = {
    echo: processFixture("echo", ["--log", log]),
    dots: namedServer("dots", ["x.y-z"]),
  };
  await using plane = await planeThatSays(JSON.stringify({ steps: planned }), servers);
  const task = `-n ${awkward}`;
  const { script } = plannedIn(await plane.call("planner.plan_with_tools", { task }));
  await writeFile(directory.file("plan.sh"), script);
  return { log, config: await writeConfig(directory, servers), file: directory.file("plan.sh") };
}

suite("what a planner writes can be run", { concurrency: 2 }, () => {
  test("bash makes exactly the planned calls, and nothing in them is a command", async () => {
    await using directory = await temporaryDirectory();
    const { log, config, file } = await scripted(directory, steps);
    const { code, stdout, stderr } = await bash(directory, config, [file]);
    assert.equal(code, 0, stderr);
    assert.deepEqual(callsAt(log), [
      { name: "echo", arguments: steps[0]?.arguments },
      { name: "echo_all", arguments: steps[1]?.arguments },
    ]);
    assert.match(stdout, /dots:x\.y-z/);
    assert.ok(!existsSync(directory.file("hacked")));
  });

  test("with --dry-run or TOOLPLANE_DRY_RUN=1 nothing is called, and what does not exist is reported", async () => {
    await using directory = await temporaryDirectory();
    const { log, config, file } = await scripted(directory, steps);
    for (const [words, more] of [
      [[file, "--dry-run"], {}],
      [[file], { TOOLPLANE_DRY_RUN: "1" }],
    ] as const) {
      const { code, stdout } = await bash(directory, config, [...words], more);
      assert.deepEqual([code, stdout.match(/would run with these arguments/g)?.length], [0, 3]);
    }
    const script = await readFile(file, "utf8");
    await writeFile(file, script.replace("echo.echo_all", "echo.echo_al"));
    const { code, stderr } = await bash(directory, config, [file, "--dry-run"]);
    assert.equal(code, 2);
    assert.match(stderr, /No tool 'echo\.echo_al'\. Did you mean 'echo\.echo_all'/);
    assert.deepEqual(callsAt(log), []);
  });

  test("a script stops where a call fails", async () => {
    await using directory = await temporaryDirectory();
    const failing = [
      { tool: "echo_fail", arguments: {} },
      { tool: "echo_echo", arguments: { message: "late" } },
    ];
    const { log, config, file } = await scripted(directory, failing);
    const { code } = await bash(directory, config, [file]);
    assert.deepEqual([code, callsAt(log).map(({ name }) => name)], [1, ["fail"]]);
  });

  test("the command line checks, tries and runs the same script", async () => {
    await using directory = await temporaryDirectory();
    const { log, config, file } = await scripted(directory, steps);
    const plan = (...words: string[]) =>
      runCli(["plan", ...words, "--config", config, "--data-dir", directory.path]);
    const check = (await plan("check", file, "--json")).json() as {
      ok?: unknown;
      steps?: PlannedStep[];
    };
    assert.deepEqual(
      [check.ok, check.steps?.map((step) => step.arguments)],
      [true, steps.map((step) => step.arguments)],
    );
    const tried = await plan("run", file, "--dry-run");
    assert.equal(tried.code, 0, tried.stderr);
    assert.match(tried.stdout, /^STEP +LINE +TOOL +VERDICT +BECAUSE\n1 +9 +echo\.echo +allow/);
    assert.deepEqual(callsAt(log), []);
    const ran = await plan("run", file, "--json");
    assert.deepEqual([ran.code, ran.json().ok, callsAt(log).length], [0, true, 2]);
  });
});
