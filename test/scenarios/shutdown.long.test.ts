import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { suite, test } from "node:test";
import { fixtureCommand, readLog, temporaryDirectory } from "../fixtures/start-server.ts";
import { until } from "../fixtures/until.ts";
import { postCall } from "./requests.ts";
import {
  callsAt,
  processFixture as fixture,
  isRunning,
  pidsIn,
  planeOf,
  sleepyServer,
  startCli,
  startServeProcess,
  textsOf,
  untilLogged,
  within,
  writeConfig,
} from "./support.ts";

const stubborn = ["--ignore-sigterm", "--ignore-stdin-end", "--ttl", "60"];

suite("ending on a signal", { concurrency: 4 }, () => {
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    test(`${signal} ends serve with exit code 0 and every server with it`, async () => {
      await using directory = await temporaryDirectory();
      const log = directory.file("log");
      const config = await writeConfig(directory, {
        one: fixture("echo", ["--log", log]),
        two: fixture("echo", ["--log", log]),
      });
      await using serving = await startServeProcess(config, directory.path);
      await until("both starts", () => pidsIn(log).length === 2);
      const { status } = await postCall(serving.url, "one.echo", { arguments: { message: "hi" } });
      assert.equal(status, 200);
      const code = await within(`serve after ${signal}`, serving.stop(signal));
      assert.equal(code, 0);
      assert.deepEqual(pidsIn(log).filter(isRunning), []);
    });
  }

  for (const [signal, code] of [
    ["SIGINT", 130],
    ["SIGTERM", 143],
  ] as const) {
    test(`${signal} ends a call that hangs with exit code ${code}, cancelled and with its server`, async () => {
      await using directory = await temporaryDirectory();
      const log = directory.file("log");
      const config = await writeConfig(directory, { echo: fixture("echo", ["--log", log]) });
      const words = ["call", "echo.slow", "ms:=60000", "--json", "--config", config];
      const running = startCli([...words, "--data-dir", directory.path]);
      await until("the call", () => callsAt(log).length === 1);
      running.process.kill(signal);
      const result = await within(`the call after ${signal}`, running.result);
      assert.equal(result.code, code);
      assert.equal(result.json().error?.code, "CANCELLED");
      await untilLogged(log, ({ event }) => event === "cancelled");
      assert.deepEqual(pidsIn(log).filter(isRunning), []);
    });
  }

  test("a server that ignores the end of its input and SIGTERM is killed", async () => {
    await using directory = await temporaryDirectory();
    const log = directory.file("log");
    const config = await writeConfig(directory, {
      echo: fixture("echo", ["--log", log, ...stubborn]),
    });
    await using serving = await startServeProcess(config, directory.path);
    await until("its start", () => pidsIn(log).length === 1);
    const { status } = await postCall(serving.url, "echo.do_it_now", {});
    assert.equal(status, 200);
    assert.equal(await within("serve", serving.stop("SIGINT")), 0);
    assert.deepEqual(pidsIn(log).filter(isRunning), []);
    await untilLogged(log, ({ event }) => event === "stdin-end");
    await untilLogged(log, ({ event, signal }) => event === "signal" && signal === "SIGTERM");
  });

  test("a server goes with its wrapper script, even when the wrapper was killed", async () => {
    await using directory = await temporaryDirectory();
    const log = directory.file("log");
    const { command, args } = fixtureCommand("echo", [
      "--log",
      log,
      "--ignore-stdin-end",
      "--ttl",
      "60",
    ]);
    const script = ["-c", '"$0" "$@"; true', command, ...args];
    await using plane = await planeOf({ wrapped: { command: "sh", args: script } });
    assert.deepEqual(textsOf(await plane.call("wrapped.do_it_now")), ["done"]);
    const [{ pid = null } = {}] = await plane.servers.list();
    assert.ok(pid !== null && !pidsIn(log).includes(pid), "the wrapper is a process of its own");
    process.kill(pid, "SIGKILL");
    await plane.stop();
    assert.deepEqual(pidsIn(log).filter(isRunning), []);
  });

  test("a server that no longer listens is ended and replaced, not left behind", async () => {
    await using directory = await temporaryDirectory();
    const log = directory.file("log");
    const { command, args } = fixtureCommand("echo", ["--log", log, "--ttl", "90"]);
    const deaf =
      "import { closeSync } from 'node:fs'; setInterval(() => {}, 1000);" +
      "process.once('SIGUSR2', () => { process.stdin.destroy(); closeSync(0); });";
    const words = ["--import", `data:text/javascript,${encodeURIComponent(deaf)}`, ...args];
    await using plane = await planeOf({ deaf: { command, args: words } });
    await plane.call("deaf.do_it_now");
    const [first = 0] = pidsIn(log);
    process.kill(first, "SIGUSR2");
    await until("another one", async () => {
      await plane.call("deaf.do_it_now", {}, { timeoutMs: 2_000 });
      return pidsIn(log).length === 2;
    });
    assert.deepEqual(textsOf(await plane.call("deaf.do_it_now")), ["done"]);
    await plane.stop();
    assert.equal(pidsIn(log).length, 2);
    assert.deepEqual(pidsIn(log).filter(isRunning), []);
  });

  test("SIGINT does not wait for a server that never finishes its handshake", async () => {
    await using directory = await temporaryDirectory();
    const log = directory.file("log");
    const config = await writeConfig(directory, { sleepy: sleepyServer(["--log", log]) });
    const common = ["--config", config, "--data-dir", directory.path];
    const commands = [
      startCli(["call", "sleepy.echo", "message=hi", "--standalone", ...common]),
      startCli(["tools", "list", "--standalone", ...common]),
      startCli(["serve", "--port", "0", ...common]),
    ];
    await until("three starts", () => pidsIn(log).length === 3);
    for (const { process: child } of commands) child.kill("SIGINT");
    const results = commands.map(({ result }) => result);
    const codes = (await within("ending", Promise.all(results))).map(({ code }) => code);
    assert.deepEqual(codes, [130, 130, 0]);
    assert.deepEqual(pidsIn(log).filter(isRunning), []);
  });

  test("SIGTERM lets serve answer the call it is working on and refuses new ones", async () => {
    await using directory = await temporaryDirectory();
    const log = directory.file("log");
    const config = await writeConfig(directory, { echo: fixture("echo", ["--log", log]) });
    await using serving = await startServeProcess(config, directory.path);
    const working = postCall(serving.url, "echo.slow", { arguments: { ms: 700 } });
    await until("the call", () => callsAt(log).length === 1);
    const stopped = serving.stop("SIGTERM");
    const { status, body } = await working;
    assert.deepEqual([status, body.ok], [200, true]);
    assert.equal(await within("serve after its last answer", stopped), 0);
  });

  test("a call over HTTP that never ends does not keep serve from ending", async () => {
    await using directory = await temporaryDirectory();
    const log = directory.file("log");
    const config = await writeConfig(directory, { echo: fixture("echo", ["--log", log]) });
    await using serving = await startServeProcess(config, directory.path);
    const hanging = postCall(serving.url, "echo.slow", { arguments: { ms: 12_000 } }).catch(
      () => undefined,
    );
    await until("the call", () => callsAt(log).length === 1);
    assert.equal(await within("serve", serving.stop("SIGINT")), 0);
    assert.deepEqual(pidsIn(log).filter(isRunning), []);
    await hanging;
  });

  test("a client that hangs up cancels its call at the server", async () => {
    await using directory = await temporaryDirectory();
    const log = directory.file("log");
    const config = await writeConfig(directory, { echo: fixture("echo", ["--log", log]) });
    await using serving = await startServeProcess(config, directory.path);
    const controller = new AbortController();
    const body = JSON.stringify({ arguments: { ms: 60_000 } });
    const { signal } = controller;
    const calling = fetch(`${serving.url}/tools/echo.slow/call`, { method: "POST", body, signal });
    await until("the call", () => callsAt(log).length === 1);
    controller.abort();
    await assert.rejects(calling);
    await untilLogged(log, ({ event }) => event === "cancelled");
  });
});

/** Answers, then does what `then` says with every call. It ends by itself after a minute. */
const rogue = (then: string) => `
const { appendFileSync } = require("node:fs");
setTimeout(() => process.exit(), 60_000);
appendFileSync(process.argv[2], JSON.stringify({ event: "start", pid: process.pid }) + "\\n");
process.stdout.on("error", () => {});
for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"]) process.on(signal, () => {});
const schema = { type: "object", properties: { text: { type: "string", pattern: "^(a|a)*(b|b)*$" } } };
const tools = [{ name: "go", inputSchema: schema, outputSchema: schema, annotations: { readOnlyHint: true } }];
const answers = {
  initialize: { protocolVersion: "2025-06-18", serverInfo: { name: "r", version: "1" }, capabilities: { tools: {} } },
  "tools/list": { tools },
};
const say = (message) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\\n");
let rest = "";
process.stdin.on("data", (chunk) => {
  rest += chunk;
  for (let end = rest.indexOf("\\n"); end >= 0; end = rest.indexOf("\\n")) {
    const { id, method } = JSON.parse(rest.slice(0, end));
    rest = rest.slice(end + 1);
    if (answers[method]) say({ id, result: answers[method] });
    else if (method === "tools/call") {
      appendFileSync(process.argv[2], JSON.stringify({ event: "call", pid: process.pid }) + "\\n");
      ${then}
    }
    else if (id !== undefined) say({ id, error: { code: -32601, message: "no" } });
  }
});`;

const rogues = {
  "reads nothing more and ignores every signal":
    "process.stdin.pause(); setInterval(() => {}, 1000);",
  "floods its output":
    'const flood = () => { while (process.stdout.write("x".repeat(5000) + "\\n" + JSON.stringify({ jsonrpc: "2.0", method: "notifications/message", params: { level: "info", data: "y".repeat(5000) } }) + "\\n")); process.stdout.once("drain", flood); }; flood();',
  "answers what takes long to check, again and again":
    'const text = "a".repeat(2_000_000) + "!"; const result = { content: [], structuredContent: { text } }; setInterval(() => say({ id, result }), 5);',
  "asks without end":
    'setInterval(() => { for (let n = 0; n < 200; n++) say({ id: "q" + Math.random(), method: "roots/list" }); }, 1);',
};

test(`SIGTERM ends serve within its limit and leaves no child, though a server ${Object.keys(rogues).join(", one ")}`, async () => {
  await using directory = await temporaryDirectory();
  const log = directory.file("log");
  const servers: Parameters<typeof writeConfig>[1] = {};
  for (const [at, then] of Object.values(rogues).entries()) {
    await writeFile(directory.file(`rogue${at}.cjs`), rogue(then));
    servers[`r${at}`] = {
      command: process.execPath,
      args: [directory.file(`rogue${at}.cjs`), log],
    };
  }
  const names = Object.keys(servers);
  await using serving = await startServeProcess(
    await writeConfig(directory, servers),
    directory.path,
  );
  await until("their start", () => pidsIn(log).length === names.length);
  const calls = names.map((name) =>
    postCall(serving.url, `${name}.go`, { arguments: { text: "a" } }).catch(() => null),
  );
  await until(
    "the calls",
    () => readLog(log).filter(({ event }) => event === "call").length === names.length,
  );
  assert.equal(await within("serve after SIGTERM", serving.stop("SIGTERM")), 0);
  await Promise.all(calls);
  assert.deepEqual(pidsIn(log).filter(isRunning), []);
});
