import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { createPlane } from "../../../src/index.ts";
import type { ServerStatus } from "../../../src/model/servers/server-schema.ts";
import { temporaryDirectory } from "../../fixtures/start-server.ts";
import { until } from "../../fixtures/until.ts";
import { getJson, postCall } from "../requests.ts";
import { eventually } from "../rogue/rogue.ts";
import {
  callsAt,
  processFixture as fixture,
  isAlive,
  pidsIn,
  planeOf,
  runCli,
  startCli,
  startServe,
  textsOf,
  writeConfig,
} from "../support.ts";
import { countIn, entriesOf, listenTo, odd, startsIn } from "./parts.ts";

type Directory = Awaited<ReturnType<typeof temporaryDirectory>>;

/** A warm catalogue: what these servers list is remembered in the data directory. */
async function warm(directory: Directory, servers: Record<string, Record<string, unknown>>) {
  const config = await writeConfig(directory, servers);
  const common = ["--json", "--config", config, "--data-dir", directory.file("data")];
  const { code, stderr } = await runCli(["tools", "list", ...common]);
  assert.equal(code, 0, stderr);
  return { config, common, data: directory.file("data") };
}

suite("servers start when they are needed", { concurrency: 5 }, () => {
  test("'servers tools' gives up after ten seconds", async () => {
    await using directory = await temporaryDirectory();
    const hanging = fixture("echo", ["--delay", "600000", "--ttl", "60"]);
    const config = await writeConfig(directory, { srv: hanging });
    const words = [
      "servers",
      "tools",
      "srv",
      "--config",
      config,
      "--data-dir",
      directory.file("data"),
    ];
    const { code, stderr } = await startCli(words).result;
    assert.equal(code, 4, stderr);
    assert.match(stderr, /'srv'/);
  });

  test("a warm catalogue is listed and shown without starting a process", async () => {
    await using directory = await temporaryDirectory();
    const log = directory.file("log");
    const { common } = await warm(directory, {
      one: fixture("echo", ["--log", log]),
      two: fixture("state", ["--log", log]),
      modern: fixture("modern", ["--log", log]),
    });
    assert.equal(startsIn(log).length, 3);
    const listed = await runCli(["tools", "list", ...common]);
    const tools = (listed.json().tools as { name: string }[]).map(({ name }) => name);
    for (const name of ["one.echo", "two.increment", "modern.region"])
      assert.ok(tools.includes(name), name);
    const shown = await runCli(["tools", "show", "modern.region", ...common]);
    assert.match(shown.stdout, /region/);
    assert.equal((await runCli(["tools", "show", "increment", ...common])).code, 0);
    assert.equal(startsIn(log).length, 3, "nothing was started for what is known");
  });

  test("a call starts the server it needs and no other", async () => {
    await using directory = await temporaryDirectory();
    const one = directory.file("one");
    const two = directory.file("two");
    const { common } = await warm(directory, {
      one: fixture("echo", ["--log", one]),
      two: fixture("state", ["--log", two]),
    });
    const { code } = await runCli(["call", "one.echo", "message=hi", ...common]);
    assert.equal(code, 0);
    const bare = await runCli(["call", "increment", ...common]);
    assert.equal(bare.code, 0, bare.stdout);
    assert.deepEqual([startsIn(one).length, startsIn(two).length], [2, 2]);
  });

  test("serve starts what is not known, what is never lazy, and nothing that is lazy", async () => {
    await using directory = await temporaryDirectory();
    const log = (name: string) => directory.file(`${name}.log`);
    const entry = (name: string, more: object = {}) =>
      fixture("echo", ["--log", log(name)], { ...more });
    const known = { known: entry("known"), eager: entry("eager", { lazy: false }) };
    await warm(directory, known);
    const config = await writeConfig(directory, {
      ...known,
      lazy: entry("lazy", { lazy: true }),
      manual: entry("manual", { autoConnect: false }),
      fresh: entry("fresh"),
    });
    await using serving = await startServe(config, directory.file("data"));
    await until(
      "the two starts",
      () => startsIn(log("eager")).length === 2 && countIn(log("fresh"), "tools/list") === 1,
    );
    const state = async (name: string) =>
      (await getJson(`${serving.url}/servers/${name}`)).body.state;
    assert.deepEqual(
      [await state("known"), await state("lazy"), await state("manual")],
      ["disconnected", "disconnected", "disconnected"],
    );
    assert.deepEqual(
      [startsIn(log("known")).length, startsIn(log("lazy")), startsIn(log("manual"))],
      [1, [], []],
    );
    const { status } = await postCall(serving.url, "lazy.echo", { arguments: { message: "now" } });
    assert.equal(status, 200);
    assert.deepEqual([startsIn(log("lazy")).length, startsIn(log("known")).length], [1, 1]);
  });

  test("a server that is not connected by itself is started by its name only", async () => {
    await using directory = await temporaryDirectory();
    const log = directory.file("log");
    await using plane = await planeOf({
      manual: fixture("state", ["--log", log], { autoConnect: false }),
      echo: fixture("echo"),
    });
    plane.start();
    assert.ok((await plane.tools.list()).every(({ id }) => id.server === "echo"));
    await plane.servers.list({ connect: true });
    assert.equal(
      (await plane.call("increment")).ok,
      false,
      "a bare name starts nothing that is to be left alone",
    );
    assert.equal((await plane.servers.get("manual")).state, "disconnected");
    assert.deepEqual(pidsIn(log), []);
    assert.equal((await plane.call("manual.increment")).ok, true);
    assert.equal(startsIn(log).length, 1);
    await plane.servers.disconnect("manual");
    await plane.servers.connect("manual");
    assert.equal((await plane.servers.get("manual")).state, "connected");
  });

  test("a changed definition makes a server unknown again, and its old tools are gone", async () => {
    await using directory = await temporaryDirectory();
    const log = directory.file("log");
    const { common, data } = await warm(directory, { srv: fixture("echo", ["--log", log]) });
    const config = await writeConfig(directory, { srv: fixture("state", ["--log", log]) });
    const listed = await runCli(["tools", "list", ...common]);
    const names = (listed.json().tools as { name: string }[]).map(({ name }) => name).toSorted();
    assert.deepEqual(names, ["srv.current", "srv.increment", "srv.overlap"]);
    assert.equal(startsIn(log).length, 2);
    await writeConfig(directory, {
      srv: fixture("state", ["--log", log], { deny_tools: ["overlap"] }),
    });
    await using plane = await createPlane({ config, dataDirectory: data });
    assert.deepEqual((await plane.tools.list()).map(({ id }) => id.tool).toSorted(), [
      "current",
      "increment",
    ]);
  });

  test("what is known is reported as known, and asked again as soon as the server runs anyway", async () => {
    await using directory = await temporaryDirectory();
    const log = directory.file("log");
    const { config, data } = await warm(directory, { odd: odd(["--log", log]) });
    await using plane = await createPlane({ config, dataDirectory: data });
    await plane.tools.list();
    const { state, tools, stale, listedAt, pid } = await plane.servers.get("odd");
    assert.deepEqual([state, tools, stale, pid], ["disconnected", 3, false, null]);
    assert.ok(listedAt !== null && Date.parse(listedAt) <= Date.now());
    assert.deepEqual(textsOf(await plane.call("odd.ok")), ["ok"]);
    assert.equal(startsIn(log).length, 2);
  });

  test("a tool that a known server has lost is refused by the server, not by a crash, and then gone", async () => {
    await using directory = await temporaryDirectory();
    const log = directory.file("log");
    const entry = fixture("changing", ["--log", log], { listingTtlMs: 1 });
    const data = directory.file("data");
    {
      await using plane = await planeOf({ changing: entry }, { dataDirectory: data });
      await plane.call("changing.add_tool", { name: "fleeting" });
      await eventually("the new tool", async () =>
        (await plane.tools.list()).some(({ id }) => id.tool === "fleeting"),
      );
    }
    await using plane = await planeOf({ changing: entry }, { dataDirectory: data });
    assert.ok((await plane.tools.list()).some(({ id }) => id.tool === "fleeting"));
    assert.equal((await plane.call("changing.fleeting")).ok, false);
    await eventually("a new listing", async () =>
      (await plane.tools.list()).every(({ id }) => id.tool !== "fleeting"),
    );
  });

  test("a server that is always on is not stopped for idling and comes back when it dies", async () => {
    await using directory = await temporaryDirectory();
    const log = directory.file("log");
    const entry = fixture("echo", ["--log", log], {
      alwaysOn: true,
      idleTimeoutMs: 200,
      backoffMs: 100,
    });
    await warm(directory, { echo: entry });
    const config = await writeConfig(directory, { echo: entry });
    await using serving = await startServe(config, directory.file("data"));
    const status = async () =>
      (await getJson(`${serving.url}/servers/echo`)).body as unknown as ServerStatus;
    await eventually(
      "its start though it is known",
      async () => (await status()).state === "connected",
    );
    const { pid } = await status();
    await delay(800);
    assert.equal((await status()).pid, pid, "it idles and stays");
    process.kill(Number(pid), "SIGKILL");
    await eventually("its return", async () => {
      const now = await status();
      return now.state === "connected" && now.pid !== pid;
    });
  });

  test("a server that is always on and always dies is restarted at growing gaps", async () => {
    await using directory = await temporaryDirectory();
    const log = directory.file("log");
    const entry = fixture("echo", ["--log", log, "--ttl", "0.05"], {
      alwaysOn: true,
      backoffMs: 300,
    });
    await using plane = await planeOf({ dying: entry });
    plane.start();
    await until("some lives", () => startsIn(log).length >= 4);
    const starts = entriesOf(log, "start").map(({ time }) => time);
    const [, second = 0, third = 0, fourth = 0] = starts;
    assert.ok(third - second >= 300, `${third - second} ms after the first loss`);
    assert.ok(fourth - third >= 600, `${fourth - third} ms after the next`);
    await eventually("the reason", async () => (await plane.servers.get("dying")).error !== null);
  });

  test("an idle server is stopped, its tools stay, and the next call brings it back", async () => {
    await using directory = await temporaryDirectory();
    const log = directory.file("log");
    await using plane = await planeOf({
      echo: fixture("echo", ["--log", log], { idleTimeoutMs: 400 }),
    });
    const ends = listenTo(plane, "server.disconnected");
    await plane.call("echo.echo", { message: "one" });
    await until("its end", () => startsIn(log).length === 1 && !pidsIn(log).some(isAlive));
    assert.deepEqual(
      ends.map(({ reason }) => reason),
      ["idle"],
    );
    const { state, error, stale } = await plane.servers.get("echo");
    assert.deepEqual([state, error, stale], ["disconnected", null, false]);
    assert.ok((await plane.tools.list()).length > 0);
    assert.equal(startsIn(log).length, 1, "listing does not wake it");
    assert.deepEqual(textsOf(await plane.call("echo.echo", { message: "two" })), ["two"]);
    assert.equal(startsIn(log).length, 2);
  });

  test("a server at work does not idle, however long the work takes", async () => {
    await using directory = await temporaryDirectory();
    const log = directory.file("log");
    const limits = { idleTimeoutMs: 200, session: "conversation" };
    await using plane = await planeOf({ echo: fixture("echo", ["--log", log], limits) });
    const outcome = await plane.call("echo.slow", { ms: 1_500 }, { conversation: "long" });
    assert.deepEqual(textsOf(outcome), ["waited 1500"]);
    await until("the end of all sessions", () => !pidsIn(log).some(isAlive));
    assert.equal(plane.servers.poolInfo().size, 0);
  });

  test("two planes on one data directory know what the other found out and disturb no one", async () => {
    await using directory = await temporaryDirectory();
    const left = directory.file("left");
    const right = directory.file("right");
    const data = directory.file("data");
    const servers = {
      left: fixture("echo", ["--log", left]),
      right: fixture("state", ["--log", right]),
    };
    await using first = await planeOf(servers, { dataDirectory: data });
    await first.tools.list();
    await using second = await planeOf(servers, { dataDirectory: data });
    await eventually("what the first found out", async () => {
      await using third = await planeOf(servers, { dataDirectory: data });
      const before = startsIn(left).length;
      return (await third.tools.list()).length > 0 && startsIn(left).length === before;
    });
    const starts = startsIn(left).length;
    const calls = Array.from({ length: 40 }, (_, at) =>
      (at % 2 ? first : second).call("left.echo", { message: `m${at}` }),
    );
    const outcomes = await Promise.all(calls);
    assert.deepEqual(
      outcomes.flatMap(textsOf),
      Array.from({ length: 40 }, (_, at) => `m${at}`),
    );
    assert.equal(startsIn(left).length - starts, 1, "each plane has its own process");
    await second.stop();
    assert.deepEqual(textsOf(await first.call("left.echo", { message: "alone" })), ["alone"]);
    assert.equal(callsAt(left).length, 41);
    assert.equal((await first.calls.list()).length, 41);
  });

  test("many commands at once on one cold data directory all find the tools", async () => {
    await using directory = await temporaryDirectory();
    const log = directory.file("log");
    const config = await writeConfig(directory, { echo: fixture("echo", ["--log", log]) });
    const words = ["call", "echo.echo", "message=hi", "--json", "--config", config, "--data-dir"];
    const runs = Array.from({ length: 4 }, () => runCli([...words, directory.file("data")]));
    for (const { code, stdout } of await Promise.all(runs)) assert.equal(code, 0, stdout);
    assert.equal(callsAt(log).length, 4);
    await until("the end of all", () => entriesOf(log, "exit").length === 4);
  });
});
