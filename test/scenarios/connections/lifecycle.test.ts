import assert from "node:assert/strict";
import { rm, writeFile } from "node:fs/promises";
import { suite, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { createPlane } from "../../../src/index.ts";
import type { RefreshReport, ServerStatus } from "../../../src/model/server.ts";
import { startHttpFixture, temporaryDirectory } from "../../fixtures/start-server.ts";
import { getJson, postCall } from "../requests.ts";
import { eventually } from "../rogue/rogue.ts";
import {
  assertFailed,
  callsAt,
  errorOf,
  fixture,
  isAlive,
  pidsIn,
  planeOf,
  runCli,
  sleepyServer,
  startServe,
  textsOf,
  until,
  within,
  writeConfig,
} from "../support.ts";
import { closedPort, countIn, entriesOf, listenTo, odd, post, startsIn } from "./parts.ts";

const lifeEvents = ["server.connecting", "server.connected", "server.disconnected", "server.error"] as const;
const stubborn = ["--ignore-sigterm", "--ignore-stdin-end", "--ttl", "60"];

suite("the life of a connection", { concurrency: 4 }, () => {
  test("row 24: the states and events of a server that works and of one that does not", async () => {
    await using plane = await planeOf({
      good: fixture("echo"),
      missing: { command: "no-such-command-anywhere", backoffMs: 60_000 },
      off: fixture("echo", [], { enabled: false }),
    });
    const events = listenTo(plane, ...lifeEvents);
    const state = async (name: string) => (await plane.server(name)).state;
    assert.deepEqual([await state("good"), await state("off")], ["disconnected", "disabled"]);
    const connecting = plane.connect("good");
    await until("its start", () => events.length > 0);
    assert.equal(await state("good"), "connecting");
    await connecting;
    assert.equal(await state("good"), "connected");
    await plane.disconnect("good");
    assert.equal(await state("good"), "disconnected");
    assert.equal((await plane.call("missing.echo")).ok, false);
    assert.equal(await state("missing"), "error");
    await assert.rejects(plane.connect("missing"), { code: "SERVER_UNAVAILABLE", message: /'missing'/ });
    assert.equal(await state("missing"), "backoff");
    assert.ok((await plane.server("missing")).nextRetryAt !== null);
    await assert.rejects(plane.connect("off"), { code: "SERVER_UNAVAILABLE", message: /'off'.*disabled/ });
    const story = (name: string) => events.filter(({ server }) => server === name).map(({ type }) => type);
    assert.deepEqual(story("good"), ["server.connecting", "server.connected", "server.disconnected"]);
    assert.deepEqual(story("missing").slice(0, 2), ["server.connecting", "server.error"]);
    assert.deepEqual(story("off"), []);
  });

  test("row 25: connecting twice, and again, starts one process", async () => {
    await using directory = await temporaryDirectory();
    const log = directory.file("log");
    await using plane = await planeOf({ echo: fixture("echo", ["--log", log]) });
    const events = listenTo(plane, "server.connected");
    await Promise.all([plane.connect("echo"), plane.connect("echo"), plane.connect("echo")]);
    await plane.connect("echo");
    plane.start();
    await plane.call("echo.echo", { message: "hi" });
    assert.deepEqual([startsIn(log).length, countIn(log, "initialize"), events.length], [1, 1, 1]);
  });

  test("row 26: five servers that take a second each are ready together", async () => {
    const names = ["a", "b", "c", "d", "e"];
    const entries = names.map((name) => [name, fixture("echo", ["--delay", "1000"], { protocol: "legacy" })]);
    await using plane = await planeOf(Object.fromEntries(entries));
    const startedAt = Date.now();
    await plane.servers({ connect: true });
    const ms = Date.now() - startedAt;
    assert.ok((await plane.servers()).every(({ state }) => state === "connected"));
    assert.ok(ms < 4_000, `one after the other they would take 5 s; together they took ${ms} ms`);
  });

  test("row 29: the code or the signal of a server that dies is told to all of its calls", async () => {
    await using directory = await temporaryDirectory();
    const log = directory.file("log");
    await using plane = await planeOf({ fault: fixture("fault", ["--log", log]) });
    const events = listenTo(plane, "server.disconnected");
    const waiting = [1, 2, 3].map(() => plane.call("fault.wrong_id"));
    await until("three calls", () => callsAt(log).length === 3);
    await plane.call("fault.exit_mid_call", { code: 7 });
    for (const outcome of await within(5_000, "three failures", Promise.all(waiting))) {
      assertFailed(outcome, "OUTCOME_UNKNOWN", "failed");
      assert.match(errorOf(outcome).message, /code 7/);
    }
    assert.equal(events.length, 1);
    const killed = await plane.call("fault.kill_mid_call", { signal: "SIGSEGV" });
    assert.match(errorOf(killed).message, /SIGSEGV/);
  });

  test("row 33: stopping is bounded, idempotent and leaves no process, however stubborn", async () => {
    await using directory = await temporaryDirectory();
    const log = directory.file("log");
    const entries = [1, 2, 3].map((at) => [`s${at}`, fixture("echo", ["--log", log, ...stubborn])]);
    const plane = await planeOf(Object.fromEntries(entries));
    await plane.servers({ connect: true });
    assert.equal(pidsIn(log).filter(isAlive).length, 3);
    await within(7_500, "stopping", Promise.all([plane.stop(), plane.stop()]));
    await plane.stop();
    assert.deepEqual(pidsIn(log).filter(isAlive), []);
    const told = entriesOf(log, "signal").map(({ signal }) => signal);
    assert.deepEqual([entriesOf(log, "stdin-end").length, told], [3, ["SIGTERM", "SIGTERM", "SIGTERM"]]);
  });

  test("row 33: a plane that was killed takes its most stubborn server along within 15 s", async () => {
    await using directory = await temporaryDirectory();
    const log = directory.file("log");
    const config = await writeConfig(directory, {
      one: fixture("echo", ["--log", log, ...stubborn]),
      two: fixture("echo", ["--log", log, ...stubborn]),
    });
    const serving = await startServe(config, directory.file("data"));
    await until("both starts", () => countIn(log, "tools/list") === 2);
    await serving.stop("SIGKILL");
    await until("the end of its servers", () => !pidsIn(log).some(isAlive), 15_000);
  });

  test("row 34: exactly one end is told, however many see it", async () => {
    await using plane = await planeOf({ echo: fixture("echo") });
    const events = listenTo(plane, "server.disconnected");
    await plane.connect("echo");
    await Promise.all([plane.disconnect("echo"), plane.disconnect("echo"), plane.clearCaches()]);
    await plane.disconnect("echo");
    await plane.stop();
    assert.equal(events.length, 1);
  });

  test("row 35: a server that died between two calls is replaced without a word", async () => {
    await using directory = await temporaryDirectory();
    const log = directory.file("log");
    await using plane = await planeOf({ echo: fixture("echo", ["--log", log]) });
    for (let round = 1; round <= 3; round++) {
      const [pid] = textsOf(await plane.call("echo.pid"));
      process.kill(Number(pid), "SIGKILL");
      const { ok, call } = await plane.call("echo.do_it_now");
      assert.equal(ok, true, "the call after the death");
      assert.equal(call.status, "succeeded");
    }
    assert.equal(callsAt(log).filter(({ name }) => name === "do_it_now").length, 3, "each ran once");
  });

  test("row 36: a forgotten HTTP session is opened again and the call retried once", async () => {
    await using directory = await temporaryDirectory();
    const log = directory.file("log");
    await using server = await startHttpFixture("http", ["--log", log]);
    await using plane = await planeOf({ remote: { url: server.url } });
    const retries = listenTo(plane, "tool.retry");
    await plane.call("remote.invalidate_session");
    const outcome = await plane.call("remote.write_note", { text: "once" });
    assert.deepEqual(textsOf(outcome), ["noted once"]);
    assert.equal(retries.length, 1);
    assert.deepEqual(await plane.call("remote.read_note").then(({ result }) => result?.structuredContent), {
      notes: ["once"],
      keyed: {},
    });
    assert.equal(countIn(log, "initialize"), 2);
  });

  test("row 37: a server that keeps failing is tried at growing gaps, and at once when it is forced", async () => {
    await using directory = await temporaryDirectory();
    const [log, broken] = [directory.file("log"), directory.file("broken")];
    await writeFile(broken, "");
    const slowly = { backoffMs: 300, maxBackoffMs: 600_000, protocol: "legacy" };
    await using plane = await planeOf({
      failing: odd(["--log", log, "--die-when", broken], slowly),
      resting: { command: "no-such-command", backoffMs: 300_000, maxBackoffMs: 300_000 },
      good: fixture("echo"),
      off: fixture("echo", [], { enabled: false }),
    });
    plane.start();
    await until("four tries", () => entriesOf(log, "start").length >= 4);
    const times = entriesOf(log, "start").map(({ time }) => time);
    const gaps = times.slice(1, 4).map((time, at) => time - (times[at] ?? 0));
    // 300, 600 and 1200 ms, each with a fifth of jitter to either side.
    const [first = 0, second = 0, third = 0] = gaps;
    assert.ok(first >= 240 && second >= 480 && third >= 960, gaps.join());
    assert.equal((await plane.server("failing")).state, "backoff");

    const gentle = await plane.refresh(undefined, { force: false });
    assert.deepEqual(gentle.skipped.map(({ server }) => server).toSorted(), ["failing", "off", "resting"]);
    assert.deepEqual(gentle.attempted, ["good"]);
    await rm(broken);
    const forced = await plane.refresh(undefined, { force: true });
    assert.deepEqual(forced.attempted.toSorted(), ["failing", "good", "resting"]);
    assert.deepEqual(forced.reconnected, ["failing"]);
    assert.deepEqual(
      forced.still_failed.map(({ server }) => server),
      ["resting"],
    );
    assert.match(forced.still_failed[0]?.reason ?? "", /no-such-command/);
    assert.deepEqual(textsOf(await plane.call("failing.ok")), ["ok"]);
  });

  test("row 37: 'servers reconnect --json' tells attempted, reconnected, still_failed and skipped", async () => {
    await using directory = await temporaryDirectory();
    const config = await writeConfig(directory, {
      good: fixture("echo"),
      bad: { command: "no-such-command" },
      off: fixture("echo", [], { enabled: false }),
    });
    const words = ["servers", "reconnect", "--json", "--config", config, "--data-dir", directory.file("data")];
    const { code, json } = await runCli(words);
    const report = json() as unknown as RefreshReport;
    assert.equal(code, 4);
    assert.deepEqual(report.attempted.toSorted(), ["bad", "good"]);
    assert.deepEqual(report.reconnected, ["good"]);
    assert.deepEqual(report.still_failed.map(({ server }) => server), ["bad"]);
    assert.deepEqual(report.skipped.map(({ server }) => server), ["off"]);
  });

  test("row 38: a server that comes up later is found without anybody asking for it", async () => {
    const port = await closedPort();
    const entry = { url: `http://127.0.0.1:${port}/mcp`, backoffMs: 200, maxBackoffMs: 500 };
    await using plane = await planeOf({ late: entry, echo: fixture("echo") });
    plane.start();
    await eventually("its failure", 5_000, async () => (await plane.server("late")).error !== null);
    const listed = (await plane.tools()).map(({ id }) => id.server);
    assert.ok(!listed.includes("late") && listed.includes("echo"));
    const [before] = await plane.servers();
    await using _server = await startHttpFixture("http", ["--port", String(port)]);
    await eventually("its tools", 5_000, async () => (await plane.server("late")).tools > 0);
    assert.notEqual(before?.state, "connected");
    assert.deepEqual(textsOf(await plane.call("late.echo", { message: "up" })), ["up"]);
  });

  test("row 39: refreshing one server leaves the session of the other alone", async () => {
    await using directory = await temporaryDirectory();
    const [left, right] = [directory.file("left"), directory.file("right")];
    await using one = await startHttpFixture("http", ["--log", left]);
    await using two = await startHttpFixture("http", ["--log", right]);
    await using plane = await planeOf({ left: { url: one.url }, right: { url: two.url } });
    await plane.tools();
    const before = entriesOf(right, "received").length;
    const report = await plane.refresh("left");
    assert.deepEqual(report, { attempted: ["left"], reconnected: [], still_failed: [], skipped: [] });
    assert.deepEqual([countIn(left, "tools/list"), entriesOf(right, "received").length], [2, before]);
    await assert.rejects(plane.refresh("lefd"), { code: "SERVER_NOT_FOUND", message: /Did you mean 'left'/ });
  });

  test("row 41: what a server writes to standard error is kept and shown, without its secrets", async () => {
    await using directory = await temporaryDirectory();
    const { env, ...entry } = fixture("echo", ["--stderr", "warming up with CANARY-key"]);
    const server = { ...entry, env: { ...(env as object), API_KEY: "CANARY-key" } };
    const config = await writeConfig(directory, { srv: server });
    const words = ["servers", "logs", "srv", "--config", config, "--data-dir", directory.file("data")];
    const [plain, json] = await Promise.all([runCli(words), runCli([...words, "--json"])]);
    assert.match(plain.stdout, /stderr\s+warming up with/);
    assert.doesNotMatch(plain.stdout + json.stdout, /CANARY/);
    const lines = json.json().lines as { source: string; text: string }[];
    assert.equal(lines[0]?.source, "stderr");
    await using serving = await startServe(config, directory.file("data"));
    await post(`${serving.url}/servers/srv/connect`);
    const { body } = await getJson(`${serving.url}/servers/srv/logs`);
    assert.match(JSON.stringify(body), /warming up/);
  });

  test("the verbs of the HTTP API connect, disconnect and refresh really", async () => {
    await using directory = await temporaryDirectory();
    const log = directory.file("log");
    const config = await writeConfig(directory, { echo: fixture("echo", ["--log", log], { lazy: true }) });
    await using serving = await startServe(config, directory.file("data"));
    const verb = (name: string) => post(`${serving.url}/servers/echo/${name}`);
    assert.deepEqual(pidsIn(log), []);
    assert.equal((await verb("connect")).state, "connected");
    assert.equal(pidsIn(log).filter(isAlive).length, 1);
    assert.deepEqual((await verb("refresh")).attempted, ["echo"]);
    assert.equal(countIn(log, "tools/list"), 2);
    assert.equal((await verb("disconnect")).state, "disconnected");
    assert.deepEqual(pidsIn(log).filter(isAlive), []);
    const { status, body } = await postCall(serving.url, "echo.echo", { arguments: { message: "x" } });
    assert.equal(status, 503);
    assert.match(JSON.stringify(body), /'echo' was disconnected\. Connect it first/);
    assert.equal(pidsIn(log).length, 1);
    const report = (await post(`${serving.url}/registry/refresh`)) as unknown as RefreshReport;
    assert.equal(report.attempted.length + report.skipped.length, 1);
    assert.equal(pidsIn(log).length, 1, "who was sent away is not fetched back by a refresh of all");
    const unknown = await getJson(`${serving.url}/servers/ecko`);
    assert.equal(unknown.status, 404);
    assert.match(JSON.stringify(unknown.body), /Did you mean 'echo'/);
  });

  test("row 228: a listener that throws harms nobody, and one that left hears nothing", async () => {
    await using plane = await planeOf({ echo: fixture("echo") });
    let left = 0;
    const leave = plane.on("server.connected", () => {
      left += 1;
    });
    plane.on("server.connecting", () => {
      throw new Error("a listener of this test fails on purpose");
    });
    const heard = listenTo(plane, ...lifeEvents);
    await plane.connect("echo");
    leave();
    await plane.disconnect("echo");
    await plane.connect("echo");
    assert.deepEqual([left, heard.filter(({ type }) => type === "server.connected").length], [1, 2]);
    const told = heard.find(({ type }) => type === "server.connected");
    assert.ok(told?.type === "server.connected" && told.toolCount > 0 && told.protocolVersion !== "");
  });

  test("a disconnect in the middle of a call ends the call, and nothing brings the server back", async () => {
    await using directory = await temporaryDirectory();
    const log = directory.file("log");
    await using plane = await planeOf({ echo: fixture("echo", ["--log", log], { trusted: true }) });
    const calling = plane.call("echo.slow", { ms: 60_000 });
    await until("the call", () => callsAt(log).length === 1);
    await plane.disconnect("echo");
    const outcome = await within(5_000, "the end of the call", calling);
    assert.equal(outcome.ok, false);
    assert.match(errorOf(outcome).message, /'echo'/);
    await plane.tools();
    assert.equal(startsIn(log).length, 1);
    assert.deepEqual(pidsIn(log).filter(isAlive), []);
    await plane.connect("echo");
    assert.deepEqual(textsOf(await plane.call("echo.echo", { message: "back" })), ["back"]);
  });

  test("a connect in the middle of a disconnect has the last word", async () => {
    await using directory = await temporaryDirectory();
    const log = directory.file("log");
    await using plane = await planeOf({ echo: fixture("echo", ["--log", log]) });
    await plane.connect("echo");
    const leaving = plane.disconnect("echo");
    const coming = plane.connect("echo");
    await within(10_000, "both", Promise.all([leaving, coming]));
    const { state, pid } = await plane.server("echo");
    assert.equal(state, "connected");
    assert.ok(pid !== null && isAlive(pid));
    assert.deepEqual(textsOf(await plane.call("echo.echo", { message: "x" })), ["x"]);
    assert.equal(pidsIn(log).filter(isAlive).length, 1);
  });

  test("a disconnect in the middle of a connect has the last word", async () => {
    await using directory = await temporaryDirectory();
    const log = directory.file("log");
    await using plane = await planeOf({ sleepy: sleepyServer(["--log", log]) });
    const coming = plane.connect("sleepy").then(
      () => "connected",
      (thrown: Error) => thrown.message,
    );
    await until("its start", () => pidsIn(log).length === 1);
    await within(6_000, "the disconnect", plane.disconnect("sleepy"));
    assert.match(await within(1_000, "the connect", coming), /'sleepy'/);
    await delay(300);
    assert.deepEqual(pidsIn(log).filter(isAlive), []);
    assert.equal((await plane.server("sleepy")).state, "disconnected");
  });

  test("a reload in the middle of a connect starts the new definition and leaves nothing of the old", async () => {
    await using directory = await temporaryDirectory();
    const [old, fresh] = [directory.file("old"), directory.file("fresh")];
    const config = await writeConfig(directory, { srv: sleepyServer(["--log", old]) });
    await using plane = await createPlane({ config });
    plane.start();
    await until("its start", () => pidsIn(old).length === 1);
    await writeConfig(directory, { srv: fixture("echo", ["--log", fresh]) });
    const { changed } = await within(8_000, "the reload", plane.reload());
    assert.deepEqual(changed, ["srv"]);
    await until("the start of the new one", () => countIn(fresh, "tools/list") === 1, 5_000);
    assert.deepEqual(pidsIn(old).filter(isAlive), []);
    assert.deepEqual(textsOf(await plane.call("srv.echo", { message: "new" })), ["new"]);
  });

  test("an edit that repairs a server connects it without anybody asking", async () => {
    await using directory = await temporaryDirectory();
    const log = directory.file("log");
    const config = await writeConfig(directory, { srv: { command: "no-such-command-yet" } });
    await using serving = await startServe(config, directory.file("data"));
    const status = async () => (await getJson(`${serving.url}/servers/srv`)).body as unknown as ServerStatus;
    await eventually("its failure", 5_000, async () => (await status()).error !== null);
    await writeConfig(directory, { srv: fixture("echo", ["--log", log]) });
    await eventually("its connection", 8_000, async () => (await status()).state === "connected");
  });

  test("an edit of one server in the middle of another's call does not touch the call", async () => {
    await using directory = await temporaryDirectory();
    const log = directory.file("log");
    const busy = fixture("echo", ["--log", log]);
    const config = await writeConfig(directory, { busy, other: fixture("echo") });
    await using plane = await createPlane({ config });
    const calling = plane.call("busy.slow", { ms: 800 });
    await until("the call", () => callsAt(log).length === 1);
    await writeConfig(directory, { busy, other: fixture("echo", ["--name", "new"]), more: fixture("state") });
    await plane.reload();
    assert.deepEqual(textsOf(await calling), ["waited 800"]);
    assert.deepEqual(textsOf(await plane.call("other.whoami_server")), ["new"]);
    assert.equal(startsIn(log).length, 1);
  });

  test("a server that is removed in the middle of its call ends the call and the process", async () => {
    await using directory = await temporaryDirectory();
    const log = directory.file("log");
    const config = await writeConfig(directory, { gone: fixture("echo", ["--log", log]), kept: fixture("echo") });
    await using plane = await createPlane({ config });
    const calling = plane.call("gone.slow", { ms: 60_000 });
    await until("the call", () => callsAt(log).length === 1);
    await writeConfig(directory, { kept: fixture("echo") });
    await within(8_000, "the reload", plane.reload());
    assert.equal((await within(3_000, "the call", calling)).ok, false);
    assert.deepEqual(pidsIn(log).filter(isAlive), []);
    assert.equal(errorOf(await plane.call("gone.echo", { message: "x" })).code, "TOOL_NOT_FOUND");
  });
});
