import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { after, before, suite, test } from "node:test";
import { projectRoot } from "../fixtures/documents.ts";
import { type TemporaryDirectory, temporaryDirectory } from "../fixtures/start-server.ts";
import { rogue } from "./rogue/rogue.ts";
import {
  type CliOptions,
  fixture,
  processFixture,
  runCli,
  trustProject,
  writeConfig,
} from "./support.ts";

suite("the command line", () => {
  let directory: TemporaryDirectory;

  before(async () => {
    directory = await temporaryDirectory();
    await writeConfig(directory, {
      echo: fixture("echo"),
      missing: { command: "no-such-command-anywhere" },
      members: fixture("echo", [], { groups: ["staff"] }),
    });
    await trustProject(
      { cwd: directory.path, env: { XDG_CONFIG_HOME: directory.path } },
      "--data-dir",
      directory.path,
    );
    await writeFile(directory.file("args.json"), '{"message": "from a file"}');
  });
  after(() => directory[Symbol.asyncDispose]());

  const run = (words: string[], options: CliOptions = {}) => {
    const env = { XDG_CONFIG_HOME: directory.path };
    return runCli([...words, "--data-dir", directory.path], {
      cwd: directory.path,
      env,
      ...options,
    });
  };

  test("a broken server costs only itself: its neighbours list and answer, exit code 0", async () => {
    const [called, listed, servers] = await Promise.all([
      run(["call", "echo.echo", "message=still here"]),
      run(["tools", "list", "--json"]),
      run(["servers", "list", "--json"]),
    ]);
    assert.deepEqual([called.code, called.stdout, called.stderr], [0, "still here\n", ""]);
    assert.equal(listed.code, 0);
    const tools = listed.json().tools as { name: string }[];
    assert.ok(tools.some(({ name }) => name === "echo.echo"));
    assert.ok(!tools.some(({ name }) => name.startsWith("members.")), "not for this caller");
    const states = servers.json().servers as {
      name: string;
      state: string;
      error: string | null;
    }[];
    assert.match(states.find(({ name }) => name === "missing")?.error ?? "", /was not found/);
    assert.equal(states.find(({ name }) => name === "echo")?.state, "connected");
  });

  test("what a server lists and cannot be taken is left out by name, also the second of two with one name", async () => {
    const config = directory.file("bad.json");
    await writeFile(config, JSON.stringify({ mcpServers: { bad: processFixture("bad") } }));
    const [listed, shown, called] = await Promise.all(
      [
        ["servers", "list"],
        ["servers", "show", "bad"],
        ["call", "bad.twice"],
      ].map((words) => run([...words, "--config", config])),
    );
    assert.match(listed?.stdout ?? "", /left out: .*twice/);
    assert.match(
      shown?.stdout ?? "",
      /left out twice: the server lists this name twice; the first one is kept/,
    );
    assert.equal(called?.stdout, "called twice\n");
  });

  test("arguments come as pairs, JSON, a file or standard input", async () => {
    const ways: [string[], CliOptions?][] = [
      [["message=a=b: c"]],
      [["--args", '{"message": "a=b: c"}']],
      [["--args", "-"], { input: '{"message": "a=b: c"}' }],
      [["--args", '{"message": "overridden"}', 'message:="a=b: c"']],
    ];
    const results = await Promise.all(
      ways.map(([words, options]) => run(["call", "echo.echo", ...words], options)),
    );
    for (const { code, stdout } of results) assert.deepEqual([code, stdout], [0, "a=b: c\n"]);
    const file = await run(["call", "echo.echo", "--args", "@args.json"]);
    assert.equal(file.stdout, "from a file\n");
    const nowhere = await run(["call", "echo.echo", "--args", "@none.json"]);
    assert.deepEqual([nowhere.code, nowhere.stdout], [2, ""]);
    assert.match(nowhere.stderr, /'none\.json' of --args cannot be read/);
  });

  test("variables come from files, the later one wins, and what is reported beside the answer can be chosen", async () => {
    await using elsewhere = await temporaryDirectory();
    const config = await writeConfig(elsewhere, {
      s: rogue("leaks-env", [], { env: { WHO: "${GREETED}" } }),
    });
    await writeFile(elsewhere.file("one.env"), "GREETED=one\n");
    await writeFile(elsewhere.file("two.env"), "GREETED=two\n");
    const place = ["--config", config, "--data-dir", elsewhere.file("data")];
    const files = [
      "--env-file",
      elsewhere.file("one.env"),
      "--env-file",
      elsewhere.file("two.env"),
    ];
    const call = ["call", "s.env", ...place];
    const without = await runCli(call);
    const quiet = await runCli([...call, "--log-level", "error"]);
    const debug = await runCli([...call, ...files, "--log-level", "debug"]);
    assert.match(without.stderr, /warning: .*GREETED is not set/);
    assert.doesNotMatch(quiet.stderr, /warning/);
    assert.match(debug.stderr, / tool\.call .*\n(.*\n)* ?.* tool\.result /);
    assert.match(debug.stdout, /"WHO": ?"two"/);
  });

  test("a missing --env-file is a wrong use in a checkout, too, although Node has an option of this name", () => {
    const words = [
      "run",
      "-s",
      "toolplane",
      "--",
      "tools",
      "list",
      "--env-file",
      directory.file("missing.env"),
    ];
    const { status, stderr } = spawnSync("npm", words, { cwd: projectRoot, encoding: "utf8" });
    assert.match(stderr, /'--env-file <file>' argument '.*missing\.env' is invalid/);
    assert.equal(status, 2);
  });

  test("global options may stand before the verb, and help is no mistake", async () => {
    await using elsewhere = await temporaryDirectory();
    const nothing = { cwd: elsewhere.path, env: { XDG_CONFIG_HOME: elsewhere.path } };
    const [early, help, noConfig] = await Promise.all([
      runCli([
        "--json",
        "--data-dir",
        elsewhere.path,
        "--config",
        directory.file("toolplane.json"),
        "call",
        "echo.do_it_now",
      ]),
      runCli(["call", "--help"]),
      runCli(["tools", "list", "--data-dir", elsewhere.path], nothing),
    ]);
    assert.deepEqual([early.code, early.json().ok], [0, true]);
    assert.equal(help.code, 0);
    assert.match(help.stdout, /Examples:\n {2}\$ toolplane call/);
    assert.equal(noConfig.code, 2);
    assert.match(noConfig.stderr, /No configuration found.*pass --config FILE/);
  });
});
