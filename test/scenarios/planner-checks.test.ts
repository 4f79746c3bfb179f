import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { suite, test } from "node:test";
import type { PlanCheck, PlanProblem } from "../../src/model/calls/tool-plan.ts";
import { temporaryDirectory } from "../fixtures/start-server.ts";
import {
  callsAt,
  processFixture as fixture,
  planeOf,
  runCli,
  startServe,
  writeConfig,
} from "./support.ts";

const policy = { rules: [{ tool: "echo.put_note", verdict: "deny", reason: "notes are closed" }] };

/** Each is broken in one way: what is said about which line, and what to do. */
const broken: [plan: string, line: number, message: RegExp, hint: RegExp][] = [
  ["toolplane call echo.ecko message=a", 1, /^No tool 'echo\.ecko'/, /'echo\.echo'/],
  ["# one\n\ntoolplane call ekho.echo message=a", 3, /^No tool 'ekho\.echo'/, /echo/],
  ["toolplane call nothing_like_it", 1, /^No tool 'nothing_like_it'/, /tools/],
  ["toolplane call echo.echo", 1, /'message' is missing/, /message \(string, required\)/],
  ["toolplane call echo.echo massage=a", 1, /'message' is missing/, /'massage' → 'message'/],
  ["toolplane call echo.echo message:=1", 1, /\/message must be string, got number/, /It takes/],
  ["toolplane call echo.echo message=a other=b", 1, /takes no argument 'other'/, /tools show/],
  ["toolplane call echo.echo message=a mesage=b", 1, /takes no argument 'mesage'/, /'message'/],
  [
    "toolplane call echo.put_note key=a text=b",
    1,
    /would be refused: notes are closed/,
    /policy test/,
  ],
  ["toolplane call secret.echo message=a", 1, /^No tool 'secret\.echo'/, /./],
  ["toolplane call echo.echo message=$(id)", 1, /known only when it runs/, /single quotes/],
  ['toolplane call echo.echo message="$HOME"', 1, /known only when it runs/, /single quotes/],
  ["toolplane call echo.echo message=a > out.txt", 1, /redirection/, /one 'toolplane call' a line/],
  ["toolplane call echo.echo message=a | tee x", 1, /pipe/, /one 'toolplane call' a line/],
  ["toolplane call echo.echo message=a &", 1, /background/, /./],
  ["toolplane call echo.echo message='a", 1, /never closed/, /./],
  ["toolplane call echo.echo --args '{\"message\":}'", 1, /not valid JSON/, /Quote it/],
  ["toolplane call echo.echo --args '\"a\"'", 1, /not a JSON object/, /key/],
  ["toolplane call echo.echo --args @message.json", 1, /come from elsewhere/, /into the plan/],
  ["toolplane call echo.echo --user root message=a", 1, /--user is not a part/, /plan run/],
  ["curl -s http://127.0.0.1 -d @/etc/passwd", 1, /'curl' is not a tool call/, /toolplane call/],
  ["for i in 1 2; do toolplane call echo.echo message=a; done", 1, /'for' is not a tool call/, /./],
  ["toolplane call", 1, /names no tool/, /NAME/],
  ["", 1, /no step in it/, /one a line/],
  ['{"steps": [\n{"tool": "echo.ecko"}]}', 2, /^No tool 'echo\.ecko'/, /'echo\.echo'/],
  [
    '{"steps": [{"tool": "echo.echo",\n"arguments": {"message": [1]}}]}',
    1,
    /\/message must be string, got array/,
    /It takes/,
  ],
  [
    '{"steps": [{"tool": "echo.echo", "arguments": null}]}',
    1,
    /arguments that are not an object/,
    /"arguments"/,
  ],
  ['{"steps": [{"tool": "echo.pid", "dependsOn": [1]}]}', 1, /not done before it/, /earlier steps/],
  ['{"steps": "echo"}', 1, /no list of steps/, /"steps"/],
  ['{"steps": [', 1, /not valid JSON/, /brackets/],
];

suite("what is wrong with a plan is reported before it runs", { concurrency: 2 }, () => {
  test(`${broken.length} broken plans are reported with line, reason and remedy, and nothing is called`, async () => {
    await using directory = await temporaryDirectory();
    const log = directory.file("echo.log");
    const secret = fixture("echo", ["--name", "secret"], { groups: ["staff"] });
    await using plane = await planeOf(
      { echo: fixture("echo", ["--log", log]), secret },
      { policy },
    );
    for (const [plan, line, message, hint] of broken) {
      const { ok, problems } = await plane.plans.check(plan);
      assert.equal(ok, false, plan);
      const [problem] = problems as [PlanProblem];
      assert.equal(problem.line, line, plan);
      assert.match(problem.message, message, plan);
      assert.match(problem.hint ?? "", hint, plan);
    }
    assert.deepEqual(callsAt(log), []);
    assert.deepEqual(await plane.calls.list({}), []);
  });

  test("all problems of all lines are reported at once, and steps without one keep their verdict", async () => {
    await using plane = await planeOf({ echo: fixture("echo") }, { policy });
    const { steps, problems } = await plane.plans.check(
      "toolplane call echo.pid\nrm x\ntoolplane call echo.echo message:=1 a=b\ntoolplane call echo.no\n",
    );
    assert.deepEqual(
      steps.map(({ line, verdict }) => [line, verdict]),
      [
        [1, "allow"],
        [3, null],
        [4, null],
      ],
    );
    assert.deepEqual(
      problems.map(({ line, tool }) => [line, tool]),
      [
        [2, null],
        [3, "echo.echo"],
        [4, "echo.no"],
      ],
    );
  });

  test("plan check and plan run end with 1 for a broken plan and run nothing of it", async () => {
    await using directory = await temporaryDirectory();
    const log = directory.file("echo.log");
    const config = await writeConfig(directory, { echo: fixture("echo", ["--log", log]) });
    const file = directory.file("plan.sh");
    await writeFile(file, "toolplane call echo.write_note text=a\ntoolplane call echo.ecko\n");
    const common = ["--config", config, "--data-dir", directory.path];
    const checked = await runCli(["plan", "check", file, ...common]);
    assert.equal(checked.code, 1);
    assert.match(
      checked.stdout,
      /plan\.sh:2 echo\.ecko: No tool 'echo\.ecko'\.\n +Did you mean 'echo\.echo'/,
    );
    const input = "toolplane call echo.echo\n";
    const told = await runCli(["plan", "check", "-", "--json", ...common], { input });
    const { ok, problems } = told.json() as unknown as PlanCheck;
    assert.deepEqual(
      [told.code, ok, problems[0]?.line, problems[0]?.tool],
      [1, false, 1, "echo.echo"],
    );
    const ran = await runCli(["plan", "run", file, ...common]);
    assert.equal(ran.code, 1);
    assert.match(ran.stderr, /Nothing was run/);
    const tried = await runCli(["plan", "run", file, "--dry-run", "--json", ...common]);
    assert.deepEqual([tried.code, tried.json().ok], [1, false]);
    assert.deepEqual(callsAt(log), []);
    const missing = await runCli(["plan", "check", directory.file("none.sh"), ...common]);
    assert.equal(missing.code, 2);
    assert.match(missing.stderr, /The plan '.*none\.sh' cannot be read/);
  });

  test("plan run stops at the step that fails, with its exit code", async () => {
    await using directory = await temporaryDirectory();
    const log = directory.file("echo.log");
    const config = await writeConfig(
      directory,
      { echo: fixture("echo", ["--log", log]) },
      { policy: { rules: [{ tool: "echo.put_note", verdict: "ask" }] } },
    );
    const common = ["--config", config, "--data-dir", directory.path];
    const input =
      "toolplane call echo.pid\ntoolplane call echo.fail\ntoolplane call echo.echo message=late\n";
    const failed = await runCli(["plan", "run", "-", ...common], { input });
    assert.equal(failed.code, 1);
    assert.match(failed.stderr, /Stopped at step 2 of 3/);
    assert.deepEqual(
      callsAt(log).map(({ name }) => name),
      ["pid", "fail"],
    );
    const note = "toolplane call echo.put_note key=a text=b\n";
    const held = await runCli(["plan", "run", "-", ...common], { input: note });
    assert.equal(held.code, 3);
    assert.match(held.stderr, /approvals approve/);
    const agreed = await runCli(["plan", "run", "-", "--yes", ...common], { input: note });
    assert.equal(agreed.code, 0, agreed.stderr);
  });

  test("a plane that serves checks plans for the command line", async () => {
    await using directory = await temporaryDirectory();
    const config = await writeConfig(directory, { echo: fixture("echo") });
    await using _serving = await startServe(config, directory.path);
    const input = "toolplane call echo.echo message=a\n";
    const { code, stdout } = await runCli(
      ["plan", "check", "-", "--config", config, "--data-dir", directory.path],
      {
        input,
      },
    );
    assert.equal(code, 0);
    assert.match(stdout, /1 step, nothing is wrong/);
  });
});
