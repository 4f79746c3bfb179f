import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import { suite, test } from "node:test";
import { startScriptedModel } from "../fixtures/llm-script.ts";
import { temporaryDirectory } from "../fixtures/start-server.ts";
import { planner } from "./planning.ts";
import { callsAt, processFixture as fixture, runCli, startServe, writeConfig } from "./support.ts";

const answer = JSON.stringify({
  steps: [{ tool: "echo_echo", arguments: { message: "hi" }, why: "because" }],
});

function models(url: string) {
  return {
    models: { default: { provider: "openai-compatible", baseURL: url, model: "scripted" } },
    sampling: { maxTokens: 10_000 },
  };
}

suite("plan make", { concurrency: 2 }, () => {
  test("the configured model plans, the script goes to standard output or into a file, and the plan runs", async () => {
    await using directory = await temporaryDirectory();
    await using model = await startScriptedModel({
      responses: () => ({ kind: "text", text: answer }),
    });
    const log = directory.file("echo.log");
    const servers = { echo: fixture("echo", ["--log", log]), planner: planner() };
    const config = await writeConfig(directory, servers, models(model.url));
    const plan = (...words: string[]) =>
      runCli(["plan", ...words, "--config", config, "--data-dir", directory.file("data")]);
    const printed = await plan("make", "say hi");
    assert.equal(printed.code, 0, printed.stderr);
    assert.match(
      printed.stdout,
      /^#!\/usr\/bin\/env bash\n[\s\S]*\ntoolplane call --config \S+ --data-dir \S+ echo\.echo --args '\{"message":"hi"\}'/,
    );
    assert.match(printed.stderr, /1 step planned for: say hi/);
    const { body } = model.requests[0] ?? {};
    assert.deepEqual(
      [body?.temperature, body?.max_tokens ?? body?.max_completion_tokens],
      [0.3, 10_000],
    );

    const out = directory.file("hi.sh");
    const written = await plan("make", "say hi", "--out", out, "--json");
    assert.deepEqual([written.code, written.json().path], [0, out]);
    assert.equal((await stat(out)).mode & 0o111, 0o111);
    const again = await plan("make", "say hi", "--out", out);
    assert.deepEqual([again.code, /--force overwrites it/.test(again.stderr)], [2, true]);
    assert.equal((await plan("make", "say hi", "--out", out, "--force")).code, 0);
    assert.match(await readFile(out, "utf8"), /say hi/);
    const foreign = await runCli(["plan", "run", out, "--config", directory.file("other.json")]);
    assert.notEqual(foreign.code, 0, "a script for another place is not run here");
    assert.equal((await plan("run", out)).code, 0);
    assert.deepEqual(callsAt(log), [{ name: "echo", arguments: { message: "hi" } }]);
  });

  test("a plane that serves makes plans for the command line, and no planner runs before that", async () => {
    await using directory = await temporaryDirectory();
    await using model = await startScriptedModel({
      responses: () => ({ kind: "text", text: answer }),
    });
    const servers = { echo: fixture("echo"), planner: planner({ lazy: true }) };
    const config = await writeConfig(directory, servers, models(model.url));
    await using _serving = await startServe(config, directory.path);
    const common = ["--config", config, "--data-dir", directory.path];
    const shown = await runCli(["servers", "show", "planner", "--json", ...common]);
    assert.equal((shown.json().pid ?? null) as unknown, null, shown.stdout);
    const { code, stdout, stderr } = await runCli(["plan", "make", "-", ...common], {
      input: "say hi\n",
    });
    assert.equal(code, 0, stderr);
    assert.match(stdout, /toolplane call --config \S+ --data-dir \S+ echo\.echo/);
  });

  test("without a model there is a script to fill in, and without a planner a way to get one", async () => {
    await using directory = await temporaryDirectory();
    const common = ["--data-dir", directory.path];
    const config = await writeConfig(directory, { planner: planner() });
    const bare = await runCli(["plan", "make", "say hi", "--config", config, ...common]);
    assert.deepEqual([bare.code, /Sampling is not available/.test(bare.stderr)], [0, true]);
    const other = await writeConfig(directory, { echo: fixture("echo") });
    const none = await runCli(["plan", "make", "say hi", "--config", other, ...common]);
    assert.equal(none.code, 2);
    assert.match(
      none.stderr,
      /No planner is configured\..*toolplane servers add planner -- .* planner/,
    );
    const empty = await runCli(["plan", "make", " ", "--config", other, ...common]);
    assert.deepEqual([empty.code, /The task is empty/.test(empty.stderr)], [2, true]);
  });

  test("a model that makes no plan is an error, and no file is written", async () => {
    await using directory = await temporaryDirectory();
    await using model = await startScriptedModel({
      responses: () => ({ kind: "text", text: "no" }),
    });
    const config = await writeConfig(directory, { planner: planner() }, models(model.url));
    const out = directory.file("hi.sh");
    const words = [
      "plan",
      "make",
      "say hi",
      "--out",
      out,
      "--config",
      config,
      "--data-dir",
      directory.path,
    ];
    const { code, stderr } = await runCli(words);
    assert.equal(code, 1);
    assert.match(stderr, /No step could be planned/);
    assert.ok(!existsSync(out));
  });
});
