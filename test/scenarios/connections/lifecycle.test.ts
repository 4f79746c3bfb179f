import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { suite, test } from "node:test";
import type { RefreshReport } from "../../../src/model/servers/server-schema.ts";
import { temporaryDirectory } from "../../fixtures/start-server.ts";
import { until } from "../../fixtures/until.ts";
import { eventually } from "../approving.ts";
import { getJson, postCall } from "../requests.ts";
import {
  assertFailed,
  callsAt,
  errorOf,
  processFixture as fixture,
  isAlive,
  pidsIn,
  planeOf,
  startServe,
  startServeProcess,
  within,
  writeConfig,
} from "../support.ts";
import { countIn, entriesOf, listenTo, post, startsIn } from "./parts.ts";

const lifeEvents = [
  "server.connecting",
  "server.connected",
  "server.disconnected",
  "server.error",
] as const;
const stubborn = ["--ignore-sigterm", "--ignore-stdin-end", "--ttl", "60"];

suite("the life of a connection", { concurrency: 4 }, () => {
  test("the states and events of a server that works and of one that does not", async () => {
    await using plane = await planeOf({
      good: fixture("echo"),
      missing: { command: "no-such-command-anywhere", backoffMs: 60_000 },
      off: fixture("echo", [], { enabled: false }),
    });
    const events = listenTo(plane, ...lifeEvents);
    const state = async (name: string) => (await plane.servers.get(name)).state;
    assert.deepEqual([await state("good"), await state("off")], ["disconnected", "disabled"]);
    const connecting = plane.servers.connect("good");
    await until("its start", () => events.length > 0);
    assert.equal(await state("good"), "connecting");
    await connecting;
    assert.equal(await state("good"), "connected");
    await plane.servers.disconnect("good");
    assert.equal(await state("good"), "disconnected");
    assert.equal((await plane.call("missing.echo")).ok, false);
    assert.equal(await state("missing"), "error");
    await assert.rejects(plane.servers.connect("missing"), {
      code: "SERVER_UNAVAILABLE",
      message: /'missing'/,
    });
    assert.equal(await state("missing"), "backoff");
    assert.ok((await plane.servers.get("missing")).nextRetryAt !== null);
    await assert.rejects(plane.servers.connect("off"), {
      code: "SERVER_UNAVAILABLE",
      message: /'off'.*disabled/,
    });
    const story = (name: string) =>
      events.filter(({ server }) => server === name).map(({ type }) => type);
    assert.deepEqual(story("good"), [
      "server.connecting",
      "server.connected",
      "server.disconnected",
    ]);
    assert.deepEqual(story("missing").slice(0, 2), ["server.connecting", "server.error"]);
    assert.deepEqual(story("off"), []);
  });

  test("connecting twice, and again, starts one process", async () => {
    await using directory = await temporaryDirectory();
    const log = directory.file("log");
    await using plane = await planeOf({ echo: fixture("echo", ["--log", log]) });
    const events = listenTo(plane, "server.connected");
    await Promise.all([
      plane.servers.connect("echo"),
      plane.servers.connect("echo"),
      plane.servers.connect("echo"),
    ]);
    await plane.servers.connect("echo");
    plane.start();
    await plane.call("echo.echo", { message: "hi" });
    assert.deepEqual([startsIn(log).length, countIn(log, "initialize"), events.length], [1, 1, 1]);
  });

  test("five servers that take a second each are ready together", async () => {
    const names = ["a", "b", "c", "d", "e"];
    const entries = names.map((name) => [
      name,
      fixture("echo", ["--delay", "1000"], { protocol: "legacy" }),
    ]);
    await using plane = await planeOf(Object.fromEntries(entries));
    const events = listenTo(plane, "server.connecting", "server.connected");
    await plane.servers.list({ connect: true });
    assert.ok((await plane.servers.list()).every(({ state }) => state === "connected"));
    const connecting = events.slice(0, 5).map(({ type }) => type);
    assert.deepEqual(
      new Set(connecting),
      new Set(["server.connecting"]),
      "all begin before one is ready",
    );
  });

  test("the code or the signal of a server that dies is reported to all of its calls", async () => {
    await using directory = await temporaryDirectory();
    const log = directory.file("log");
    await using plane = await planeOf({ fault: fixture("fault", ["--log", log]) });
    const events = listenTo(plane, "server.disconnected");
    const waiting = [1, 2, 3].map(() => plane.call("fault.wrong_id"));
    await until("three calls", () => callsAt(log).length === 3);
    await plane.call("fault.exit_mid_call", { code: 7 });
    for (const outcome of await within("three failures", Promise.all(waiting))) {
      assertFailed(outcome, "OUTCOME_UNKNOWN", "failed");
      assert.match(errorOf(outcome).message, /code 7/);
    }
    assert.equal(events.length, 1);
    const killed = await plane.call("fault.kill_mid_call", { signal: "SIGSEGV" });
    assert.match(errorOf(killed).message, /SIGSEGV/);
  });

  test("stopping is bounded, idempotent and leaves no process, however stubborn", async () => {
    await using directory = await temporaryDirectory();
    const log = directory.file("log");
    const entries = [1, 2, 3].map((at) => [`s${at}`, fixture("echo", ["--log", log, ...stubborn])]);
    const plane = await planeOf(Object.fromEntries(entries));
    await plane.servers.list({ connect: true });
    assert.equal(pidsIn(log).filter(isAlive).length, 3);
    await within("stopping", Promise.all([plane.stop(), plane.stop()]));
    await plane.stop();
    assert.deepEqual(pidsIn(log).filter(isAlive), []);
    const told = entriesOf(log, "signal").map(({ signal }) => signal);
    assert.deepEqual(
      [entriesOf(log, "stdin-end").length, told],
      [3, ["SIGTERM", "SIGTERM", "SIGTERM"]],
    );
  });

  test("a plane that was killed takes its most stubborn server along within 15 s", async () => {
    await using directory = await temporaryDirectory();
    const log = directory.file("log");
    const config = await writeConfig(directory, {
      one: fixture("echo", ["--log", log, ...stubborn]),
      two: fixture("echo", ["--log", log, ...stubborn]),
    });
    const serving = await startServeProcess(config, directory.file("data"));
    await until("both starts", () => countIn(log, "tools/list") === 2);
    await serving.stop("SIGKILL");
    await until("the end of its servers", () => !pidsIn(log).some(isAlive));
  });

  test("exactly one end is reported, however many see it", async () => {
    await using plane = await planeOf({ echo: fixture("echo") });
    const events = listenTo(plane, "server.disconnected");
    await plane.servers.connect("echo");
    await Promise.all([
      plane.servers.disconnect("echo"),
      plane.servers.disconnect("echo"),
      plane.servers.clearCaches(),
    ]);
    await plane.servers.disconnect("echo");
    await plane.stop();
    assert.equal(events.length, 1);
  });

  test("the verbs of the HTTP API connect, disconnect and refresh really", async () => {
    await using directory = await temporaryDirectory();
    const log = directory.file("log");
    const config = await writeConfig(directory, {
      echo: fixture("echo", ["--log", log], { lazy: true }),
    });
    await using serving = await startServe(config, directory.file("data"));
    const verb = (name: string) => post(serving, `/servers/echo/${name}`);
    assert.deepEqual(pidsIn(log), []);
    assert.equal((await verb("connect")).state, "connected");
    assert.equal(pidsIn(log).filter(isAlive).length, 1);
    assert.deepEqual((await verb("refresh")).attempted, ["echo"]);
    assert.equal(countIn(log, "tools/list"), 2);
    assert.equal((await verb("disconnect")).state, "disconnected");
    assert.deepEqual(pidsIn(log).filter(isAlive), []);
    const { status, body } = await postCall(serving.url, "echo.echo", {
      arguments: { message: "x" },
    });
    assert.equal(status, 503);
    assert.match(JSON.stringify(body), /'echo' was disconnected\. Connect it first/);
    assert.equal(pidsIn(log).length, 1);
    const report = (await post(serving, "/registry/refresh")) as unknown as RefreshReport;
    assert.equal(report.attempted.length + report.skipped.length, 1);
    assert.equal(
      pidsIn(log).length,
      1,
      "who was sent away is not fetched back by a refresh of all",
    );
    const unknown = await getJson(`${serving.url}/servers/ecko`);
    assert.equal(unknown.status, 404);
    assert.match(JSON.stringify(unknown.body), /Did you mean 'echo'/);
  });

  test("a listener that throws harms no one, and one that left hears nothing", async () => {
    await using plane = await planeOf({ echo: fixture("echo") });
    let left = 0;
    const leave = plane.on("server.connected", () => {
      left += 1;
    });
    plane.on("server.connecting", () => {
      throw new Error("a listener of this test fails on purpose");
    });
    const heard = listenTo(plane, ...lifeEvents);
    await plane.servers.connect("echo");
    leave();
    await plane.servers.disconnect("echo");
    await plane.servers.connect("echo");
    assert.deepEqual(
      [left, heard.filter(({ type }) => type === "server.connected").length],
      [1, 2],
    );
    const told = heard.find(({ type }) => type === "server.connected");
    assert.ok(
      told?.type === "server.connected" && told.toolCount > 0 && told.protocolVersion !== "",
    );
  });

  test("a server that is disconnected and connected again is asked for its tools, however young its list is", async () => {
    await using directory = await temporaryDirectory();
    const file = directory.file("lists.json");
    const says = (...names: string[]) =>
      writeFile(
        file,
        JSON.stringify({ tools: names.map((name) => ({ name, inputSchema: { type: "object" } })) }),
      );
    await says("one");
    const config = await writeConfig(directory, { s: fixture("offering", ["--lists", file]) });
    await using serving = await startServe(config, directory.file("data"));
    const listed = () =>
      eventually("that it lists its tools", async () => {
        const { body } = await getJson(`${serving.url}/tools?server=s`);
        return (body.tools as { name: string }[] | undefined)?.map(({ name }) => name);
      });
    const post = async (verb: string) => {
      const { status } = await fetch(`${serving.url}/servers/s/${verb}`, {
        method: "POST",
        headers: serving.proof,
      });
      assert.equal(status, 200);
    };
    assert.deepEqual(await listed(), ["s.one"]);
    await post("disconnect");
    await says("one", "two");
    await post("connect");
    assert.deepEqual(await listed(), ["s.one", "s.two"]);
    const called = await fetch(`${serving.url}/tools/s.two/call`, {
      method: "POST",
      body: '{"arguments":{}}',
    });
    assert.equal(called.status, 200);
  });
});
