import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { temporaryDirectory } from "../fixtures/start-server.ts";
import { until } from "../fixtures/until.ts";
import {
  assertFailed,
  callsAt,
  errorOf,
  processFixture as fixture,
  isAlive,
  pidsIn,
  planeOf,
  sleepyServer,
  textsOf,
  within,
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
    await using plane = await planeOf({ echo: fixture("echo"), missing: { command: "no-such-command" } });
    const outcome = await plane.call("ecko", {});
    assertFailed(outcome, "TOOL_NOT_FOUND", "refused");
    assert.match(errorOf(outcome).message, /Did you mean .*'echo\.echo'.*'missing' is not available/);
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
    await using plane = await planeOf({ paged: fixture("paged"), loop: fixture("paged", ["--loop"]) });
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
