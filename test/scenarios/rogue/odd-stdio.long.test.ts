import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { temporaryDirectory } from "../../fixtures/start-server.ts";
import { until } from "../../fixtures/until.ts";
import { getJson, postCall } from "../requests.ts";
import {
  assertFailed,
  errorOf,
  isAlive,
  planeOf,
  startServe,
  startServeProcess,
  textsOf,
  within,
  writeConfig,
} from "../support.ts";
import { residentMegabytes, watchHealth } from "./probes.ts";
import {
  aliveIn,
  eventually,
  oracle,
  received,
  restingStatus,
  rogue,
  startsIn,
  statusOf,
} from "./rogue.ts";

const odd = (mode: string, args: string[] = [], more: object = {}) =>
  rogue("stdio-odd", ["--mode", mode, ...args], { ...more });
const marks = ["a", "b", "c", "d", "e"];

suite("rogue: oddities over stdio", { concurrency: 4 }, () => {
  for (const [mode, why] of [
    ["twice", "a server that answers everything twice"],
    ["early", "a server that answers before it is asked"],
    ["bytes", "a server that writes byte by byte with CRLF"],
  ] as const) {
    test(`ODD: ${why} is understood, and every caller gets the answer to its own call`, async () => {
      await using plane = await planeOf({ odd: odd(mode) });
      const names = (await plane.tools.list()).map(({ id }) => id.tool);
      assert.ok(names.includes("ok") && !names.includes("poison"), names.join());
      const outcomes = await Promise.all(marks.map((mark) => plane.call("odd.ok", { mark })));
      assert.deepEqual(
        outcomes.flatMap(textsOf),
        marks.map((mark) => `ok ${mark}`),
      );
      assert.equal((await statusOf(plane, "odd")).state, "connected");
    });
  }

  test("ODD: characters that look like line ends arrive as they were sent", async () => {
    await using plane = await planeOf({ odd: odd("bytes") });
    const said = textsOf(await plane.call("odd.text"));
    assert.deepEqual(said, ["🚀 über\u2028line\u2029paragraph\u0085next"]);
  });

  test("ODD: an answer inside a batch is delivered", async () => {
    await using plane = await planeOf({ odd: odd("none") });
    assert.deepEqual(textsOf(await plane.call("odd.batch")), ["from a batch"]);
  });

  test("ODD: a server that asks a thousand things gets a thousand answers", async () => {
    await using directory = await temporaryDirectory();
    const log = directory.file("log");
    await using plane = await planeOf({ odd: odd("none", ["--log", log]) });
    assert.deepEqual(textsOf(await plane.call("odd.questions")), ["all answered"]);
    assert.equal(oracle(log, "recv").filter(({ method }) => method === undefined).length, 1_000);
  });

  test("ODD: a server that closes its output and lives on is noticed at once and replaced", async () => {
    await using directory = await temporaryDirectory();
    const log = directory.file("log");
    await using plane = await planeOf({ odd: odd("none", ["--log", log]) });
    await plane.tools.list();
    const outcome = await plane.call("odd.mute");
    assertFailed(outcome, "OUTCOME_UNKNOWN", "failed");
    assert.match(errorOf(outcome).message, /'odd'.*output/);
    await eventually("a call", async () => (await plane.call("odd.ok")).ok);
    const [first] = startsIn(log);
    await until("the end of the mute one", () => first !== undefined && !isAlive(first.pid));
    assert.equal(startsIn(log).length, 2);
  });

  test("ODD: a grandchild that holds the pipes hides no exit and outlives no plane", async () => {
    await using directory = await temporaryDirectory();
    const log = directory.file("log");
    await using plane = await planeOf({ odd: odd("grandchild", ["--log", log]) });
    await plane.tools.list();
    const outcome = await plane.call("odd.leave");
    assertFailed(outcome, "OUTCOME_UNKNOWN", "failed");
    assert.match(errorOf(outcome).message, /exited with code 0/);
    await eventually("a call", async () => (await plane.call("odd.ok")).ok);
    await within("stopping", plane.stop());
    const grandchildren = oracle(log, "grandchild").map(({ child }) => Number(child));
    assert.equal(grandchildren.length, 2);
    // Killed, but the system may take its time to bury what is not our child.
    await until("the grandchildren", () => !grandchildren.some(isAlive));
  });

  test("ODD: a server that exits with 0 on initialize fails at once and is not started in a loop", async () => {
    await using directory = await temporaryDirectory();
    const log = directory.file("log");
    const config = await writeConfig(directory, { odd: odd("exit-initialize", ["--log", log]) });
    await using serving = await startServe(config, directory.file("data"));
    const { error } = await restingStatus(serving.url, "odd");
    assert.match(error, /exited with code 0/);
    await delay(1_500);
    assert.ok(startsIn(log).length <= 6, `${startsIn(log).length} starts in two seconds`);
  });

  test("ODD: ten megabytes of last words become a short and clean reason", async () => {
    await using plane = await planeOf({ odd: odd("stderr-exit") });
    const outcome = await within("the failure", plane.call("odd.ok"));
    const { message } = errorOf(outcome);
    assert.match(message, /code 3/);
    assert.ok(message.length < 4_000, `${message.length} characters`);
    assert.ok(!message.includes("\u001b"), "no escape sequence");
  });

  test("ODD: an unknown protocol version is named", async () => {
    await using plane = await planeOf({ odd: odd("old") });
    assert.match(errorOf(await plane.call("odd.ok")).message, /'odd'.*1999-01-01/);
  });

  test("ODD: a list whose cursors never end is cut and said to be cut", async () => {
    await using directory = await temporaryDirectory();
    const log = directory.file("log");
    await using plane = await planeOf({ odd: odd("endless", ["--log", log]) });
    await within("the listing", plane.tools.list());
    const pages = received(log, "tools/list").length;
    assert.ok(pages > 1 && pages <= 10_000, `${pages} pages`);
    const told = JSON.stringify([await plane.servers.list(), await plane.servers.logs("odd")]);
    assert.match(told, /more than \d+ pages/);
    await delay(300);
    assert.equal(received(log, "tools/list").length, pages, "it is asked no further");
  });

  test("ODD: a list of 100 MB is refused with the limit and costs the plane nothing", async () => {
    await using directory = await temporaryDirectory();
    const servers = {
      odd: odd("big-list", [], { connectTimeoutMs: 120_000 }),
      neighbour: rogue("echo"),
    };
    const config = await writeConfig(directory, servers);
    await using serving = await startServeProcess(config, directory.file("data"));
    await using health = watchHealth(serving.url);
    await eventually(
      "the failure",
      async () => (await statusOf(serving.url, "odd")).error !== null,
    );
    assert.match((await statusOf(serving.url, "odd")).error ?? "", /10 ?MiB|10[,.]?485[,.]?760/);
    assert.equal((await postCall(serving.url, "neighbour.echo", {})).status, 200);
    health.assertAwake(1_000);
    assert.ok(residentMegabytes(serving.process.pid) < 400);
  });

  test("ODD: a hundred thousand notifications before an answer stall no one", async () => {
    await using directory = await temporaryDirectory();
    const config = await writeConfig(directory, { odd: odd("none") });
    await using serving = await startServeProcess(config, directory.file("data"));
    await postCall(serving.url, "odd.ok", {});
    await using health = watchHealth(serving.url);
    const { status } = await within("the call", postCall(serving.url, "odd.flood", {}));
    assert.equal(status, 200);
    health.assertAwake(1_000);
    assert.equal((await getJson(`${serving.url}/healthz`)).status, 200);
  });

  test("ODD: a result nested a hundred thousand deep ends its own call only", async () => {
    await using directory = await temporaryDirectory();
    const config = await writeConfig(directory, { odd: odd("none", [], { timeoutMs: 5_000 }) });
    await using serving = await startServeProcess(config, directory.file("data"));
    const response = await fetch(`${serving.url}/tools/odd.deep/call`, { method: "POST" });
    const said = await response.text();
    assert.doesNotMatch(said, /Maximum call stack/, "no inner error of ours");
    assert.equal((await postCall(serving.url, "odd.ok", {})).status, 200);
    assert.equal(serving.process.exitCode, null);
  });

  test("ODD: a server that stops reading ends its calls at their limit and is gone with the plane", async () => {
    await using directory = await temporaryDirectory();
    const log = directory.file("log");
    await using plane = await planeOf({
      odd: odd("deaf", ["--log", log], { timeoutMs: 1_000 }),
      echo: rogue("echo"),
    });
    await plane.tools.list();
    const mark = "x".repeat(1024 * 1024);
    const calls = Promise.all(marks.map(() => plane.call("odd.ok", { mark })));
    assert.equal((await plane.call("echo.echo")).ok, true);
    for (const outcome of await within("five calls", calls))
      assertFailed(outcome, "TIMEOUT", "failed");
    await within("stopping", plane.stop());
    assert.deepEqual(aliveIn(log), []);
  });
});
