import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { after, before, suite, test } from "node:test";
import { blocksOf, documents } from "../fixtures/documents.ts";
import { type TemporaryDirectory, temporaryDirectory } from "../fixtures/start-server.ts";
import { until } from "../fixtures/until.ts";
import {
  type RunningServe,
  runCli,
  startCli,
  startServe,
  startServeProcess,
  writeConfig,
} from "./support.ts";

const greeter = `
const said = { type: "object", properties: {
  limit: { type: "integer", minimum: 1, description: "at most this many", default: 5 },
  language: { type: "string", enum: ["en", "de"], description: "only of this language" },
  names: { type: "array", items: { type: "string" } },
  loud: { type: "boolean" },
  maxWords: { type: "number" },
  more: { type: "object" },
  user: { type: "string" },
  any: {},
}, additionalProperties: false };
const person = { type: "object", required: ["name"], additionalProperties: false,
  properties: { name: { type: "string", description: "who is greeted" }, times: { type: "integer" } } };
const rows = [{ name: "Ann", text: "Hello, Ann!" }, { name: "Bob", text: null }];
export default {
  name: "greeter",
  about: "Greets people.",
  formats: [{ name: "Acme Desktop", read: ({ acme }) => (acme ? { mcpServers: acme } : null) }],
  setup({ addOperation, addPanel, log }) {
    log("ready to greet");
    addPanel({ title: "Greetings", facts: () => [{ label: "said", value: 3 }] });
    const add = (name, more) => addOperation({ name, summary: "Does " + name, scope: "read", ...more });
    add("greetings.list", { input: said, columns: { name: "WHO", text: "TEXT" }, run: () => ({ total: 2, rows }) });
    add("greetings.none", { columns: { name: "WHO" }, run: () => [] });
    add("greetings.echo", { input: said, run: (input) => input });
    add("greetings.say", { scope: "call", changes: true, input: person,
      run: ({ name, times = 1 }) => ({ text: ("Hello, " + name + "! ").repeat(times).trim(), in: process.pid }) });
    add("greetings.fail", { run: () => { throw new Error("no voice"); } });
    add("greetings.reset", { run: () => undefined });
    add("greetings.listAll", { run: () => "all of them" });
    add("tools.greeted", { run: () => 3 });
  },
};`;
const broken = `export default { name: "broken", setup() { throw new Error("no licence"); } };`;

suite("the operations of an extension", () => {
  let directory: TemporaryDirectory;
  let place: string[];
  let config: string;
  before(async () => {
    directory = await temporaryDirectory();
    await writeFile(directory.file("greeter.mjs"), greeter);
    await writeFile(directory.file("broken.mjs"), broken);
    config = await writeConfig(directory, {}, { extensions: ["./greeter.mjs"] });
    place = ["--config", config, "--data-dir", directory.file("data")];
  });
  after(() => directory[Symbol.asyncDispose]());
  const run = (...words: string[]) => runCli([...words, ...place]);
  const json = async (...words: string[]) => (await run(...words, "--json")).json();

  test("are commands, with a table, lines or a text as their answer", async () => {
    const listed = await run("greetings", "list");
    assert.equal(listed.stdout, "total  2\nWHO  TEXT\nAnn  Hello, Ann!\nBob  -\n", listed.stderr);
    assert.deepEqual(await json("greetings", "list"), {
      total: 2,
      rows: [
        { name: "Ann", text: "Hello, Ann!" },
        { name: "Bob", text: null },
      ],
    });
    assert.equal((await run("greetings", "none")).stdout, "None.\n");
    assert.equal((await run("greetings", "reset")).stdout, "Done.\n");
    assert.equal((await run("greetings", "list-all")).stdout, "all of them\n");
    assert.equal((await run("greetings", "listAll")).stdout, "all of them\n");
    assert.match(
      (await run("greetings", "say", "Ann", "--times", "2")).stdout,
      /^text {2}Hello, Ann! Hello, Ann!\n/,
    );
    assert.equal((await json("greetings", "say", "--name", "Bob")).text, "Hello, Bob!");
  });

  test("take their inputs as options of the kind that the schema says", async () => {
    const words = [
      "--limit",
      "3",
      "--language",
      "de",
      "--names",
      "a",
      "--names",
      "b",
      "--loud",
      "--max-words",
      "2.5",
    ];
    const more = ["--more", '{"a":[1]}', "--input-user", "ann", "--any", "[1]"];
    assert.deepEqual(await json("greetings", "echo", ...words, ...more), {
      limit: 3,
      language: "de",
      names: ["a", "b"],
      loud: true,
      maxWords: 2.5,
      more: { a: [1] },
      user: "ann",
      any: [1],
    });
    assert.deepEqual(
      await json("greetings", "echo", "--no-loud", "--maxWords", "1", "--any", "text"),
      {
        loud: false,
        maxWords: 1,
        any: "text",
      },
    );
    assert.deepEqual(
      await json("greetings", "echo", "--input", '{"limit":1,"loud":true}', "--limit", "2"),
      {
        limit: 2,
        loud: true,
      },
    );
  });

  test("refuse what does not fit, with the help that explains it", async () => {
    const refused: [string[], RegExp][] = [
      [
        ["echo", "--limit", "few"],
        /'few' is invalid\. Give an integer\. See 'toolplane greetings echo --help'/,
      ],
      [["echo", "--language", "fr"], /Give one of en, de\./],
      [["echo", "--more", "x"], /Give a JSON object/],
      [["echo", "--limit", "0"], /The input of 'greetings\.echo' is wrong: 'limit' must be >= 1/],
      [["echo", "--nothing"], /Unknown option '--nothing'/],
      [["echo", "more"], /Too many arguments/],
      [["say"], /Missing required argument 'name'\. See 'toolplane greetings say --help'/],
      [["sai"], /Unknown command 'sai' \(Did you mean say\?\)/],
    ];
    for (const [words, message] of refused) {
      const { code, stderr } = await run("greetings", ...words);
      assert.match(stderr, message);
      assert.equal(code, 2, stderr);
    }
    const { code, stderr } = await run("greetings", "fail");
    assert.match(
      stderr,
      /'greetings\.fail' of the extension 'greeter' failed: no voice \[PROVIDER_FAILED\]/,
    );
    assert.equal(code, 1);
  });

  test("have help: of the command, of its group, and in the order of 'help'", async () => {
    const { stdout, code } = await run("greetings", "say", "--help");
    assert.match(
      stdout,
      /Usage: toolplane greetings say \[options\] <name>\n\nDoes greetings\.say/,
    );
    assert.match(stdout, /name +who is greeted[\s\S]*--times <number>/);
    assert.equal(code, 0);
    assert.equal((await run("help", "greetings", "say")).stdout, stdout);
    assert.match(
      (await run("greetings", "--help")).stdout,
      /list \[options\] +Does greetings\.list/,
    );
    const options = await run("greetings", "echo", "--help");
    assert.match(options.stdout, /--limit <number> +at most this many \(default: 5\)/);
    assert.match(
      options.stdout,
      /--language <choice> +only of this language \(choices: "en", "de"\)/,
    );
    const bare = await run("greetings");
    assert.match(bare.stderr, /Usage: toolplane greetings/);
    assert.equal(bare.code, 2);
    assert.match(
      (await runCli(["--help"])).stdout,
      /'toolplane extensions list' shows them\.\n\n?$/,
    );
  });

  test("stand beside the commands of a group, and no other command changes", async () => {
    assert.equal((await run("tools", "greeted")).stdout, "3\n");
    assert.match(
      (await run("tools", "lst")).stderr,
      /Unknown command 'lst' \(Did you mean list\?\)/,
    );
    await using elsewhere = await temporaryDirectory();
    const env = { XDG_CONFIG_HOME: elsewhere.path, XDG_DATA_HOME: elsewhere.path };
    for (const words of [place, []]) {
      const { code, stdout, stderr } = await runCli(["tolls", "list", ...words], {
        cwd: elsewhere.path,
        env,
      });
      assert.equal(
        stderr,
        "error: Unknown command 'tolls' (Did you mean tools?). See 'toolplane --help'. [USAGE]\n",
      );
      assert.deepEqual([code, stdout], [2, ""]);
    }
  });

  test("an extension that failed is named by commands and by doctor", async () => {
    const files = await writeConfig(
      { file: () => directory.file("broken.json") },
      {},
      { extensions: ["./broken.mjs"] },
    );
    const with2 = ["--config", files, "--data-dir", directory.file("broken-data")];
    const warning =
      /warning: Extension 'broken': its 'setup' failed: no licence \(broken\.mjs:1:50\)\n/g;
    for (const words of [
      ["tools", "list"],
      ["greetings", "list"],
    ]) {
      const { stderr } = await runCli([...words, ...with2]);
      assert.equal(stderr.match(warning)?.length, 1, stderr);
    }
    const doctor = await runCli(["doctor", ...with2]);
    assert.equal(doctor.code, 1);
    assert.match(
      doctor.stdout,
      /✖ extension broken\n +✖ failed: its 'setup' failed: no licence \(broken\.mjs:1:50\)\n +fix: /,
    );
    const listed = await runCli(["extensions", "list", ...with2]);
    assert.match(
      listed.stdout,
      /^✖ broken {2}failed\n {2}reason +its 'setup' failed: no licence \(broken\.mjs:1:50\)\n {2}from +\.\/broken/,
    );
    const fine = await run("extensions", "list");
    assert.match(
      fine.stdout,
      /^✔ greeter {2}set up\n {2}about +Greets people\.\n {2}commands +greetings list, /,
    );
    assert.match(
      fine.stdout,
      /\n {2}adds +panel Greetings\n {2}from +\.\/greeter\.mjs\n {2}since /,
    );
  });

  test("are run by the plane that serves, where one does", async () => {
    const data = directory.file("served");
    const both = await writeConfig(
      { file: () => directory.file("both.json") },
      {},
      { extensions: ["./greeter.mjs", "./broken.mjs"] },
    );
    await using serving = await startServeProcess(both, data);
    const attached = ["--config", both, "--data-dir", data];
    const said = (await runCli(["greetings", "say", "Ann", "--json", ...attached])).json();
    assert.deepEqual(said, { text: "Hello, Ann!", in: serving.process.pid });
    const own = (
      await runCli(["greetings", "say", "Ann", "--json", "--standalone", ...attached])
    ).json();
    assert.equal(own.in, process.pid);
    const failed = await runCli(["greetings", "fail", ...attached]);
    assert.match(failed.stderr, /no voice \[PROVIDER_FAILED\]/);
    const unknown = await runCli(["greting", "list", ...attached]);
    assert.match(unknown.stderr, /Extension 'broken'.*no licence.*\n.*Unknown command 'greting'/);
    const audited = await runCli(["audit", "list", "--json", ...attached]);
    assert.match(audited.stdout, /"operation": ?"greetings\.say"/);
  });

  test("what a serving plane's extensions say and why one failed is on its standard error", async () => {
    const both = { extensions: ["./greeter.mjs", "./broken.mjs"] };
    const file = await writeConfig({ file: () => directory.file("log.json") }, {}, both);
    const running = startCli([
      "serve",
      "--port",
      "0",
      "--config",
      file,
      "--data-dir",
      directory.file("log"),
    ]);
    let seen = "";
    running.process.stderr?.on("data", (chunk) => {
      seen += String(chunk);
    });
    await until("both lines", () => seen.includes("greeter") && seen.includes("broken"));
    running.process.kill("SIGTERM");
    const { stderr } = await running.result;
    assert.match(stderr, /· greeter: ready to greet\n/);
    assert.match(
      stderr,
      /warning: Extension 'broken': its 'setup' failed: no licence \(broken\.mjs:1:50\)\n/,
    );
  });

  test("are commands of the chat", async () => {
    const input = "/greetings say Ann --json\n/greeting say Ann\n";
    const { stdout, stderr } = await runCli(["chat", ...place], { input });
    assert.match(stdout, /"text":"Hello, Ann!"/);
    assert.match(stderr, /Unknown command \/greeting\./);
  });

  test("the example of the document runs as it says", async () => {
    const [document] = documents(["docs/extensions.md"]);
    const example =
      document && blocksOf(document, "js").find(({ text }) => text.includes("export default"));
    await writeFile(directory.file("example.mjs"), example?.text ?? "");
    const use = { extensions: [{ use: "./example.mjs", with: { word: "Servus" } }] };
    const file = await writeConfig({ file: () => directory.file("example.json") }, {}, use);
    const [, words = ""] = /`toolplane (greetings [^`]*)`/.exec(document?.text ?? "") ?? [];
    const said = await runCli([
      ...words.split(" "),
      "--config",
      file,
      "--data-dir",
      directory.file("example"),
    ]);
    assert.equal(said.stdout, "text  Servus, Ann!Servus, Ann!\n", said.stderr);
  });

  test("a file that only an extension knows is imported", async () => {
    const file = directory.file("acme.json");
    await writeFile(
      file,
      JSON.stringify({ acme: { clock: { command: "clock", args: ["--utc"] } } }),
    );
    const into = directory.file("imported.json");
    const { code, stdout, stderr } = await runCli(["import", file, "--to", into, ...place]);
    assert.equal(code, 0, stderr);
    assert.match(stdout, /Acme Desktop +clock/);
    const written = JSON.parse(await readFile(into, "utf8")) as { mcpServers: object };
    assert.deepEqual(written.mcpServers, { clock: { command: "clock", args: ["--utc"] } });
    const without = await runCli([
      "import",
      file,
      "--dry-run",
      "--config",
      into,
      "--data-dir",
      directory.file("data"),
    ]);
    assert.match(without.stderr, /has no servers in a form that is known/);
  });
});

suite("the operations of an extension over HTTP", () => {
  let directory: TemporaryDirectory;
  let serving: RunningServe;
  before(async () => {
    directory = await temporaryDirectory();
    await writeFile(directory.file("greeter.mjs"), greeter);
    const config = await writeConfig(directory, {}, { extensions: ["./greeter.mjs"] });
    serving = await startServe(config, directory.file("data"));
  });
  after(async () => {
    await serving.stop();
    await directory[Symbol.asyncDispose]();
  });
  const post = (operation: string, body: unknown, headers = serving.proof) =>
    fetch(`${serving.url}/extensions/operations/${operation}`, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify(body),
    });

  test("stand in the document with their input", async () => {
    const document = (await (await fetch(`${serving.url}/openapi.json`)).json()) as {
      paths: Record<string, { post: Record<string, unknown> }>;
    };
    const described = document.paths["/extensions/operations/greetings.say"]?.post;
    assert.deepEqual(described?.tags, ["Extensions"]);
    assert.equal(described?.summary, "Does greetings.say");
    assert.match(String(described?.description), /extension `greeter`[\s\S]*scope `call`/);
    const body = described?.requestBody as {
      required: boolean;
      content: Record<string, { schema: object }>;
    };
    assert.equal(body.required, true);
    assert.deepEqual(Reflect.get(body.content["application/json"]?.schema ?? {}, "required"), [
      "name",
    ]);
    const page = await (await fetch(`${serving.url}/docs`)).text();
    assert.match(page, /extensions\/operations\/greetings\.say/);
  });

  test("answer, refuse and fail as every route does", async () => {
    const said = await post("greetings.say", { name: "Ann" });
    assert.deepEqual(await said.json(), { text: "Hello, Ann!", in: process.pid });
    assert.equal(await (await post("greetings.reset", {})).json(), null);
    const cases: [string, unknown, number, RegExp][] = [
      ["greetings.say", {}, 400, /name/],
      ["greetings.say", { name: "Ann", tmes: 2 }, 400, /'tmes' is unknown; known are name, times/],
      ["greetings.none-such", {}, 404, /No extension has an operation/],
      ["greetings.fail", {}, 502, /no voice/],
    ];
    for (const [operation, body, status, detail] of cases) {
      const answer = await post(operation, body);
      assert.equal(answer.status, status, operation);
      assert.equal(answer.headers.get("content-type"), "application/problem+json");
      assert.match(((await answer.json()) as { detail: string }).detail, detail);
    }
    assert.equal((await post("greetings.say", { name: "Ann" }, {})).status, 403);
  });

  test("are listed with the panels and the state of each extension", async () => {
    const get = async (path: string) =>
      (await (await fetch(`${serving.url}${path}`)).json()) as Record<string, object[]>;
    await until(
      "it to be started",
      async () =>
        Reflect.get((await get("/extensions")).extensions?.[0] ?? {}, "state") === "started",
    );
    const { operations } = await get("/extensions/operations");
    assert.equal(operations?.length, 8);
    const { panels } = await get("/extensions/panels");
    assert.deepEqual(panels, [
      {
        extension: "greeter",
        title: "Greetings",
        facts: [{ label: "said", value: 3, about: null }],
        error: null,
      },
    ]);
  });
});
