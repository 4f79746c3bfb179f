import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { suite, test } from "node:test";
import { startScriptedModel } from "../fixtures/llm-script.ts";
import { temporaryDirectory } from "../fixtures/start-server.ts";
import { fixture, runCli, startServe } from "../scenarios/support.ts";

suite("seed 003 beyond the rows", { concurrency: 2 }, () => {
  test("tools of the types prompt and text-completion ask the model that is configured", async () => {
    await using directory = await temporaryDirectory();
    await using model = await startScriptedModel({
      responses: (body) => ({ kind: "text", text: JSON.stringify((body.messages as { content: unknown }[]).at(-1)) }),
    });
    const written = {
      models: { default: { baseURL: model.url, model: "m" } },
      prompt: { "template.greeting": JSON.stringify({ prompt: "Greet {{name}} in {{language}}." }) },
      tool: {
        complete: JSON.stringify({ type: "text-completion", name: "complete", description: "Answers." }),
        greet: {
          ...{ type: "prompt", name: "greet", description: "Greets.", template: "greeting" },
          arguments: ["name", "language"].map((name) => ({ name, type: "string", description: name })),
        },
        plain: {
          ...{ type: "prompt", name: "plain", description: "Says.", template: "Say {{word}}." },
          arguments: [{ name: "word", type: "string", description: "A word" }],
        },
      },
    };
    const file = directory.file("config.json");
    await writeFile(file, JSON.stringify(written));
    const call = async (...words: string[]) => {
      const { code, stdout, stderr } = await runCli(["call", ...words, "--config", file, "--data-dir", directory.path]);
      assert.equal(code, 0, stderr);
      return stdout;
    };
    assert.match(await call("complete", "question=Why?"), /Why\?/);
    assert.match(await call("greet", "name=Ann", "language=Dutch"), /Greet Ann in Dutch\./);
    assert.match(await call("plain", "word=hi"), /Say hi\./);
  });

  test("groups and states are set and shown on the command line, and hidden tools are listed on demand", async () => {
    await using directory = await temporaryDirectory();
    const file = directory.file("toolplane.json");
    await writeFile(file, JSON.stringify({ mcpServers: { echo: fixture("echo") } }));
    const run = (...words: string[]) => runCli([...words, "--config", file, "--data-dir", directory.file("data")]);
    const wrapper = ["--server", "echo", "--tool", "echo"];
    const states = ["--tool-group", "default", "--state", "logged-in", "--applicable-states", "start"];
    const made = await run("tools", "set", "login", ...wrapper, ...states);
    assert.equal(made.code, 0, made.stderr);
    const shown = await run("tools", "show", "login");
    assert.match(shown.stdout, /groups +default\n[\s\S]*next state +logged-in\n[\s\S]*states +start\n/);
    const listed = await run("tools", "list");
    assert.doesNotMatch(listed.stdout, /login/);
    assert.match(listed.stderr, /1 more tool in other groups or states/);
    assert.match((await run("tools", "list", "--state", "*")).stdout, /^login /m);
    await using serving = await startServe(file, directory.file("data"));
    const page = await fetch(`${serving.url}/tools?state=*&q=login`);
    const { tools } = (await page.json()) as { tools: { name: string }[] };
    assert.ok(tools.some(({ name }) => name === "login"));
    const refused = await run("call", "login", "message=x", "--state", "*");
    assert.notEqual(refused.code, 0, "a call is in one state");
  });
});
