import assert from "node:assert/strict";
import { once } from "node:events";
import { appendFile, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";
import { suite, test } from "node:test";
import { runCli as runCommand } from "../../src/faces/cli/program.ts";
import { createCli } from "../../src/local-cli.ts";
import type { ExtensionState } from "../../src/model/extensions/extension-schema.ts";
import { temporaryDirectory } from "../fixtures/start-server.ts";
import { until } from "../fixtures/until.ts";
import { runCli, startCli, startServe, writeConfig } from "./support.ts";

const notes = `export default {
  name: "notes",
  settings: { type: "object", properties: { max: { type: "integer" } }, additionalProperties: false },
  setup({ addOperation }) {
    const input = {
      type: "object",
      properties: { text: { type: "string", description: "what to find" }, limit: { type: "integer" } },
      required: ["text"],
      additionalProperties: false,
    };
    addOperation({ name: "notes.find", summary: "Find notes", scope: "read", input, run: (given) => [given] });
    addOperation({ name: "notes.fail", summary: "Fail", scope: "read", run() { throw new Error("no paper"); } });
    return { reload() {} };
  },
};
`;

/** A project that was cloned, and the commands of a person who works in it. */
async function cloned(root: { file(name: string): string }, settings: object = {}) {
  const directory = root.file("project");
  const home = root.file("home");
  await mkdir(directory);
  await mkdir(join(home, "toolplane"), { recursive: true });
  await writeFile(join(directory, "notes.mjs"), notes);
  const configure = (given: object) =>
    writeFile(
      join(directory, "toolplane.json"),
      JSON.stringify({ extensions: [{ use: "./notes.mjs", with: given }] }),
    );
  await configure(settings);
  const env = { XDG_CONFIG_HOME: home, XDG_DATA_HOME: root.file("data") };
  const here = { cwd: directory, env };
  return {
    here,
    configure,
    run: (...words: string[]) => runCli(words, here),
    edit: () => appendFile(join(directory, "notes.mjs"), "// more\n"),
  };
}

suite("the commands of extensions", () => {
  test("beside a plane that serves without a configuration, a wrong command is an unknown one", async () => {
    await using root = await temporaryDirectory();
    const cwd = root.file("empty");
    await mkdir(cwd);
    const env = { XDG_CONFIG_HOME: root.file("home"), XDG_DATA_HOME: root.file("data") };
    const serving = startCli(["serve", "--port", "0", "--json"], { cwd, env });
    assert.ok(serving.process.stdout);
    await once(createInterface(serving.process.stdout), "line");
    const { code, stderr } = await startCli(["jobs", "frob"], { cwd, env }).result;
    serving.process.kill("SIGTERM");
    await serving.result;
    assert.equal(stderr, "error: Unknown command 'frob'. See 'toolplane jobs --help'. [USAGE]\n");
    assert.equal(code, 2);
  });

  test("one extension is shown with its version, where it comes from and what its start costs", async () => {
    await using root = await temporaryDirectory();
    const { here, run } = await cloned(root);
    await writeFile(
      join(here.cwd, "package.json"),
      JSON.stringify({ name: "x", version: "4.5.6" }),
    );
    await run("trust", "--yes");
    const [shown] = (await run("extensions", "show", "notes", "--json")).json()
      .extensions as ExtensionState[];
    const { name, version, source, adds, startMs = 0, importMs = 0 } = shown ?? {};
    assert.deepEqual(
      [name, version, adds],
      ["notes", "4.5.6", ["operation notes.find", "operation notes.fail"]],
    );
    assert.match(source ?? "", /notes\.mjs$/);
    assert.ok(startMs >= importMs && importMs > 0, `${startMs} ms, ${importMs} ms`);
    assert.match((await run("extensions", "show", "notes")).stdout, /^✔ notes 4\.5\.6 {2}\w/);
    const unknown = await run("extensions", "show", "note");
    assert.equal(unknown.code, 1);
    assert.match(unknown.stderr, /Did you mean 'notes'\?/);
  });

  test("an input is taken as an argument or as an option, and help shows both", async () => {
    await using directory = await temporaryDirectory();
    await writeFile(directory.file("notes.mjs"), notes);
    const config = await writeConfig(directory, {}, { extensions: ["./notes.mjs"] });
    const place = ["--config", config, "--data-dir", directory.file("data")];
    const run = (...words: string[]) => runCli([...words, ...place]);
    const both = await run("notes", "find", "milk", "--text", "sell");
    assert.match(
      both.stderr,
      /'text' is given twice: as an argument and as an option\. See 'toolplane notes find --help'/,
    );
    assert.equal(both.code, 2);
    const whole = await run(
      "notes",
      "find",
      "milk",
      "--input",
      '{"text":"sell","limit":2}',
      "--json",
    );
    assert.deepEqual(JSON.parse(whole.stdout), [{ text: "milk", limit: 2 }]);
    const help = (await run("notes", "find", "--help")).stdout;
    assert.match(help, /--text <text> +the same as the argument 'text'/);
    assert.match(help, /--input <json> +[^-]*arguments and options\s+replace what it says/);
    assert.match((await run("notes", "--help")).stdout, /find \[options\] <text> +Find notes/);
    const called = await run("call", "notes.find", "text=milk");
    assert.match(called.stderr, /Run it with 'toolplane notes find'/);
  });

  test("over HTTP the title of an operation that failed speaks of it", async () => {
    await using directory = await temporaryDirectory();
    await writeFile(directory.file("notes.mjs"), notes);
    const config = await writeConfig(directory, {}, { extensions: ["./notes.mjs"] });
    await using serving = await startServe(config, directory.file("data"));
    const answer = await fetch(`${serving.url}/extensions/operations/notes.fail`, {
      method: "POST",
      headers: { "content-type": "application/json", ...serving.proof },
      body: "{}",
    });
    const { title, status, code } = (await answer.json()) as Record<string, unknown>;
    assert.deepEqual(
      [title, status, code],
      ["The operation of an extension failed.", 502, "PROVIDER_FAILED"],
    );
  });

  test("a command that waits for trust says so, and says whether the file is new or has changed", async () => {
    await using root = await temporaryDirectory();
    const at = await cloned(root);
    const untrusted = await at.run("notes", "find", "milk");
    assert.match(
      untrusted.stderr,
      /not trusted yet.*\(extensions\).*toolplane trust\n.*Unknown command 'notes'/,
    );
    await at.run("trust", "--yes");
    assert.equal((await at.run("notes", "find", "milk")).code, 0);
    await at.edit();
    for (const words of [
      ["notes", "find", "milk"],
      ["extensions", "list"],
      ["tools", "list"],
    ]) {
      const { stderr } = await at.run(...words);
      assert.match(
        stderr,
        /the file notes\.mjs of this project has changed since you trusted it.*toolplane trust/,
      );
    }
    const { stdout } = await at.run("trust");
    assert.match(stdout, / {2}trusted +extensions \(waits for what is not trusted\)/);
    assert.match(
      stdout,
      / {2}changed +notes\.mjs: extension; \d+ bytes in 16 lines\n {4}\| export default \{\n/,
    );
  });

  test("a plane that serves names what it could not take over, to each command", async () => {
    await using root = await temporaryDirectory();
    const at = await cloned(root, { max: 1 });
    await at.run("trust", "--yes");
    const serving = startCli(["serve", "--port", "0"], at.here);
    try {
      const find = () => at.run("notes", "find", "milk", "--json");
      await until("the plane", async () =>
        (await at.run("extensions", "list")).stdout.includes("✔ notes  started"),
      );
      await at.configure({ max: "many" });
      await at.run("trust", "--yes");
      await until("its settings", async () =>
        /'max' must be .*earlier settings stay/.test((await find()).stderr),
      );
      assert.match(
        (await at.run("tools", "list")).stderr,
        /warning: Extension 'notes': Its settings are wrong/,
      );
      await at.configure({ max: 2 });
      await at.run("trust", "--yes");
      await until("them to be right", async () => (await find()).stderr === "");
      await at.edit();
      const changed = /changed since they were trusted.*'toolplane trust'/s;
      await until("the file", async () => changed.test((await find()).stderr));
      assert.deepEqual(JSON.parse((await find()).stdout), [{ text: "milk" }]);
      assert.match((await at.run("extensions", "list")).stderr, changed);
    } finally {
      serving.process.kill("SIGTERM");
      await serving.result;
    }
  });

  test("a setup that does not end is named after a few seconds, and a terminal says what is waited for", async () => {
    await using directory = await temporaryDirectory();
    await writeFile(
      directory.file("slow.mjs"),
      'export default { name: "slow", setup: () => new Promise(() => {}) };',
    );
    const config = await writeConfig(directory, {}, { extensions: ["./slow.mjs"] });
    const words = ["tools", "list", "--config", config, "--data-dir", directory.file("data")];
    const [stdin, stdout, stderr] = [
      new PassThrough(),
      new PassThrough(),
      Object.assign(new PassThrough(), { isTTY: true }),
    ];
    stdin.end();
    const said = Promise.all([text(stdout), text(stderr)]);
    const exit = (code: number) => assert.fail(`it wants to exit with ${code}`);
    const own = {
      stdin,
      stdout,
      stderr,
      env: process.env,
      signals: process,
      directory: () => directory.path,
      exit,
    };
    await runCommand(createCli(words, own));
    stdout.end();
    stderr.end();
    const [, shown] = await said;
    assert.match(shown, /setting up the extension 'slow'/);
    assert.match(shown, /Extension 'slow': its 'setup' hangs: it takes longer than 5 seconds/);
  });

  test("the log at the level debug has the stack of a setup that failed", async () => {
    await using directory = await temporaryDirectory();
    await writeFile(
      directory.file("bad.mjs"),
      'export default { name: "bad", setup() {\n  throw new Error("no"); } };',
    );
    const config = await writeConfig(directory, {}, { extensions: ["./bad.mjs"] });
    const words = [
      "tools",
      "list",
      "--log-level",
      "debug",
      "--config",
      config,
      "--data-dir",
      directory.file("data"),
    ];
    assert.match(
      (await runCli(words)).stderr,
      /extension\.failed .*\n +Error: no\n +at Object\.setup \(.*bad\.mjs:2:9\)\n/,
    );
  });
});
