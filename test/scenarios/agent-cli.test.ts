import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { suite, test } from "node:test";
import {
  reactAction,
  reactAnswer,
  type Script,
  type ScriptedModel,
  startScriptedModel,
  stubbornScript,
} from "../fixtures/llm-script.ts";
import { type TemporaryDirectory, temporaryDirectory } from "../fixtures/start-server.ts";
import { toldOf } from "./agent-world.ts";
import {
  callsAt,
  processFixture as fixture,
  runCli,
  startCli,
  startServe,
  untilLogged,
  writeConfig,
} from "./support.ts";

const addsAndTells: Script = [
  { kind: "tools", reasoning: "I add.", calls: [{ name: "fx__add", arguments: { a: 17, b: 25 } }] },
  { kind: "text", text: "17 plus 25 is 42." },
];

suite("the agent on the command line", { concurrency: 2 }, () => {
  test("prints the answer alone, and the way to it for those who want to see it", async () => {
    await using world = await openWorld(addsAndTells);
    const { code, stdout, stderr } = await runCli(world.words("What is 17 plus 25?", "--verbose"));
    assert.equal(code, 0, stderr);
    assert.equal(stdout, "17 plus 25 is 42.\n");
    assert.match(stderr, /… I add\.\n→ fx__add \{"a":17,"b":25\}\n← \{"sum":42\}\n/);
    assert.match(stderr, /1 turn, 1 call, 30 tokens \(20 in, 10 out\)/);
  });

  test("tells everything as one document, also the conversation to go on with", async () => {
    await using world = await openWorld(addsAndTells);
    const { code, stdout, stderr } = await runCli([...world.words("-"), "--json"], {
      input: "17 plus 25?\n",
    });
    assert.equal(code, 0, stderr);
    const { trace, history, usage, ...told } = JSON.parse(stdout) as Record<string, unknown>;
    assert.deepEqual(told, {
      answer: "17 plus 25 is 42.",
      outcome: "completed",
      turns: 1,
      state: null,
      error: null,
    });
    assert.deepEqual(usage, { inputTokens: 20, outputTokens: 10, totalTokens: 30 });
    assert.equal((history as unknown[]).length, 4);
    assert.equal((trace as { steps: unknown[] } | undefined)?.steps.length, 2);
    assert.deepEqual(world.model.requests[0]?.body.messages, [
      { role: "user", content: "17 plus 25?" },
    ]);
  });

  test("goes on with the conversation in a file, and keeps it there", async () => {
    await using world = await openWorld([
      ...(addsAndTells as []),
      { kind: "text", text: "I said 42." },
    ]);
    const file = world.directory.file("history.json");
    await runCli(world.words("What is 17 plus 25?", "--history", file));
    const { stdout } = await runCli(
      world.words("What did you say?", "--history", file, "--no-stream"),
    );
    assert.equal(stdout, "I said 42.\n");
    const sent = world.model.requests[2]?.body.messages as { role: string }[];
    assert.deepEqual(
      sent.map(({ role }) => role),
      ["user", "assistant", "tool", "assistant", "user"],
    );
    assert.equal(
      (JSON.parse(readFileSync(file, "utf8")) as { history: unknown[] }).history.length,
      6,
    );
  });

  test("writes its trace as text and as data", async () => {
    await using world = await openWorld(() => ({ kind: "text", text: "Said <b>so</b>." }));
    for (const name of ["run.txt", "run.json"])
      await runCli(world.words("Tell", "--trace", world.directory.file(name)));
    const read = (name: string) => readFileSync(world.directory.file(name), "utf8");
    assert.match(read("run.txt"), /Said <b>so<\/b>\./);
    const run = JSON.parse(read("run.json")) as { answer: string; messages: unknown[] };
    assert.deepEqual([run.answer, run.messages.length], ["Said <b>so</b>.", 2]);
  });

  test("takes a toolset, a style, a model and a context, and says what there is for those it does not know", async () => {
    await using world = await openWorld(
      [reactAction("I add.", "add", { a: 1, b: 2 }), reactAnswer("Done.", "3")],
      {
        toolsets: { numbers: { providers: ["fx"], allow_tools: ["add"] } },
      },
    );
    const flags = [
      "--toolset",
      "numbers",
      "--style",
      "react",
      "--context",
      "You count.",
      "--verbose",
    ];
    const { code, stdout, stderr } = await runCli(world.words("Count", ...flags));
    assert.equal(code, 0, stderr);
    assert.equal(stdout, "3\n");
    const sent = JSON.stringify(world.model.requests[0]?.body);
    assert.match(sent, /You count\./);
    assert.equal(world.model.requests[0]?.body.tools, undefined);
    for (const [flag, value, said] of [
      ["--toolset", "numbrs", /No toolset 'numbrs'.*Did you mean 'numbers'/],
      ["--style", "quickly", /'quickly' is invalid.*tools, react/],
      ["--model", "best", /best/],
      ["--max-turns", "0", /Give an integer >= 1/],
      ["--trace", "/no/such/place.json", /--trace \/no\/such\/place\.json cannot be written/],
    ] as const) {
      const wrong = await runCli(world.words("Count", flag, value));
      assert.notEqual(wrong.code, 0);
      assert.match(wrong.stderr, said);
    }
    assert.equal(world.model.requests.length, 2, "nothing was asked");
  });

  test("the exit code tells how it ended", async () => {
    await using stubborn = await openWorld(stubbornScript("fx__echo"));
    const early = await runCli(stubborn.words("Go on", "--max-turns", "1"));
    assert.equal(early.code, 3, early.stderr);
    await using broken = await openWorld(() => ({ kind: "error", status: 400, message: "no" }));
    const failed = await runCli([...broken.words("Go on"), "--json"]);
    const { outcome, error } = failed.json();
    assert.deepEqual([outcome, failed.code !== 0, typeof error?.code], ["failed", true, "string"]);
    await using empty = await openWorld([]);
    assert.equal((await runCli(empty.words("  "))).code, 2);
  });

  test("standard output has the answer alone, and nothing that was said on the way to it", async () => {
    const [add, tell] = addsAndTells as unknown as [object, object];
    await using world = await openWorld([{ ...add, text: "Let me add." }, tell] as Script);
    const { stdout, stderr } = await runCli(world.words("What is 17 plus 25?", "--verbose"));
    assert.equal(stdout, "17 plus 25 is 42.\n");
    assert.match(stderr, /Let me add\.\n→ fx__add/);
  });

  test("an answer that was cut off is reported with a warning", async () => {
    await using world = await openWorld([{ kind: "text", text: "The first of", finish: "length" }]);
    const { code, stdout, stderr } = await runCli(world.words("Tell"));
    assert.deepEqual([code, stdout], [0, "The first of\n"]);
    assert.match(stderr, /warning: The answer was cut off at the model's limit\./);
  });

  test("calls that wait for a person are reported with the command that lets them run", async () => {
    const writes: Script = (body) =>
      JSON.stringify(body).includes('"role":"tool"')
        ? { kind: "text", text: "It waits." }
        : { kind: "tools", calls: [{ name: "fx__write_note", arguments: { text: "a" } }] };
    await using world = await openWorld(writes, { policy: { profile: "guarded" } });
    const { code, stdout, stderr } = await runCli(world.words("Write"));
    assert.deepEqual([code, stdout], [0, "It waits.\n"]);
    const [, id = ""] =
      /waiting: fx\.write_note .*: toolplane approvals approve (\S+)/.exec(stderr) ?? [];
    assert.notEqual(id, "", stderr);
    const told = (await runCli([...world.words("Write"), "--json"])).json();
    const [waiting] = told.waiting as { id: string; tool: string }[];
    assert.equal(waiting?.tool, "fx.write_note");
    const where = world.words("").slice(2);
    const approved = await runCli(["approvals", "approve", id, ...where]);
    assert.equal(approved.code, 0, approved.stderr);
    assert.deepEqual(callsAt(world.log), [{ name: "write_note", arguments: { text: "a" } }]);
  });

  test("time that is over is 4 and names the flag, another budget is 3", async () => {
    await using slow = await openWorld([{ kind: "hang", text: "I" }]);
    const late = await runCli(slow.words("Tell", "--max-seconds", "1"));
    assert.equal(late.code, 3, late.stderr);
    assert.match(late.stderr, /has used its 1 s\. Give it more \('timeoutMs', --max-seconds\)/);
    const calls = ["a", "b"].map((message) => ({ name: "fx__echo", arguments: { message } }));
    await using short = await openWorld([
      { kind: "tools", calls },
      { kind: "text", text: "One." },
    ]);
    assert.equal((await runCli(short.words("Echo", "--max-calls", "1"))).code, 3);
  });

  test("a toolset whose server is unreachable ends it with 4 where a tool was named, and is reported where none was", async () => {
    const dead = { command: process.execPath, args: ["-e", "process.exit(1)"] };
    await using world = await openWorld(() => ({ kind: "text", text: "No tools." }), {
      mcpServers: { dead },
      toolsets: {
        named: { providers: ["dead"], allow_tools: ["add"] },
        open: { providers: ["dead"] },
      },
    });
    const away = await runCli(world.words("Add", "--toolset", "named"));
    assert.equal(away.code, 4, away.stderr);
    assert.match(away.stderr, /Toolset 'named' has no tools now, not even 'add'\. Server 'dead'/);
    assert.equal(world.model.requests.length, 0);
    const told = await runCli([...world.words("Add", "--toolset", "open"), "--json"]);
    assert.deepEqual([told.code, told.json().answer], [0, "No tools."]);
    const [missing] = told.json().missing as { server: string; reason: string }[];
    assert.equal(missing?.server, "dead");
    assert.match(missing?.reason ?? "", /Server 'dead'/);
    const warned = await runCli(world.words("Add", "--toolset", "open"));
    assert.match(warned.stderr, /warning: It had no tools of 'dead'\. Server 'dead'/);
  });

  test("without a model it says how to configure one, and begins nothing", async () => {
    await using directory = await temporaryDirectory();
    const log = directory.file("log");
    const config = await writeConfig(directory, { fx: fixture("echo", ["--log", log]) });
    const { code, stderr } = await runCli([
      "agent",
      "hello",
      "--config",
      config,
      "--data-dir",
      directory.file("data"),
    ]);
    assert.equal(code, 2);
    assert.match(stderr, /No model is configured\. Add one to .*toolplane\.json/);
    assert.equal(existsSync(log), false);
  });

  test("through a plane that serves it is reported as it comes, and an interruption reaches the tool", async () => {
    const slow: Script = [
      {
        kind: "tools",
        reasoning: "I wait.",
        calls: [{ name: "fx__slow", arguments: { ms: 60_000 } }],
      },
    ];
    await using world = await openWorld([...(addsAndTells as []), ...slow]);
    await using _serving = await startServe(world.config, world.directory.file("data"));
    const { stdout, stderr } = await runCli(world.words("What is 17 plus 25?", "--verbose"));
    assert.equal(stdout, "17 plus 25 is 42.\n");
    assert.match(stderr, /→ fx__add/);
    const { process: running, result } = startCli(world.words("Wait", "--verbose"));
    await untilLogged(world.log, (entry) => JSON.stringify(entry).includes("60000"));
    running.kill("SIGINT");
    const { code, stderr: said } = await result;
    assert.equal(code, 130);
    assert.match(said, /… I wait\.\n→ fx__slow/);
    await untilLogged(world.log, (entry) =>
      JSON.stringify(entry).includes("notifications/cancelled"),
    );
  });

  test("what a toolset or a group leaves out is not offered", async () => {
    await using world = await openWorld(() => ({ kind: "text", text: "Ok." }), {
      toolsets: { numbers: { providers: ["fx"], allow_tools: ["add"] } },
    });
    await runCli(world.words("Ask", "--toolset", "numbers"));
    assert.equal(toldOf(world.model, 0).length, 1);
    await runCli(world.words("Ask", "--tool-group", "none-of-ours"));
    assert.deepEqual(toldOf(world.model, 1), []);
    assert.deepEqual(callsAt(world.log), []);
  });
});

type World = AsyncDisposable & {
  directory: TemporaryDirectory;
  model: ScriptedModel;
  config: string;
  log: string;
  words(question: string, ...flags: string[]): string[];
};

async function openWorld(responses: Script, more: object = {}): Promise<World> {
  const directory = await temporaryDirectory();
  const model = await startScriptedModel({ responses });
  const log = directory.file("log");
  writeFileSync(log, "");
  const models = { default: { baseURL: model.url, model: "scripted" } };
  const config = await writeConfig(
    directory,
    { fx: fixture("echo", ["--log", log]) },
    { models, ...more },
  );
  const where = ["--config", config, "--data-dir", directory.file("data")];
  return {
    directory,
    model,
    config,
    log,
    words: (question, ...flags) => ["agent", question, ...flags, ...where],
    async [Symbol.asyncDispose]() {
      await model.close();
      await directory[Symbol.asyncDispose]();
    },
  };
}
