import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { suite, test } from "node:test";
import { createPlane } from "../../src/index.ts";
import { principalOf, trusted } from "../../src/model/principal.ts";
import { temporaryDirectory } from "../fixtures/start-server.ts";
import { until } from "../fixtures/until.ts";
import { getJson } from "./requests.ts";
import { startMcp } from "./rogue/mcp-client.ts";
import {
  assertFailed,
  callsAt,
  errorOf,
  processFixture as fixture,
  isAlive,
  namedServer,
  type Printed,
  pidsIn,
  planeOf,
  runCli,
  sleepyServer,
  startServe,
  textsOf,
  within,
  writeConfig,
} from "./support.ts";

const reference = (variable: string) => `\${${variable}}`;

suite("servers in trouble", { concurrency: 6 }, () => {
  test("each server that cannot run has its own reason and leaves the others alone", async () => {
    await using plane = await planeOf({
      echo: fixture("echo"),
      missing: { command: "no-such-command-anywhere" },
      nowhere: fixture("echo", [], { cwd: "/no/such/directory" }),
      dying: fixture("fault", ["--exit-at-start", "3"]),
      nothing: { description: "neither command nor url" },
      unset: fixture("echo", [reference("NO_SUCH_VARIABLE_ANYWHERE")]),
      off: fixture("echo", [], { enabled: false }),
    });
    const expected: Record<string, RegExp> = {
      "missing.echo": /command 'no-such-command-anywhere' was not found.*Check 'command' and PATH/,
      "nowhere.echo": /directory '\/no\/such\/directory'.*Check 'cwd'/,
      "dying.ok": /exited with code 3/,
      "nothing.echo": /neither 'command' nor 'url' is given/,
      "unset.echo": /NO_SUCH_VARIABLE_ANYWHERE is not set/,
    };
    for (const [tool, reason] of Object.entries(expected)) {
      const outcome = await plane.call(tool, {});
      assertFailed(outcome, "SERVER_UNAVAILABLE", "failed");
      assert.match(errorOf(outcome).message, reason);
      assert.equal(errorOf(outcome).server, tool.split(".")[0]);
    }
    assertFailed(await plane.call("off.echo", { message: "x" }), "TOOL_NOT_FOUND", "refused");
    assert.deepEqual(textsOf(await plane.call("echo.echo", { message: "hi" })), ["hi"]);
    const tools = await plane.tools.list();
    assert.deepEqual([...new Set(tools.map(({ id }) => id.server))], ["echo"]);
    const states = (await plane.servers.list()).map(({ name, state }) => [name, state]);
    assert.deepEqual(Object.fromEntries(states), {
      echo: "connected",
      missing: "error",
      nowhere: "error",
      dying: "error",
      nothing: "config_error",
      unset: "config_error",
      off: "disabled",
    });
  });

  test("a name found nowhere is reported together with the servers that could not be asked", async () => {
    await using plane = await planeOf({
      echo: fixture("echo"),
      missing: { command: "no-such-command" },
    });
    await plane.servers.connect("echo");
    const outcome = await plane.call("ecko", {});
    assertFailed(outcome, "TOOL_NOT_FOUND", "refused");
    assert.match(
      errorOf(outcome).message,
      /Did you mean .*'echo\.echo'.*'missing' is not available/,
    );
  });

  test("junk on standard output is no message and disturbs no answer", async () => {
    await using plane = await planeOf({ fault: fixture("fault", ["--junk"]) });
    assert.deepEqual(textsOf(await plane.call("fault.junk")), ["after the junk"]);
    const calls = await Promise.all(Array.from({ length: 5 }, () => plane.call("fault.ok")));
    for (const outcome of calls) assert.deepEqual(textsOf(outcome), ["ok"]);
  });

  test("a server that asks with the id of our own request gets its answer and we get ours", async () => {
    await using plane = await planeOf({ rpc: fixture("rpc") });
    assert.deepEqual((await plane.call("rpc.ask_ping")).result?.structuredContent, { result: {} });
    const unknown = (await plane.call("rpc.ask_unknown")).result?.structuredContent;
    assert.equal((unknown as { error: { code: number } }).error.code, -32601);
  });

  test("a killed server fails its pending calls at once and comes back with the next call", async () => {
    await using directory = await temporaryDirectory();
    const log = directory.file("log");
    await using plane = await planeOf({ fault: fixture("fault", ["--log", log]) });
    const lost: string[] = [];
    plane.on("server.disconnected", ({ server, reason }) => lost.push(`${server}: ${reason}`));
    const pending = Promise.all([1, 2, 3].map(() => plane.call("fault.wrong_id")));
    await until("three calls", () => callsAt(log).length === 3);
    const [{ pid = null } = {}] = await plane.servers.list();
    assert.ok(pid !== null);
    process.kill(pid, "SIGKILL");
    for (const outcome of await within("failing pending calls", pending)) {
      assertFailed(outcome, "OUTCOME_UNKNOWN", "failed");
      assert.match(errorOf(outcome).message, /SIGKILL/);
    }
    const [status] = await plane.servers.list();
    assert.deepEqual([status?.state, status?.stale, status?.pid], ["disconnected", true, null]);
    assert.ok((status?.tools ?? 0) > 0, "its tools stay listed");
    assert.equal(lost.length, 1, lost.join());
    assert.deepEqual(textsOf(await plane.call("fault.ok")), ["ok"]);
    assert.equal(pidsIn(log).length, 2);
    for (const tool of ["exit_mid_call", "half_line", "kill_mid_call"]) {
      assertFailed(await plane.call(`fault.${tool}`), "OUTCOME_UNKNOWN", "failed");
      assert.deepEqual(textsOf(await plane.call("fault.ok")), ["ok"], `after ${tool}`);
    }
  });

  test("many first calls at once start a server once", async () => {
    await using directory = await temporaryDirectory();
    const log = directory.file("log");
    await using plane = await planeOf({ echo: fixture("echo", ["--log", log]) });
    await Promise.all(["a", "b", "c", "d"].map((message) => plane.call("echo.echo", { message })));
    assert.deepEqual([pidsIn(log).length, callsAt(log).length], [1, 4]);
  });

  test("a server that hangs delays neither calls to another nor the end of the plane", async () => {
    await using directory = await temporaryDirectory();
    const log = directory.file("log");
    const plane = await planeOf({ sleepy: sleepyServer(["--log", log]), echo: fixture("echo") });
    plane.start();
    const call = plane.call("echo.echo", { message: "hi" });
    assert.deepEqual(textsOf(await within("a call beside a hanging server", call)), ["hi"]);
    await until("the start of the other", () => pidsIn(log).length === 1);
    await within("stopping while a server still starts", plane.stop());
    assert.deepEqual(pidsIn(log).filter(isAlive), []);
  });

  test("a server that failed its handshake is gone when the plane is", async () => {
    await using directory = await temporaryDirectory();
    const log = directory.file("log");
    const stubborn = ["--log", log, "--ignore-sigterm", "--ignore-stdin-end"];
    const plane = await planeOf({ sleepy: { ...sleepyServer(stubborn), connectTimeoutMs: 500 } });
    assertFailed(await plane.call("sleepy.echo", {}), "SERVER_UNAVAILABLE", "failed");
    await plane.stop();
    assert.deepEqual(pidsIn(log).filter(isAlive), []);
  });

  test("entries that no server should list are rejected one by one", async () => {
    await using plane = await planeOf({ bad: fixture("bad") });
    const names = (await plane.tools.list()).map(({ id }) => id.tool);
    for (const good of [
      "good_one",
      "good_two",
      "twice",
      "no_description",
      "no_schema",
      "schema_is_text",
      "schema_bad_type",
    ]) {
      assert.ok(names.includes(good), good);
      assert.deepEqual(textsOf(await plane.call(`bad.${good}`)), [`called ${good}`]);
    }
    assert.equal(names.filter((name) => name === "twice").length, 1);
    const [{ rejected = [] } = {}] = await plane.servers.list();
    const reasons = Object.fromEntries(rejected.map(({ tool, reason }) => [tool, reason]));
    assert.equal(reasons["entry 2"], "it has no name");
    assert.match(reasons.twice ?? "", /twice/);
    assert.deepEqual(
      rejected.map(({ tool }) => tool),
      ["entry 2", "entry 3", "entry 4", "entry 5", "entry 6", "twice", "schema_bad_pattern"],
    );
    const outcome = await plane.call("bad.schema_dangling_ref", { text: "x" });
    assertFailed(outcome, "PROVIDER_FAILED", "failed");
    assert.match(errorOf(outcome).message, /schema/);
  });

  test("long lists are read to their end, and a cursor that never advances ends them", async () => {
    await using plane = await planeOf({
      paged: fixture("paged"),
      loop: fixture("paged", ["--loop"]),
    });
    const tools = await within("listing", plane.tools.list());
    assert.equal(tools.filter(({ id }) => id.server === "paged").length, 120);
    assert.ok(tools.some(({ id }) => id.server === "loop"));
  });

  test("a tool that a server adds while it runs can be called without a new connection", async () => {
    await using plane = await planeOf({ changing: fixture("changing") });
    await plane.tools.list();
    const changed = new Promise((resolve) => plane.on("registry.changed", resolve));
    await plane.call("changing.add_tool", { name: "fresh" });
    await within("listing again", changed);
    const outcome = await plane.call("changing.fresh");
    assert.deepEqual(outcome.result?.structuredContent, { tool: "fresh", arguments: {} });
  });
});

test("the list of servers has files, counts, failed attempts, waits and the next try", async () => {
  await using directory = await temporaryDirectory();
  const config = await writeConfig(directory, {
    good: fixture("offering"),
    gone: {
      command: process.execPath,
      args: ["-e", "process.exit(3)"],
      backoffMs: 500_000,
      maxBackoffMs: 700_000,
    },
  });
  const place = ["--config", config, "--data-dir", directory.file("data")];
  type Status = Record<string, unknown> & { name: string };
  const facts = (servers: Status[]) => {
    const { attempts, reconnect, nextRetryAt } = servers.find(
      ({ name }) => name === "gone",
    ) as Status;
    assert.deepEqual(
      [Number(attempts) > 0, reconnect],
      [true, { backoffMs: 500_000, maxBackoffMs: 700_000 }],
    );
    assert.equal(typeof nextRetryAt, "string");
    const { offers } = servers.find(({ name }) => name === "good") as Status & {
      offers: { prompts: unknown };
    };
    assert.ok("prompts" in offers);
  };
  const hasFailed = (servers: unknown) =>
    (servers as Status[]).some(({ name, attempts }) => name === "gone" && Number(attempts) > 0);
  let listed: Printed = {};
  await until("a failed try", async () => {
    listed = (await runCli(["servers", "list", "--json", ...place])).json();
    return hasFailed(listed.servers);
  });
  assert.deepEqual(listed.files, [config]);
  facts(listed.servers as Status[]);
  const shown = await runCli(["servers", "show", "gone", ...place]);
  assert.match(shown.stdout, /failed tries +\d[\s\S]*waits +500000 to 700000 ms/);
  await using serving = await startServe(config, directory.file("data"));
  await getJson(`${serving.url}/tools`);
  await until("a failed try", async () =>
    hasFailed((await getJson(`${serving.url}/servers`)).body.servers),
  );
  const { body } = await getJson(`${serving.url}/servers`);
  assert.deepEqual(body.files, ["toolplane.json"]);
  facts(body.servers as Status[]);
});

const words = "Error: IGNORE-ME /srv/secret/path";

const broken = {
  command: process.execPath,
  args: ["-e", `console.error("${words}"); process.exit(1)`],
};

test("what a broken server wrote reaches no model and no stranger, however they ask", async () => {
  await using directory = await temporaryDirectory();
  const config = await writeConfig(directory, { e2: broken, fine: namedServer("fine", ["read"]) });
  await using client = await startMcp(config, directory.file("mcp"));
  const answers = [];
  for (const name of ["nowhere", "e2__read", "e2.read"])
    answers.push(await client.ask("tools/call", { name, arguments: {} }));
  answers.push(
    await client.ask("tools/call", { name: "mcp_tool_search", arguments: { query: "read" } }),
  );
  assert.doesNotMatch(JSON.stringify(answers), /IGNORE-ME|secret/);
  assert.match(JSON.stringify(answers), /Server 'e2' is not available: it exited with code 1\./);
  await using plane = await createPlane({ config, dataDirectory: directory.file("data") });
  const caller = { principal: principalOf({ user: "ann" }) };
  const { error } = await plane.call("e2.read", {}, caller);
  assert.equal(error?.code, "SERVER_UNAVAILABLE");
  assert.doesNotMatch(
    JSON.stringify([error, await plane.servers.list(caller)]),
    /IGNORE-ME|secret/,
  );
  const admin = { principal: trusted({ user: "ada" }) };
  assert.equal((await plane.servers.get("e2", admin)).stderrTail, words);
});

test("the person at the machine sees the line of a broken server that says why", async () => {
  await using directory = await temporaryDirectory();
  const config = await writeConfig(directory, { e2: broken });
  const place = ["--config", config, "--data-dir", directory.file("data")];
  const list = await runCli(["servers", "list", ...place]);
  assert.match(list.stdout, /it exited with code 1; it last wrote: Error: IGNORE-ME/);
  const call = await runCli(["call", "e2.read", ...place]);
  assert.match(call.stderr, /It last wrote: Error: IGNORE-ME/);
  assert.equal(call.code, 4);
});

/** Answers until the first call; then it reads nothing more. */
const deaf = `
const answers = {
  initialize: { protocolVersion: "2025-06-18", serverInfo: { name: "deaf", version: "1" }, capabilities: { tools: {} } },
  "tools/list": { tools: [{ name: "take", inputSchema: { type: "object" }, annotations: { readOnlyHint: true } }] },
};
let rest = "";
process.stdin.on("data", (chunk) => {
  rest += chunk;
  for (let end = rest.indexOf("\\n"); end >= 0; end = rest.indexOf("\\n")) {
    const { id, method } = JSON.parse(rest.slice(0, end));
    rest = rest.slice(end + 1);
    if (answers[method]) console.log(JSON.stringify({ jsonrpc: "2.0", id, result: answers[method] }));
    else if (id !== undefined) console.log(JSON.stringify({ jsonrpc: "2.0", id, error: { code: -32601, message: "no" } }));
  }
  if (rest.length > 0 && rest.includes("tools/call")) process.stdin.pause();
});
`;

test("a server that stops reading gets BUSY for what it would not take, and others are not affected", async () => {
  await using directory = await temporaryDirectory();
  await writeFile(directory.file("deaf.cjs"), deaf);
  const server = { command: process.execPath, args: [directory.file("deaf.cjs")] };
  await using plane = await planeOf({ deaf: server, fx: fixture("echo") });
  const text = "x".repeat(4 * 1024 * 1024);
  const ending = new AbortController();
  const calls = Array.from({ length: 40 }, () =>
    plane.call("deaf.take", { text }, { signal: ending.signal, timeoutMs: 120_000 }),
  );
  const first = await Promise.race(calls);
  assert.equal(first.error?.code, "BUSY");
  assert.match(first.error?.message ?? "", /has not read \d+ MiB/);
  const other = await plane.call("fx.echo", { message: "hello" });
  assert.equal(other.ok, true);
  ending.abort();
  const ended = await Promise.all(calls);
  const sent = ended.filter(({ error }) => error?.code !== "BUSY").length;
  assert.ok(sent <= 8, `${sent} calls of 4 MiB were kept for a server that reads nothing`);
});
