import assert from "node:assert/strict";
import { readFileSync, statSync } from "node:fs";
import { suite, test } from "node:test";
import { type ScriptedResponse, startScriptedModel } from "../fixtures/llm-script.ts";
import { temporaryDirectory } from "../fixtures/start-server.ts";
import {
  callsAt,
  processFixture as fixture,
  runCli,
  startCli,
  startServe,
  untilLogged,
  writeConfig,
} from "./support.ts";

const asking = {
  policy: { rules: [{ tool: "fx.add", verdict: "ask", reason: "numbers are serious" }] },
};

suite("chat as a script", { concurrency: 2 }, () => {
  test("lists servers and tools, finds tools, and calls them without a model", async () => {
    await using directory = await temporaryDirectory();
    const missing = { command: "no-such-command-of-ours" };
    const config = await writeConfig(directory, { fx: fixture("echo"), missing });
    const lines = [
      "/mcp",
      "/mcp tools fx",
      "/mcp search add numbers",
      "/mcp stats",
      "/call fx.add a:=1 b:=2",
    ];
    const { code, stdout } = await chat(config, directory.path, lines);
    assert.equal(code, 0, stdout);
    assert.match(stdout, /● fx +connected +stdio +\S+ +\d+/);
    assert.match(stdout, /● missing .*command 'no-such-command-of-ours' was not found/);
    assert.match(stdout, /\nfx\.add +\S/);
    assert.match(stdout, /(\d+)\/\1 loaded\n/);
    assert.match(stdout, /SCORE +TOOL +NEEDS +SUMMARY\n.* fx\.add /);
    assert.match(stdout, /All are loaded already\./);
    assert.match(stdout, /SERVER +TOOLS +FULL/);
    const [, loaded = "", tokens = ""] =
      /toolplane chat +\S+ +modern +full +(\d+) +(\d+)/.exec(stdout) ?? [];
    assert.match(stdout, new RegExp(`\\n${loaded}/${loaded} loaded\\n`));
    assert.ok(Number(tokens) > 0, stdout);
    assert.match(stdout, /\n\{"sum":3\}\n/);
  });

  test("the tools of a server are gone with it, and come back with it", async () => {
    await using directory = await temporaryDirectory();
    const config = await writeConfig(directory, {
      fx: fixture("echo"),
      other: fixture("progress"),
    });
    const { code, stdout, stderr } = await chat(config, directory.path, [
      "/mcp tools",
      "/mcp disconnect fx",
      "/mcp tools",
      "/call fx.add a:=1 b:=2",
      "/mcp",
      "/mcp stats",
      "/mcp connect fx",
      "/call fx.add a:=1 b:=2",
    ]);
    assert.equal(code, 4);
    assert.match(
      stderr,
      /'fx\.add' is gone: 'fx' was disconnected here\. \/servers connect fx brings it back/,
    );
    const [before = "", after = ""] = stdout.split("fx is disconnected");
    assert.match(before, /^fx\.add /m);
    assert.match(after, /^other\./m);
    const [without = ""] = after.split("fx is connected");
    assert.doesNotMatch(without, /^fx\./m);
    assert.match(without, /○ fx +disconnected +stdio +\S+ +0\b/);
    assert.doesNotMatch(without, /^fx +\d/m, "no row of the statistics");
    assert.match(after, /● fx is connected: \d+ tools\.\n\{"sum":3\}\n/);
    assert.doesNotMatch(stderr, /No plane serves here/, "the plane of the chat goes on");
  });

  test("in plan mode changes are queued, shown, approved one by one and rejected", async () => {
    await using directory = await temporaryDirectory();
    const log = directory.file("log");
    const config = await writeConfig(directory, { fx: fixture("echo", ["--log", log]) });
    const { code, stdout } = await chat(config, directory.path, [
      "/plan",
      "/call fx.write_note text=one",
      "/call fx.write_note text=two",
      "/call fx.write_note text=three",
      "/plan show",
      "/approve 1",
      "/reject 1 not today",
      "/plan show",
      "/approve",
      "/plan show",
      "/plan off",
    ]);
    assert.equal(code, 0, stdout);
    assert.match(stdout, /Plan mode is on/);
    assert.match(
      stdout,
      /1\. fx\.write_note .*\n +text: one\n[\s\S]*2\. fx\.write_note .*\n +text: two/,
    );
    assert.match(stdout, /1 rejected: fx\.write_note\n1\. fx\.write_note .*\n +text: three/);
    assert.match(stdout, /Nothing is queued\.\nPlan mode is off/);
    assert.deepEqual(
      callsAt(log).map(({ arguments: args }) => args),
      [{ text: "one" }, { text: "three" }],
    );
  });

  test("a call that needs a yes is asked about on the next line, and a verb there is no answer", async () => {
    await using directory = await temporaryDirectory();
    const config = await writeConfig(directory, { fx: fixture("echo") }, asking);
    const call = "/call fx.add a:=1 b:=2";
    const { code, stdout, stderr } = await chat(config, directory.path, [
      call,
      "perhaps",
      "yes",
      call,
      "no not now",
      call,
      "/plan show",
      "/approve",
    ]);
    assert.equal(code, 3);
    assert.match(stdout, /numbers are serious[\s\S]*Say yes, no or later\.\n\{"sum":3\}\n/);
    assert.match(stderr, /'fx\.add' was not run: .* rejected it: not now/);
    assert.match(
      stdout,
      /It goes on waiting\.\n\/plan show lists what waits here[\s\S]*1\. fx\.add [\s\S]*fx\.add\n\{"sum":3\}\n/,
    );
  });

  test("what a server asks is answered on the next lines, and a verb there declines", async () => {
    await using directory = await temporaryDirectory();
    const config = await writeConfig(directory, { el: fixture("elicit") });
    const { code, stdout, stderr } = await chat(config, directory.path, [
      "/call el.ask_person",
      "",
      "Ann",
      "old",
      "ann@example.org",
      "yes",
      "Ann",
      "42",
      "",
      "",
      "/call el.ask_colour",
      "violet",
      "Green",
      "/call el.ask_approval",
      "yes",
      "/call el.ask_value",
      "/call el.confirm",
      "maybe",
      "no",
    ]);
    assert.equal(code, 0, stderr);
    assert.match(
      stderr,
      /el asks: Asks for several fields with limits\.[\s\S]*age[\s\S]*el asks: Asks to pick/,
    );
    assert.match(stdout, /This is needed\.\n/);
    assert.match(stdout, /"content":\{"newsletter":false,"name":"Ann","age":42\}/);
    assert.match(stdout, /Say one of red, green, blue\.\n[\s\S]*"colour":"green"/);
    assert.match(
      stdout,
      /It is declined\.\n[\s\S]*"action":"decline"[\s\S]*Say yes or no\.[\s\S]*"confirmed":false/,
    );
  });

  test("both lists of tools agree about what is loaded, by the one rule there is", async () => {
    await using directory = await temporaryDirectory();
    const lazy = { mode: "always", alwaysLoadTools: ["fx__ad"] };
    const config = await writeConfig(directory, { fx: fixture("echo") }, { lazy });
    const { stdout } = await chat(config, directory.path, [
      "/mcp tools fx",
      "/mcp search echo",
      "/mcp stats fx",
    ]);
    assert.match(stdout, /\n1\/\d+ loaded: fx\.add\n/);
    const [, fresh = ""] = /\n(\d+) loaded by this search/.exec(stdout) ?? [];
    assert.match(stdout, new RegExp(`\\n${Number(fresh) + 1}/\\d+ loaded`));
  });

  test("what is mistyped is reported with what was meant, and the rest is done", async () => {
    await using directory = await temporaryDirectory();
    const config = await writeConfig(directory, { fx: fixture("echo") });
    const { code, stdout, stderr } = await chat(config, directory.path, [
      "/mpc",
      "/mcp serch x",
      "/style raect",
      "/toolset none",
      "/call",
      "/call fx.echo message='open",
      "/help",
    ]);
    assert.equal(code, 2);
    assert.match(stderr, /Unknown command \/mpc\. Did you mean \/mcp\?/);
    assert.match(stderr, /Unknown command \/mcp serch\. Did you mean \/mcp search\?/);
    assert.match(stderr, /There is no style 'raect'\. Did you mean 'react'\?/);
    assert.match(stderr, /Missing required argument 'tool'/);
    assert.match(stderr, /A quote is open/);
    assert.match(stdout, /\/approve \[N\|all\|ID\]/);
  });

  test("without a model a question is answered with how to configure one", async () => {
    await using directory = await temporaryDirectory();
    const config = await writeConfig(directory, { fx: fixture("echo") });
    const { code, stdout } = await chat(config, directory.path, [
      "hello",
      "/call fx.echo message=still",
    ]);
    assert.equal(code, 2);
    assert.match(stdout, /No model is configured\. Add one to .*toolplane\.json/);
    assert.match(stdout, /\nstill\n/);
  });

  test("events are shown when a person wants to see them", async () => {
    await using directory = await temporaryDirectory();
    const config = await writeConfig(
      directory,
      { fx: fixture("echo") },
      { lazy: { mode: "always" } },
    );
    const lines = [
      "/call fx.echo message=quiet",
      "/verbose",
      "/mcp search echo",
      "/call fx.echo message=loud",
    ];
    const { stdout } = await chat(config, directory.path, lines);
    const [before = "", after = ""] = stdout.split("Events are shown.");
    assert.doesNotMatch(before, /tool\.call/);
    for (const type of ["tool.search", "tool.dynamicLoad", "tool.call", "tool.result"])
      assert.match(after, new RegExp(`^${type} `, "m"));
    assert.doesNotMatch(
      after.replaceAll(/^loud$/gm, ""),
      /loud/,
      "no event has a value of an argument",
    );
  });
});

suite("chat with a model", { concurrency: 2 }, () => {
  test("goes on with what was said, and saves it", async () => {
    await using directory = await temporaryDirectory();
    await using model = await startScriptedModel({
      responses: [
        {
          kind: "tools",
          reasoning: "I add.",
          calls: [{ name: "fx__add", arguments: { a: 1, b: 2 } }],
        },
        { kind: "text", text: "It is three." },
        { kind: "text", text: "I said three." },
        { kind: "text", text: "I know nothing." },
      ],
    });
    const config = await writeConfig(directory, { fx: fixture("echo") }, models(model.url));
    const file = directory.file("saved.json");
    const lines = [
      "what is 1 + 2",
      "what did you say",
      `/save ${file}`,
      `/save ${file}`,
      "/clear",
      "and now",
    ];
    const { code, stdout, stderr } = await chat(config, directory.path, lines);
    assert.equal(code, 2, "the second save");
    assert.match(stdout, /… I add\.\n→ fx__add .*\n← \{"sum":3\}\nIt is three\.\nI said three\./);
    assert.match(stderr, /saved\.json' is there already/);
    const saved = JSON.parse(readFileSync(file, "utf8")) as { history: { role: string }[] };
    assert.deepEqual(
      saved.history.map(({ role }) => role),
      ["user", "assistant", "tool", "assistant", "user", "assistant"],
    );
    assert.equal(statSync(file).mode & 0o077, 0);
    assert.deepEqual(
      model.requests[3]?.body.messages,
      [{ role: "user", content: "and now" }],
      "what was cleared is not sent",
    );
  });

  test("an interruption cancels what runs, and the next line is read", async () => {
    await using directory = await temporaryDirectory();
    const log = directory.file("log");
    const config = await writeConfig(directory, { fx: fixture("echo", ["--log", log]) });
    const input = "/call fx.slow ms:=60000\n/call fx.echo message=after\n";
    const { process: running, result } = startCli(words(config, directory.path), { input });
    await untilLogged(log, (entry) => JSON.stringify(entry).includes("60000"));
    running.kill("SIGINT");
    const { stdout, stderr } = await result;
    assert.match(`${stdout}${stderr}`, /[Cc]ancelled/);
    assert.match(stdout, /^after$/m);
  });

  test("works the same through a plane that serves, and its approvals are asked about here", async () => {
    await using directory = await temporaryDirectory();
    const script: ScriptedResponse[] = [
      { kind: "tools", calls: [{ name: "fx__add", arguments: { a: 2, b: 2 } }] },
      { kind: "text", text: "Four." },
    ];
    await using model = await startScriptedModel({ responses: script });
    const config = await writeConfig(
      directory,
      { fx: fixture("echo") },
      { ...models(model.url), ...asking },
    );
    await using _serving = await startServe(config, directory.file("data"));
    const { code, stdout } = await runCli(words(config, directory.path), {
      input: "what is 2 + 2\nyes\n/mcp\n",
    });
    assert.equal(code, 0, stdout);
    assert.match(
      stdout,
      /→ fx__add [\s\S]*numbers are serious[\s\S]*← \{"sum":4\}\nFour\.\n[\s\S]*● fx/,
    );
  });
});

function models(baseURL: string): object {
  return { models: { default: { baseURL, model: "scripted" } } };
}

function words(config: string, directory: string): string[] {
  return ["chat", "--config", config, "--data-dir", `${directory}/data`];
}

function chat(config: string, directory: string, lines: readonly string[]) {
  return runCli(words(config, directory), { input: `${lines.join("\n")}\n` });
}

test("a command runs on the plane of the chat, with its options, and reports as it does in a shell", async () => {
  await using directory = await temporaryDirectory();
  const config = await writeConfig(directory, {
    fx: fixture("echo"),
    off: { ...fixture("echo"), enabled: false },
  });
  const { code, stdout, stderr } = await chat(config, directory.path, [
    "/servers list --json",
    "/tools show fx.add",
    "/calls list --limit x",
    "/call fx.add a:=1 b:=2 --json",
    "/calls list --json",
    "/help servers ping",
    "/serve",
    "/plan list",
  ]);
  assert.equal(code, 2, "the first that went wrong");
  assert.match(stdout, /"name":"fx","tools":17/);
  assert.match(stdout, /for models +fx__add/);
  assert.match(stderr, /--limit/);
  assert.match(stdout, /\{"calls":\[\{.*"tool":"fx\.add","server":"fx"/);
  assert.match(stdout, /Usage: toolplane servers ping/);
  assert.match(stderr, /'serve' needs a terminal of its own/);
  assert.match(stdout, /There is no plan\./);
});

test("/mcp tools takes the options of tools list, /mode sets the mode of the next calls, and /show-plan what waits", async () => {
  await using directory = await temporaryDirectory();
  const config = await writeConfig(directory, { echo: fixture("echo") });
  const place = ["--config", config, "--data-dir", directory.file("data"), "--standalone"];
  const input = [
    "/mcp tools echo --quality",
    "/mode plan",
    "/mode",
    "/show-plan",
    "/mode nonsense",
  ].join("\n");
  const { stdout, stderr } = await runCli(["chat", ...place], { input: `${input}\n` });
  assert.match(stdout, /TOOL +SCORE +ISSUES\necho\.add +\d+ [\s\S]*(\d+)\/\1 loaded/);
  assert.match(stdout, /plan/);
  assert.match(stdout + stderr, /build, debug, plan, review|build|review/);
});
