import assert from "node:assert/strict";
import { rm, writeFile } from "node:fs/promises";
import { suite, test } from "node:test";
import type { RefreshReport } from "../../../src/model/servers/server-schema.ts";
import { freePort } from "../../fixtures/free-port.ts";
import { startHttpFixture, temporaryDirectory } from "../../fixtures/start-server.ts";
import { until } from "../../fixtures/until.ts";
import { getJson } from "../requests.ts";
import { eventually } from "../rogue/rogue.ts";
import {
  callsAt,
  processFixture as fixture,
  isAlive,
  planeOf,
  runCli,
  startServe,
  textsOf,
  writeConfig,
} from "../support.ts";
import { countIn, entriesOf, listenTo, odd, post } from "./parts.ts";

const _lifeEvents = [
  "server.connecting",
  "server.connected",
  "server.disconnected",
  "server.error",
] as const;
const _stubborn = ["--ignore-sigterm", "--ignore-stdin-end", "--ttl", "60"];

suite("what was lost comes back", { concurrency: 4 }, () => {
  test("a server that died between two calls is replaced without a word", async () => {
    await using directory = await temporaryDirectory();
    const log = directory.file("log");
    await using plane = await planeOf({ echo: fixture("echo", ["--log", log]) });
    for (let round = 1; round <= 3; round++) {
      const [pid] = textsOf(await plane.call("echo.pid"));
      process.kill(Number(pid), "SIGKILL");
      await until("its death", () => !isAlive(Number(pid)));
      const { ok, call } = await plane.call("echo.do_it_now");
      assert.equal(ok, true, "the call after the death");
      assert.equal(call.status, "succeeded");
    }
    assert.equal(
      callsAt(log).filter(({ name }) => name === "do_it_now").length,
      3,
      "each ran once",
    );
  });

  test("a call that may run twice survives a death that is not noticed yet", async () => {
    await using plane = await planeOf({ echo: fixture("echo", [], { trusted: true }) });
    for (let round = 1; round <= 3; round++) {
      const [pid] = textsOf(await plane.call("echo.pid"));
      process.kill(Number(pid), "SIGKILL");
      assert.deepEqual(textsOf(await plane.call("echo.echo", { message: `round ${round}` })), [
        `round ${round}`,
      ]);
    }
  });

  test("a forgotten HTTP session is opened again and the call retried once", async () => {
    await using directory = await temporaryDirectory();
    const log = directory.file("log");
    await using server = await startHttpFixture("http", ["--log", log]);
    await using plane = await planeOf({ remote: { url: server.url } });
    const retries = listenTo(plane, "tool.retry");
    await plane.call("remote.invalidate_session");
    const outcome = await plane.call("remote.write_note", { text: "once" });
    assert.deepEqual(textsOf(outcome), ["noted once"]);
    assert.equal(retries.length, 1);
    const notes = await plane.call("remote.read_note");
    assert.deepEqual(Object.values(notes.result?.structuredContent ?? {})[0], ["once"]);
    assert.equal(countIn(log, "initialize"), 2);
  });

  test("a server that keeps failing is tried at growing gaps, and at once when it is forced", async () => {
    await using directory = await temporaryDirectory();
    const log = directory.file("log");
    const broken = directory.file("broken");
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
    await eventually(
      "the next rest",
      async () => (await plane.servers.get("failing")).state === "backoff",
      10,
    );

    const gentle = await plane.servers.refresh(undefined, { force: false });
    assert.deepEqual(gentle.skipped.map(({ server }) => server).toSorted(), [
      "failing",
      "off",
      "resting",
    ]);
    assert.deepEqual(gentle.attempted, ["good"]);
    await rm(broken);
    const forced = await plane.servers.refresh(undefined, { force: true });
    assert.deepEqual(forced.attempted.toSorted(), ["failing", "good", "resting"]);
    assert.deepEqual(forced.reconnected, ["failing"]);
    assert.deepEqual(
      forced.still_failed.map(({ server }) => server),
      ["resting"],
    );
    assert.match(forced.still_failed[0]?.reason ?? "", /no-such-command/);
    assert.deepEqual(textsOf(await plane.call("failing.ok")), ["ok"]);
  });

  test("'servers reconnect --json' tells attempted, reconnected, still_failed and skipped", async () => {
    await using directory = await temporaryDirectory();
    const config = await writeConfig(directory, {
      good: fixture("echo"),
      bad: { command: "no-such-command" },
      off: fixture("echo", [], { enabled: false }),
    });
    const words = [
      "servers",
      "reconnect",
      "--json",
      "--config",
      config,
      "--data-dir",
      directory.file("data"),
    ];
    const { code, json } = await runCli(words);
    const report = json() as unknown as RefreshReport;
    assert.equal(code, 4);
    assert.deepEqual(report.attempted.toSorted(), ["bad", "good"]);
    assert.deepEqual(report.reconnected, ["good"]);
    assert.deepEqual(
      report.still_failed.map(({ server }) => server),
      ["bad"],
    );
    assert.deepEqual(
      report.skipped.map(({ server }) => server),
      ["off"],
    );
  });

  test("a server that comes up later is found without anybody asking for it", async () => {
    const port = await freePort();
    const entry = { url: `http://127.0.0.1:${port}/mcp`, backoffMs: 200, maxBackoffMs: 500 };
    await using plane = await planeOf({ late: entry, echo: fixture("echo") });
    plane.start();
    await eventually("its failure", async () => (await plane.servers.get("late")).error !== null);
    const listed = (await plane.tools.list()).map(({ id }) => id.server);
    assert.ok(!listed.includes("late") && listed.includes("echo"));
    const [before] = await plane.servers.list();
    await using _server = await startHttpFixture("http", ["--port", String(port)]);
    await eventually("its tools", async () => (await plane.servers.get("late")).tools > 0);
    assert.notEqual(before?.state, "connected");
    assert.deepEqual(textsOf(await plane.call("late.echo", { message: "up" })), ["up"]);
  });

  test("refreshing one server leaves the session of the other alone", async () => {
    await using directory = await temporaryDirectory();
    const left = directory.file("left");
    const right = directory.file("right");
    await using one = await startHttpFixture("http", ["--log", left]);
    await using two = await startHttpFixture("http", ["--log", right]);
    await using plane = await planeOf({ left: { url: one.url }, right: { url: two.url } });
    await plane.tools.list();
    const before = entriesOf(right, "received").length;
    const report = await plane.servers.refresh("left");
    assert.deepEqual(report, {
      attempted: ["left"],
      reconnected: [],
      still_failed: [],
      skipped: [],
    });
    assert.deepEqual(
      [countIn(left, "tools/list"), entriesOf(right, "received").length],
      [2, before],
    );
    await assert.rejects(plane.servers.refresh("lefd"), {
      code: "SERVER_NOT_FOUND",
      message: /Did you mean 'left'/,
    });
  });

  test("what a server writes to standard error is kept and shown, without its secrets", async () => {
    await using directory = await temporaryDirectory();
    const { env, ...entry } = fixture("echo", ["--stderr", "warming up with CANARY-key"]);
    const server = { ...entry, env: { ...(env as object), API_KEY: "CANARY-key" } };
    const config = await writeConfig(directory, { srv: server });
    const words = [
      "servers",
      "logs",
      "srv",
      "--config",
      config,
      "--data-dir",
      directory.file("data"),
    ];
    const [plain, json] = await Promise.all([runCli(words), runCli([...words, "--json"])]);
    assert.match(plain.stdout, /stderr\s+warming up with/);
    assert.doesNotMatch(plain.stdout + json.stdout, /CANARY/);
    const lines = json.json().lines as { source: string; text: string }[];
    assert.equal(lines[0]?.source, "stderr");
    await using serving = await startServe(config, directory.file("data"));
    await post(serving, "/servers/srv/connect");
    const { body } = await getJson(`${serving.url}/servers/srv/logs`);
    assert.match(JSON.stringify(body), /warming up/);
  });
});
